import { parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { larger, smaller } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { DepositTerms, Refusal, VaultFlags, VaultState } from "../../vault-adapter.ts";
import { unknownPause } from "../../vault-pause.ts";

/**
 * Results of the views that an ERC-4626 vault family has beyond the standard. An absent field leaves the standard one
 * as it is. Amounts are in the asset's smallest unit unless stated otherwise, and null if unknown.
 */
export interface FamilyViews {
  /** True if a switch of the family stops deposits; false also if unknown. */
  paused?: boolean;
  /** True if no view of such a switch could be read. */
  pauseUnknown?: boolean;
  /** A limit on deposits in addition to `maxDeposit`; the smaller one applies. */
  maxDeposit?: bigint | null;
  /** A minimum deposit in addition to `minDeposit`; the larger one applies. */
  minDeposit?: bigint | null;
  /** Net assets, for families whose `totalAssets` means something else. */
  totalAssets?: bigint | null;
  /**
   * Shares for the deposit, in the share token's smallest unit, for families whose `previewDeposit` reverts although
   * deposits work.
   */
  shares?: bigint | null;
  /** Why the vault would reject the deposit, or null if its views show no reason. */
  refusal?: Refusal | null;
}

const fleetAbi = once(() =>
  parseAbi([
    "function getConfig() view returns (address bufferArk, uint256 minimumBufferBalance, uint256 depositCap, uint256 maxRebalanceOperations, address stakingRewardsManager)",
    "function withdrawableTotalAssets() view returns (uint256)",
  ]),
);

/**
 * Returns the query for the largest deposit into a vault whose `maxDeposit` is 0 for an account without the asset: in a
 * FleetCommander of Summer.fi, which limits it to what the account holds, the room below its cap, or null if that is
 * unknown; otherwise 0. Source: OasisDEX/summer-earn-protocol, FleetCommander (`maxDeposit`).
 */
export function roomWithoutBalance(
  vault: Vault,
  { totalAssets }: Pick<VaultState, "totalAssets">,
): Query<bigint | null> {
  const on = { to: vault.entryPoint, abi: fleetAbi() } as const;
  const reads = {
    config: read({ ...on, name: "getConfig" }),
    liquid: read({ ...on, name: "withdrawableTotalAssets" }),
  };
  return createQuery(reads, ({ config, liquid }) => {
    const cap = valueOrNull(config)?.[2];
    if (cap === undefined || !liquid.ok) return 0n;
    if (totalAssets === null) return null;
    return cap > totalAssets ? cap - totalAssets : 0n;
  });
}

/**
 * Merges the pause and the minimum deposit from the ERC-4626 views with those from the family's own: the vault is
 * paused if either says so, and the larger known minimum applies.
 */
export function mergeFlags(standard: VaultFlags, own: FamilyViews): VaultFlags {
  return {
    paused: standard.paused || own.paused === true,
    minDeposit: larger(standard.minDeposit, own.minDeposit ?? null),
  };
}

/**
 * Merges a vault's state from the ERC-4626 views with that from the family's own: pause and minimum as `mergeFlags`
 * does, the lower known limit (0 if paused), and the family's total assets if it reads them, even if they are unknown.
 */
export function mergeState(known: VaultState, own: FamilyViews): VaultState {
  const { pauseUnknown = false, ...standard } = known;
  const flags = mergeFlags(standard, own);
  return {
    ...standard,
    ...flags,
    ...unknownPause(!flags.paused && (pauseUnknown || own.pauseUnknown === true)),
    totalAssets: own.totalAssets === undefined ? standard.totalAssets : own.totalAssets,
    maxDeposit: flags.paused ? 0n : smaller(standard.maxDeposit, own.maxDeposit ?? null),
  };
}

/**
 * Merges the conditions of a deposit from the ERC-4626 views with those from the family's own: pause and minimum as
 * `mergeFlags` does, and the lower known limit. The family's shares count only if the standard preview failed.
 */
export function mergeTerms(standard: DepositTerms, own: FamilyViews): DepositTerms {
  const previewShares = standard.previewShares ?? own.shares ?? null;
  return {
    ...standard,
    ...mergeFlags(standard, own),
    previewShares,
    previewRevert: previewShares === null ? standard.previewRevert : null,
    maxDeposit: smaller(standard.maxDeposit, own.maxDeposit ?? null),
    refusal: own.refusal ?? null,
  };
}
