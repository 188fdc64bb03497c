import type { Address } from "viem";
import { failure } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import type { AuthorizationKind } from "../../router/signed-order.ts";
import type { AuthorizeWay } from "../../schemas/signing-schema.ts";
import type { AuthorizationFacts } from "./authorization-facts.ts";

/** How a caller wants to pay for an order, and who will submit it. */
export interface AuthorizationWish {
  way: AuthorizeWay;
  submitter: Address;
}

/** An order's payment with what the chain shows about it. Amounts are in the token's smallest unit. */
interface Payable {
  wish: AuthorizationWish;
  owner: Address;
  amount: bigint;
  /** The Router's standing allowance, or null if unknown. */
  allowance: bigint | null;
  /** Null where the Router is not what takes the money, so that no signature works. */
  facts: AuthorizationFacts | null;
}

/** The order in which `auto` tries signatures; a permit works only if the owner submits. */
const LADDER: readonly AuthorizationKind[] = ["erc3009", "permit", "permit2"];

/** Returns true if a caller asks for something else than an approval that the user submits. */
export const asksForSignature = ({ way }: AuthorizationWish): boolean => way !== "approve";

/**
 * Chooses how an order is paid: by the signature that the caller names, with `auto` by the first that the chain shows to
 * work, or by an approval, for which the result is null. A standing allowance comes before all signatures. Throws
 * `authorization_unsupported` if the named way does not work, or if none works that another submitter could use.
 */
export function chooseAuthorization(payable: Payable): AuthorizationKind | null {
  const { wish, owner, amount, allowance } = payable;
  if (wish.way === "approve") return null;
  if (wish.way !== "auto") {
    const problem = problemOf(wish.way, { ...payable, named: true });
    if (problem === null) return wish.way;
    throw failure("authorization_unsupported", problem);
  }
  const own = sameAddress(wish.submitter, owner);
  if (own && allowance !== null && allowance >= amount) return null;
  const found = LADDER.find((kind) => problemOf(kind, { ...payable, named: false }) === null);
  if (found !== undefined) return found;
  if (own) return null;
  throw failure("authorization_unsupported", "no signature that another account could submit works here");
}

/** Returns why a kind of signature does not work for a payment, or null if the chain shows that it does. */
function problemOf(kind: AuthorizationKind, payable: Payable & { named: boolean }): string | null {
  const { facts, wish, owner, amount } = payable;
  if (facts === null) return "a signature works only where the DepositRouter takes the user's token";
  const { token } = facts;
  if (kind === "permit2") {
    if (facts.permit2Allowance === null) return "Permit2 is not available on this chain";
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
 * Returns why an account with code cannot sign, or null. Whoever checks by ecrecover never asks a contract; whoever asks
 * the account may be refused by it, so `auto` does not try that.
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
