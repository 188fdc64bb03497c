import { type Address, parseAbi } from "viem";
import { createQuery, type Query, queryAll, type ReadResult, read } from "../chains/query.ts";
import type { Controls } from "../db/schema/snapshots.ts";
import { once } from "../lib/once.ts";
import { adapterOf } from "../vaults/families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultState } from "../vaults/vault-adapter.ts";

const feesAbi = once(() =>
  parseAbi([
    "function performanceFee() view returns (uint96)",
    "function managementFee() view returns (uint96)",
    "function feeRates() view returns (uint16 management, uint16 performance)",
    "function getPerformanceFeeData() view returns (address account, uint16 fee)",
    "function getManagementFeeData() view returns (address account, uint16 fee, uint32 updatedAt)",
  ]),
);

/**
 * Describes the fees of families that have views of their own for them, in the family's unit: parts of 10^18 for
 * Morpho's Vault V2, hundredths of a percent for IPOR and Lagoon. A view that does not answer is absent.
 */
export function feesQuery(vault: Vault): Query<Controls> {
  const on = { to: vault.address, abi: feesAbi() } as const;
  if (vault.adapter === "morpho_v2")
    return createQuery(
      {
        performance: read({ ...on, name: "performanceFee" }),
        management: read({ ...on, name: "managementFee" }),
      },
      ({ performance, management }) => ({
        ...named("performance_fee", performance, (fee) => fee),
        ...named("management_fee", management, (fee) => fee),
      }),
    );
  if (vault.adapter === "lagoon")
    return createQuery({ rates: read({ ...on, name: "feeRates" }) }, ({ rates }) => ({
      ...named("management_fee", rates, ([management]) => management),
      ...named("performance_fee", rates, ([, performance]) => performance),
    }));
  if (vault.adapter === "ipor")
    return createQuery(
      {
        performance: read({ ...on, name: "getPerformanceFeeData" }),
        management: read({ ...on, name: "getManagementFeeData" }),
      },
      ({ performance, management }) => ({
        ...named("performance_fee", performance, ([, fee]) => fee),
        ...named("management_fee", management, ([, fee]) => fee),
      }),
    );
  return createQuery({}, () => ({}));
}

function named<T>(
  name: "performance_fee" | "management_fee",
  result: ReadResult<T>,
  feeOf: (value: T) => bigint | number,
): Controls {
  return result.ok ? { [name]: feeOf(result.value).toString() } : {};
}

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
export interface VaultSnapshot {
  state: VaultState;
  views: Views;
  fees: Controls;
}

/** Describes the reads of a snapshot. `holder`: the largest known one; null: nobody is known. */
export function snapshotQuery(
  vault: Vault,
  at: { holder: Address | null; nowMs: number },
): Query<VaultSnapshot> {
  return queryAll({
    state: adapterOf(vault).state(vault, at.nowMs),
    views: viewsQuery(vault, at.holder),
    fees: feesQuery(vault),
  });
}

function viewsQuery(vault: Vault, holder: Address | null): Query<Views> {
  const on = { to: vault.address, abi: viewsAbi() } as const;
  const controls = {
    owner: read({ ...on, name: "owner" }),
    curator: read({ ...on, name: "curator" }),
    guardian: read({ ...on, name: "guardian" }),
    fee: read({ ...on, name: "fee" }),
    timelock: read({ ...on, name: "timelock" }),
  };
  if (holder === null || !PAYS_AT_ONCE.has(vault.adapter))
    return createQuery(controls, (results) => ({ controls: toControls(results), liquidity: null }));
  const withdrawal = {
    held: read({ ...on, name: "balanceOf", args: [holder] }),
    redeemable: read({ ...on, name: "maxRedeem", args: [holder] }),
    withdrawable: read({ ...on, name: "maxWithdraw", args: [holder] }),
  };
  return createQuery({ ...controls, ...withdrawal }, (results) => {
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
