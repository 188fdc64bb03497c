import { larger, smaller } from "../../../lib/amount.ts";
import type { DepositTerms, Refusal, VaultFlags, VaultState } from "../../vault-adapter.ts";

/**
 * Results of a family's own views, in addition to ERC-4626's. A member is absent where the family has no such view, null when it
 * did not answer. Amounts in the asset's smallest unit.
 */
export interface FamilyViews {
  /** True when a switch of the family stops every deposit. */
  paused?: boolean;
  /** A limit in addition to `maxDeposit`; the smaller one applies. */
  maxDeposit?: bigint | null;
  /** A minimum in addition to `minDeposit`; the larger one applies. */
  minDeposit?: bigint | null;
  /** Net assets, where `totalAssets` means something else. */
  totalAssets?: bigint | null;
  /** Shares for the deposit, where `previewDeposit` reverts although deposits work. */
  shares?: bigint | null;
  refusal?: Refusal | null;
}

/** Merges the standard's flags with the family's own views. */
export function mergeFlags(standard: VaultFlags, own: FamilyViews): VaultFlags {
  return {
    paused: standard.paused || own.paused === true,
    minDeposit: larger(standard.minDeposit, own.minDeposit ?? null),
  };
}

/** Merges the standard's state with the family's own views. A paused vault has a `maxDeposit` of 0. */
export function mergeState(standard: VaultState, own: FamilyViews): VaultState {
  const flags = mergeFlags(standard, own);
  return {
    ...standard,
    ...flags,
    totalAssets: own.totalAssets === undefined ? standard.totalAssets : own.totalAssets,
    maxDeposit: flags.paused ? 0n : smaller(standard.maxDeposit, own.maxDeposit ?? null),
  };
}

/** Merges the standard's terms of a deposit with the family's own views. */
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
