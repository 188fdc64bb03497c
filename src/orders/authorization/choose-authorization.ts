import type { Address } from "viem";
import { failure } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import type { AuthorizationKind } from "../../router/router-signature-messages.ts";
import type { AuthorizeWay } from "../../schemas/signing-schema.ts";
import type { AuthorizationFacts } from "./authorization-facts.ts";

/**
 * How a caller wants to pay for an order: by an approval, a kind of signature, or `auto`; and which account will submit
 * the order.
 */
export interface AuthorizationWish {
  way: AuthorizeWay;
  submitter: Address;
}

/** A payment and the state that decides how it can be authorised. Amounts are in the token's smallest unit. */
interface Payable {
  wish: AuthorizationWish;
  owner: Address;
  amount: bigint;
  /** The owner's allowance to the Router, or null if unknown. */
  allowance: bigint | null;
  /** Null if no signature works, because the payment is in the native currency or the Router cannot take it. */
  facts: AuthorizationFacts | null;
}

/** Order in which `auto` tries signatures; a permit works only if the owner submits. */
const LADDER: readonly AuthorizationKind[] = ["erc3009", "permit", "permit2"];

/** Returns true if the caller requests a kind of signature or `auto`, and false for an approval. */
export const asksForSignature = ({ way }: AuthorizationWish): boolean => way !== "approve";

/**
 * Returns the kind of signature that pays for an order. Null if an approval pays: by `approve`, or with `auto` if the
 * owner submits and the allowance suffices or no kind works. Throws `authorization_unsupported` if the named kind does
 * not work or, with `auto`, if another account submits and no kind works.
 */
export function chooseAuthorization(payable: Payable): AuthorizationKind | null {
  const { wish, owner, amount, allowance } = payable;
  if (wish.way === "approve") return null;
  if (wish.way !== "auto") {
    const problem = problemOf(wish.way, { ...payable, named: true });
    if (problem === null) return wish.way;
    throw failure("authorization_unsupported", `${problem}: build again with \`authorize\` approve or auto`);
  }
  const own = sameAddress(wish.submitter, owner);
  if (own && allowance !== null && allowance >= amount) return null;
  const found = LADDER.find((kind) => problemOf(kind, { ...payable, named: false }) === null);
  if (found !== undefined) return found;
  if (own) return null;
  throw failure(
    "authorization_unsupported",
    "no signature that another account could submit works here: leave out `submitter`, so that the user sends it",
  );
}

/** Returns why a kind of signature does not work for a payment, or null if it works. */
function problemOf(kind: AuthorizationKind, payable: Payable & { named: boolean }): string | null {
  const { facts, wish, owner, amount } = payable;
  if (facts === null) return "a signature works only where the DepositRouter takes the user's token";
  const { token } = facts;
  if (kind === "permit2") {
    if (facts.permit2Allowance === null) return "Permit2 is not available on this chain or could not be read";
    if (facts.permit2Allowance < amount) return "the user has not approved Permit2 for this amount";
    return accountProblem("code", payable);
  }
  const confirmed =
    token?.[kind] === true && (kind === "permit" ? facts.permitNonce !== null : facts.hasAuthorizations);
  if (token === null || !confirmed)
    return `the token is not confirmed to support ${kind === "permit" ? "ERC-2612 permits" : "ERC-3009 authorisations"}`;
  if (kind === "permit" && !sameAddress(wish.submitter, owner)) return "a permit is submitted by its owner";
  return accountProblem(token.checks, payable);
}

/**
 * Returns why the owner's account cannot sign, also if its code is unknown, or null if it can. Code that verifies
 * signatures may reject this one, so `auto` does not choose a kind that calls it.
 */
function accountProblem(
  checks: "code" | "ecrecover",
  { facts, named }: Payable & { named: boolean },
): string | null {
  switch (facts?.account) {
    case "plain":
      return null;
    case "delegated":
      return named || checks === "ecrecover" ? null : "the account's delegate verifies its signatures";
    case "contract":
      if (checks === "ecrecover") return "the token does not accept signatures of contract accounts";
      return named ? null : "the contract account verifies its signatures";
    default:
      return "the account's code could not be read";
  }
}
