import { andThen, createQuery, mapQuery, type Query } from "../chains/chain-reads.ts";
import { findDepositRefusal, underpaidDeposit, unpricedDeposit } from "../deposits/deposit-refusals.ts";
import type { PayerFunds } from "../deposits/payer-funds.ts";
import { larger, MAX_UINT256, smaller } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { priceIsSafe } from "../orders/order-slippage.ts";
import type { PendingPosition } from "../positions/position-pending-deposits.ts";
import type { VaultAction } from "../schemas/position-schema.ts";
import { adapterOf, asyncDepositsOf, explainVaultRevert } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositTerms, TermsInput } from "../vaults/vault-adapter.ts";
import { type DepositEntry, pauseReason } from "../vaults/vault-deposit-entry.ts";
import { POSSIBLE, refused } from "./possible-action.ts";

/** The conditions of a deposit of an amount of the asset, in its smallest unit. */
type AskedDeposit = DepositTerms & { amount: bigint };

/**
 * The conditions of a small deposit, as `smallDepositQuery` reads them, the user's open deposit requests, and with
 * `payer` the funds that were read for it, at which block and for which caller of the vault.
 */
export interface DepositFacts {
  deposit: AskedDeposit;
  payer?: { funds: PayerFunds; block: BlockTime; via: DepositEntry["via"] };
  deposits: readonly PendingPosition[];
}

/** Returns the smallest deposit that vault and registry accept, in the asset's smallest unit; null if none is known. */
export const leastDeposit = (vault: Vault, terms: DepositTerms | null): bigint | null =>
  larger(vault.minDeposit, terms?.minDeposit ?? null);

/** Slippage as a fraction with which a build accepts the most expensive shares. */
export const MOST_SLIPPAGE = 0.03;
/** Factor from an amount for which the shares are worth too little to one on which a fixed fee hardly counts. */
export const LARGE_FACTOR = 1_000n;

/** Returns true if a build refuses the deposit, with any slippage, because the shares are worth too little. */
function isUnderpaid(vault: Vault, { amount, previewShares: shares, price }: AskedDeposit): boolean {
  if (shares === null || price === null || price.shares === 0n) return false;
  const { decimals: assetDecimals } = vault.asset;
  return !priceIsSafe({ amount, shares, price, slippage: MOST_SLIPPAGE, assetDecimals });
}

/**
 * Returns the query for the conditions of a deposit of one whole token, or the registry's minimum if that is more. If
 * the vault previews nothing for it and has a lower maximum or a higher minimum, another batch reads those of that one;
 * if its shares are worth too little, those of a large deposit.
 */
export function smallDepositQuery(
  vault: Vault,
  of: Pick<TermsInput, "caller" | "receiver" | "now">,
): Query<AskedDeposit> {
  const whole = 10n ** BigInt(vault.asset.decimals);
  const termsOf = (amount: bigint) =>
    mapQuery(adapterOf(vault).terms(vault, { ...of, token: vault.asset, amount }), (terms) => ({
      ...terms,
      amount,
    }));
  const first = larger(vault.minDeposit, whole) ?? whole;
  return andThen(termsOf(first), (small) => {
    const amount = otherAmount(vault, small);
    return amount === first || amount === 0n ? createQuery({}, () => small) : termsOf(amount);
  });
}

/** Returns the amount of a deposit that shows more than the small one, or that one's if none does. */
function otherAmount(vault: Vault, small: AskedDeposit): bigint {
  const { amount, maxDeposit, previewShares } = small;
  const least = larger(leastDeposit(vault, small), amount) ?? amount;
  if (previewShares === null) return smaller(least, maxDeposit) ?? least;
  const large = amount * LARGE_FACTOR;
  return isUnderpaid(vault, small) ? (smaller(large, maxDeposit) ?? large) : amount;
}

/**
 * Returns whether a user can deposit now by the views: the vault's registry entry, the conditions of a small deposit and
 * the open requests. An impossible deposit has the code of a build, which would refuse every amount.
 */
export function depositAction(vault: Vault, { deposit: terms, deposits }: DepositFacts): VaultAction {
  const mode =
    terms.async === undefined
      ? depositMode(vault)
      : terms.async
        ? ("request" as const)
        : ("instant" as const);
  if (vault.status !== "active" || terms.paused)
    return refused({ code: "vault_paused", reason: pauseReason(vault), max: "0", mode });
  const refusal = findDepositRefusal(vault, { token: vault.asset, terms });
  if (refusal !== null) return refused({ code: refusal.code, reason: refusal.message, mode });
  const { maxDeposit, previewShares } = terms;
  const least = leastDeposit(vault, terms);
  if (maxDeposit !== null && (maxDeposit === 0n || maxDeposit < (least ?? 0n))) {
    const reason = maxDeposit === 0n ? "is full" : "has less room than its smallest deposit needs";
    return refused({ code: "above_maximum", reason: `${vault.name} ${reason}`, max: "0", mode });
  }
  const open = asyncDepositsOf(vault)?.oneAtATime === true && deposits.some(isWaiting);
  if (open) {
    const reason = `${vault.name} still has an open request of this account`;
    return refused({ code: "request_pending", reason, max: "0", mode });
  }
  if (previewShares === null) {
    const code = explainVaultRevert(vault, terms.previewRevert ?? "0x").code ?? "would_revert";
    return refused({ code, reason: `${vault.name} does not accept deposits now`, mode });
  }
  if (previewShares === 0n)
    return refused({ code: "zero_shares", reason: `${vault.name} would mint no shares`, mode });
  if (terms.price === null || terms.price.shares === 0n) {
    const { code: unsafe, message } = unpricedDeposit(vault);
    return refused({ code: unsafe, reason: message, mode });
  }
  if (isUnderpaid(vault, terms)) {
    const { code: unsafe, message } = underpaidDeposit(vault);
    return refused({ code: unsafe, reason: message, mode });
  }
  const limit = maxDeposit === null || maxDeposit >= MAX_UINT256 / 2n ? null : maxDeposit;
  return { ...POSSIBLE, max: limit?.toString() ?? null, mode };
}

const depositMode = (vault: Vault) =>
  adapterOf(vault).asyncDeposits?.(vault) ? ("request" as const) : ("instant" as const);

const isWaiting = ({ pendingAssets, claimableShares }: PendingPosition): boolean =>
  (pendingAssets ?? 0n) > 0n && claimableShares === 0n;
