import type { Hex } from "viem";
import { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import {
  type PlannedAuthorization,
  planAuthorization,
} from "../orders/authorization/planned-authorization.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { AuthorizationKind } from "../router/router-signature-messages.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import type { ExitFacts } from "./exit-preflight.ts";
import type { PreparedWithdrawal } from "./prepared-withdrawal.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/** A withdrawal in one mode, before its preparation. */
interface ExitInMode {
  order: WithdrawalOrder;
  facts: ExitFacts;
  mode: ExitMode;
}

/**
 * Returns the kind of signature with which the Router takes a withdrawal's shares in this mode, or null if none is
 * used. Throws `authorization_unsupported` if the request needs one and none that it allows works.
 */
export function chooseExitSignature({ order, facts, mode }: ExitInMode): AuthorizationKind | null {
  const { authorize: wish, user: owner } = order;
  const routed = facts.ways.some((way) => way.mode === mode && way.via === "router");
  return chooseAuthorization({
    ...{ wish, owner, amount: facts.shares },
    allowance: facts.allowances.get(depositRouterAddress.toLowerCase()) ?? null,
    facts: routed ? facts.authorization : null,
  });
}

/**
 * Returns a copy of a withdrawal restricted to what a signature can cover: a fixed number of shares, and in this mode
 * only the path through the Router.
 */
export function toSignableExit({ order, facts, mode }: ExitInMode): ExitInMode & { mode: ExitMode } {
  const ways = facts.ways.filter((way) => way.mode !== mode || way.via === "router");
  return { order: { ...order, shares: facts.shares, signed: true }, facts: { ...facts, ways }, mode };
}

/**
 * Returns true if a withdrawal whose signed preparation failed may be built without a signature: the vault refused the
 * Router's executor, and the caller chose `auto` with the user as submitter.
 */
export function mayApproveInstead({ authorize: wish, user }: WithdrawalOrder, error: unknown): boolean {
  const refused =
    error instanceof AppError && (error.code === "not_allowed" || error.code === "share_locked");
  return refused && wish.way === "auto" && sameAddress(wish.submitter, user);
}

/**
 * Returns the signature payload with which the user lets the Router take the shares. `data` is the calldata of
 * `execute`. Throws a TypeError if the state for signatures was not read.
 */
export function planExitSignature(
  kind: AuthorizationKind,
  of: { order: WithdrawalOrder; facts: ExitFacts; data: Hex },
): PlannedAuthorization {
  const { order, data } = of;
  const { authorization: facts } = of.facts;
  if (facts === null) throw new TypeError("a signature was chosen without its facts");
  const { user: owner, vault, authorize } = order;
  const { submitter } = authorize;
  return planAuthorization({ kind, facts, owner, submitter, chainId: vault.chainId, data });
}

/** Adds the payload for a kind of signature to a prepared withdrawal. Throws the same errors as `planExitSignature`. */
export function signedWithdrawal(prepared: PreparedWithdrawal, kind: AuthorizationKind): PreparedWithdrawal {
  const { order, exit } = prepared;
  const { facts, call } = exit;
  return { ...prepared, authorization: planExitSignature(kind, { order, facts, data: call.data }) };
}
