import { larger, smaller } from "../../../lib/amount.ts";
import type { DepositTerms, Refusal, VaultFlags, VaultState } from "../../vault-adapter.ts";

/**
 * What a family's own views say beyond ERC-4626's. Absent: nothing; null: they did not answer. Amounts in the
 * asset's smallest unit.
 */
export interface FamilyViews {
  /** Whether a switch of the family's stops every deposit. */
  paused?: boolean;
  /** A limit besides `maxDeposit`: the smaller one counts. */
  maxDeposit?: bigint | null;
  /** A minimum besides `minDeposit`: the larger one counts. */
  minDeposit?: bigint | null;
  /** Net assets, where `totalAssets` means something else. */
  totalAssets?: bigint | null;
  /** Shares for the amount, where `previewDeposit` reverts although deposits work. */
  shares?: bigint | null;
  refusal?: Refusal | null;
}

/** The flags of a vault whose own views say more. */
export function mergeFlags(standard: VaultFlags, own: FamilyViews): VaultFlags {
  return {
    paused: standard.paused || own.paused === true,
    minDeposit: larger(standard.minDeposit, own.minDeposit ?? null),
  };
}

/** The state of a vault whose own views say more. A paused vault takes nothing, whatever its limit says. */
export function mergeState(standard: VaultState, own: FamilyViews): VaultState {
  const flags = mergeFlags(standard, own);
  return {
    ...standard,
    ...flags,
    totalAssets: own.totalAssets === undefined ? standard.totalAssets : own.totalAssets,
    maxDeposit: flags.paused ? 0n : smaller(standard.maxDeposit, own.maxDeposit ?? null),
  };
}

/** The terms of a deposit into a vault whose own views say more. */
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
