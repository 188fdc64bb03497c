import { type Address, parseAbi } from "viem";
import { createQuery, type Query, queryAll, type ReadResult, read } from "../chains/chain-reads.ts";
import type { Controls } from "../db/tables/snapshot-tables.ts";
import { once } from "../lib/once.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { VaultState } from "../vaults/vault-adapter.ts";
import type { FeeRates } from "../vaults/vault-fee-rates.ts";
import { settlementOf } from "../vaults/vault-settlement.ts";
import { vaultStateQuery } from "../vaults/vault-state.ts";

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

/** Governance roles and settings of a vault, and the amount that its largest shareholder can withdraw. */
interface Views {
  controls: Controls;
  /**
   * Amount that the largest known shareholder can withdraw now, in the asset's smallest unit. Null if the whole holding
   * can be redeemed, if withdrawals have to wait anyway, or if the amount is unknown or not read for the family.
   */
  liquidity: bigint | null;
}

/**
 * On-chain values of a vault, as a snapshot stores them: totals, share price and limits (`state`), governance roles,
 * settings and liquidity (`views`), and fees.
 */
export interface VaultSnapshot {
  state: VaultState;
  views: Views;
  fees: FeeRates;
}

/**
 * Returns the query for the values of a vault snapshot. `holder` is the largest known shareholder, whose withdrawable
 * amount shows the vault's liquidity, or null. `nowMs` is in milliseconds since the epoch.
 */
export function snapshotQuery(
  vault: Vault,
  at: { holder: Address | null; nowMs: number },
): Query<VaultSnapshot> {
  return queryAll({
    state: vaultStateQuery(vault, at.nowMs),
    views: viewsQuery(vault, at.holder),
    fees: findFamily(vault.adapter)?.feeRatesQuery?.(vault) ?? createQuery({}, () => ({})),
  });
}

/**
 * Returns true if a holder cannot redeem all of `held` shares. Differences of up to 0.1% are rounding: MetaMorpho
 * converts a holding to assets and back, rounding down twice.
 */
const isLimited = (held: bigint, redeemable: bigint): boolean => redeemable * 1_000n < held * 999n;

function viewsQuery(vault: Vault, holder: Address | null): Query<Views> {
  const on = { to: vault.address, abi: viewsAbi() } as const;
  const controls = {
    owner: read({ ...on, name: "owner" }),
    curator: read({ ...on, name: "curator" }),
    guardian: read({ ...on, name: "guardian" }),
    fee: read({ ...on, name: "fee" }),
    timelock: read({ ...on, name: "timelock" }),
  };
  const family = findFamily(vault.adapter);
  // While withdrawals wait for a cooldown or a request, the limit on redemptions says nothing about liquidity.
  const isLimitedByLiquidity =
    family?.instantWithdrawals === true && settlementOf(vault).withdraw === "instant";
  if (holder === null || !isLimitedByLiquidity)
    return createQuery(controls, (results) => ({ controls: toControls(results), liquidity: null }));
  const withdrawal = {
    held: read({ ...on, name: "balanceOf", args: [holder] }),
    redeemable: read({ ...on, name: "maxRedeem", args: [holder] }),
    withdrawable: read({ ...on, name: "maxWithdraw", args: [holder] }),
  };
  return createQuery({ ...controls, ...withdrawal }, (results) => {
    const { held, redeemable, withdrawable } = results;
    const limited = held.ok && redeemable.ok && withdrawable.ok && isLimited(held.value, redeemable.value);
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
