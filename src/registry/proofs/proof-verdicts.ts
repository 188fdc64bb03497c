import type { ErrorCode } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import type { VaultDeposit } from "../../orders/order-expected-effect.ts";
import { explainVaultRevert } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositTerms, Refusal } from "../../vaults/vault-adapter.ts";
import type { Closure } from "./decide-vault-proof.ts";
import { MAX_YEARLY_FEE } from "./proof-worth.ts";

/** Why a vault's proof does not pass, or `passed`; the fields are as in `ProofFinding`, `closure` null for none. */
export interface Verdict {
  kind: "passed" | "refused" | "closed";
  reason: string;
  closure?: Closure | null;
}

/**
 * Largest part of its profits that a vault may keep, as a fraction: the limit in the contracts of most curated vaults
 * (MetaMorpho, Morpho Vault V2, Yearn's strategies, Lagoon).
 */
const MAX_PROFIT_FEE = 0.5;

/** Verdicts for the reasons why a vault's view functions show that it accepts no deposit now. */
const REFUSALS: Readonly<Record<Refusal, Verdict>> = {
  not_allowed: { kind: "refused", reason: "the vault admits only accounts on its own list" },
  share_locked: { kind: "refused", reason: "the vault locks a depositor's new shares" },
  token_unsupported: { kind: "refused", reason: "the vault no longer accepts its deposit token" },
  price_stale: { kind: "closed", reason: "the vault has no current price" },
};

/** Verdict where a price, fee or limit could not be read from the vault, without which its shares are unknown. */
const UNPRICED: Verdict = { kind: "refused", reason: "the shares that a deposit mints cannot be computed" };

/**
 * Returns the reason why the vault rejects the deposit according to its view functions, or null if they show no reason.
 * The deposit limit is no such reason: only the simulation shows whether a larger deposit reverts.
 */
export function viewVerdict({ vault, token, amount }: VaultDeposit, terms: DepositTerms): Verdict | null {
  if (terms.asset === null || !sameAddress(terms.asset, token.address))
    return { kind: "refused", reason: `the vault does not confirm that it accepts ${token.symbol}` };
  if (terms.paused) return { kind: "closed", reason: "the vault's contract is paused" };
  if (terms.refusal) return REFUSALS[terms.refusal];
  if (terms.previewShares !== null) return null;
  return terms.previewRevert === null
    ? (fullVerdict(terms, amount) ?? UNPRICED)
    : revertVerdict(vault, { revert: terms.previewRevert, full: fullVerdict(terms, amount) });
}

/**
 * Returns the verdict on a vault that takes no deposit of an amount above its limit, or null if its limit is unknown or
 * as large. A limit may be that of new accounts, which the vault keeps out.
 */
export function fullVerdict({ maxDeposit }: DepositTerms, amount: bigint): Verdict | null {
  if (maxDeposit === null || maxDeposit >= amount) return null;
  const taken = maxDeposit === 0n ? "no" : "only small";
  return { kind: "closed", reason: `the vault takes ${taken} deposits from new accounts now` };
}

/** Fees of a vault as fractions, null if unknown: on its profits, and on its assets in a year. */
export interface Fees {
  profitFee: number | null;
  yearlyFee: number | null;
}

/** Returns the verdict on a vault that keeps too much of its profits or assets, or null. */
export function feeVerdict({ profitFee, yearlyFee }: Fees): Verdict | null {
  const refused = (reason: string): Verdict => ({ kind: "refused", reason });
  const percent = (fee: number): string => `${Math.round(fee * 10_000) / 100}%`;
  if (profitFee !== null && profitFee > MAX_PROFIT_FEE)
    return refused(
      `the vault keeps ${percent(profitFee)} of its profits, more than ${percent(MAX_PROFIT_FEE)}`,
    );
  if (yearlyFee !== null && yearlyFee > MAX_YEARLY_FEE)
    return refused(
      `the vault takes ${percent(yearlyFee)} of its assets a year, more than ${percent(MAX_YEARLY_FEE)}`,
    );
  return null;
}

/** Meanings of a revert that a full vault does not have: a closed gate may show itself as a limit of 0. */
const GATES: ReadonlySet<ErrorCode | null> = new Set<ErrorCode>([
  "vault_paused",
  "not_allowed",
  "share_locked",
  "token_unsupported",
]);

/**
 * Returns the verdict on a reverted deposit: a vault that is paused, full or without a price is closed, not refused. Its
 * contract says that it is paused where its views do not, so the vault may be listed as open. `full` is that of
 * `fullVerdict`, which counts unless the revert names a closed gate.
 */
export function revertVerdict(
  vault: Vault,
  { revert, full }: { revert: `0x${string}`; full: Verdict | null },
): Verdict {
  const { code, text } = explainVaultRevert(vault, revert);
  const isPaused = code === "vault_paused";
  if (full !== null && !GATES.has(code)) return full;
  return {
    kind: isPaused || code === "above_maximum" || code === "price_stale" ? "closed" : "refused",
    reason: `a deposit reverts${text === null || text === "" ? " without a reason" : `: ${text}`}`,
    closure: isPaused ? "stopped" : null,
  };
}
