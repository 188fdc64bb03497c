import { type Address, parseAbi } from "viem";
import { type Described, describe, describeAll, type ReadResult, read } from "../chains/read.ts";
import type { Controls } from "../db/schema/snapshots.ts";
import { once } from "../lib/once.ts";
import type { VaultState } from "../vaults/adapter.ts";
import { adapterOf } from "../vaults/adapters.ts";
import type { Vault } from "../vaults/vault.ts";
import { describeFees } from "./fee-views.ts";

const viewsAbi = once(() =>
  parseAbi([
    "function owner() view returns (address)",
    "function curator() view returns (address)",
    "function guardian() view returns (address)",
    "function fee() view returns (uint256)",
    "function timelock() view returns (uint256)",
    "function balanceOf(address) view returns (uint256)",
    "function maxWithdraw(address) view returns (uint256)",
    "function maxRedeem(address) view returns (uint256)",
  ]),
);
const controlNames = ["owner", "curator", "guardian", "fee", "timelock"] as const;
/** Adapters of vaults that pay out at once: only there does a low `maxWithdraw` mean that money is lacking. */
const PAYS_AT_ONCE: ReadonlySet<string> = new Set(["erc4626", "metamorpho"]);

/** Who governs a vault, and what its largest holder could withdraw. */
interface Views {
  controls: Controls;
  /** In the asset's smallest unit, where it is less than what the holder holds; null: all of it, or not known. */
  liquidity: bigint | null;
}

/** What a snapshot notes of a vault. */
export interface Observation {
  state: VaultState;
  views: Views;
  fees: Controls;
}

/** Describes the reads of a snapshot. `holder`: the largest known one; null: nobody is known. */
export function observe(vault: Vault, at: { holder: Address | null; nowMs: number }): Described<Observation> {
  return describeAll({
    state: adapterOf(vault).state(vault, at.nowMs),
    views: describeViews(vault, at.holder),
    fees: describeFees(vault),
  });
}

function describeViews(vault: Vault, holder: Address | null): Described<Views> {
  const on = { to: vault.address, abi: viewsAbi() } as const;
  const controls = {
    owner: read({ ...on, name: "owner" }),
    curator: read({ ...on, name: "curator" }),
    guardian: read({ ...on, name: "guardian" }),
    fee: read({ ...on, name: "fee" }),
    timelock: read({ ...on, name: "timelock" }),
  };
  if (holder === null || !PAYS_AT_ONCE.has(vault.adapter))
    return describe(controls, (results) => ({ controls: toControls(results), liquidity: null }));
  const withdrawal = {
    held: read({ ...on, name: "balanceOf", args: [holder] }),
    redeemable: read({ ...on, name: "maxRedeem", args: [holder] }),
    withdrawable: read({ ...on, name: "maxWithdraw", args: [holder] }),
  };
  return describe({ ...controls, ...withdrawal }, (results) => {
    const { held, redeemable, withdrawable } = results;
    const limited = held.ok && redeemable.ok && withdrawable.ok && redeemable.value < held.value;
    return { controls: toControls(results), liquidity: limited ? withdrawable.value : null };
  });
}

function toControls(results: Partial<Record<(typeof controlNames)[number], ReadResult<unknown>>>): Controls {
  return Object.fromEntries(
    controlNames.flatMap((name) => {
      const result = results[name];
      return result?.ok === true ? [[name, String(result.value).toLowerCase()]] : [];
    }),
  );
}
