import { type AppError, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { DepositTerms, Refusal } from "../vaults/vault-adapter.ts";
import { pauseReason } from "../vaults/vault-deposit-entry.ts";

/** Error messages for the reasons why a vault rejects a deposit. They follow the vault's name. */
const REFUSAL_TEXTS: Readonly<Record<Refusal, string>> = {
  not_allowed: "does not allow this account to deposit",
  price_stale: "has no current price",
  share_locked: "locks new shares and rejects deposits on behalf of another account",
  token_unsupported: "no longer accepts this token",
};

/** Returns the error for a vault whose views refuse a deposit of `token` of any amount, or null. */
export function findDepositRefusal(
  vault: Vault,
  { token, terms }: { token: Pick<Token, "address">; terms: DepositTerms },
): AppError | null {
  const { name } = vault;
  if (terms.asset === null || !sameAddress(terms.asset, token.address))
    return failure("upstream_rejected", `${name} reports a different asset on chain than in the registry`);
  if (terms.paused)
    return failure("vault_paused", `${name} does not accept deposits now`, { reason: pauseReason(vault) });
  return terms.refusal ? toDepositViewRefusal(name, terms.refusal) : null;
}

/** Creates the error for a vault that rejects a deposit for a reason that its views show. */
export function toDepositViewRefusal(vaultName: string, refusal: Refusal): AppError {
  const text = `${vaultName} ${REFUSAL_TEXTS[refusal]}`;
  return refusal === "price_stale" ? failure(refusal, text, { subject: "vault" }) : failure(refusal, text);
}

/** Creates the error for a vault that mints shares of far too little worth for a deposit (see `priceIsSafe`). */
export const underpaidDeposit = ({ name }: Vault): AppError =>
  failure(
    "price_unsafe",
    `the shares that ${name} would mint are worth less than the deposit by more than the slippage, which counts as 3% at most`,
    { subject: "vault" },
  );

/** Creates the error for a vault without a share price, so that no deposit's value can be judged. */
export const unpricedDeposit = ({ name }: Vault): AppError =>
  failure("price_unsafe", `${name} reports no share price`, { subject: "vault" });
