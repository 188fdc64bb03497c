import type { Hex } from "viem";
import type { Context } from "../context.ts";
import type { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import {
  orderOf,
  type PlannedAuthorization,
  planAuthorization,
} from "../orders/authorization/planned-authorization.ts";
import { readWithFeeds } from "../prices/read-prices.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { decodeRouterError, failedTokenOf } from "../router/router-codec.ts";
import type { AuthorizationKind } from "../router/router-signature-messages.ts";
import type { Vault } from "../vaults/vault.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import type { ExitFacts } from "./exit-preflight.ts";
import type { PreparedWithdrawal } from "./prepared-withdrawal.ts";
import { exitsOf, type WithdrawalOrder } from "./withdrawal-order.ts";
import { explainFailedExit, findExitRefusal, type RequestedExit } from "./withdrawal-refusals.ts";

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
  const ways = facts.ways.filter((way) => way.mode === mode);
  // A signature is no reason to prefer the Router to a call that pays more.
  const routed = (canApprove(order) ? ways.slice(0, 1) : ways).some(({ via }) => via === "router");
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

/** Returns true if the caller leaves the choice between a signature and an approval, and the user sends the transaction. */
export const canApprove = ({ authorize: wish, user }: WithdrawalOrder): boolean =>
  wish.way === "auto" && sameAddress(wish.submitter, user);

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

/** A signed order whose first step redeems the shares of a vault. `slippage` is a fraction. */
export interface SignedExit {
  vault: Vault;
  planned: PlannedAuthorization;
  slippage: number;
}

/**
 * Returns the error that an unsigned build gives for a signed order that reverted with this data, if the redemption is
 * the reason: from the vault's conditions at the latest block, or else from the revert data. Null if another step, a
 * token other than the shares or the order's minimum failed, if only the signature was rejected, and if the vault does
 * not pay the order's token. Throws `mode_unsupported`, `chain_unsupported`; errors of the RPC nodes propagate.
 */
export async function explainSignedExit(
  ctx: Context,
  exit: SignedExit,
  revert: Hex,
): Promise<AppError | null> {
  const asked = failsAtExit(exit, revert) ? await readSignedExit(ctx, exit) : null;
  if (asked === null) return null;
  const refusal = findExitRefusal(asked);
  if (refusal !== null) return refusal;
  const failed = decodeRouterError(revert)?.name;
  if (failed === "AuthorizationFailed") return null;
  const error = explainFailedExit(asked, revert);
  // A permit that the token rejects shows only when the shares cannot be taken.
  const unpermitted = failed === "TokenFailed" && exit.planned.kind === "permit";
  return unpermitted && error.code === "would_revert" ? null : error;
}

/** Returns true if revert data of the Router shows that an order failed at its redemption or before it. */
function failsAtExit({ planned }: SignedExit, revert: Hex): boolean {
  const error = decodeRouterError(revert);
  switch (error?.name) {
    case "AuthorizationFailed":
    case "StepUnderfunded":
      return true;
    case "StepFailed":
      return error.args[0] === 0n;
    case "TokenFailed":
      return sameAddress(failedTokenOf(revert) ?? "", orderOf(planned).order.tokenIn);
    default:
      return false;
  }
}

/** Reads the vault's conditions for the redemption of a signed order, or returns null if it does not pay its token. */
async function readSignedExit(
  ctx: Context,
  { vault, planned, slippage }: SignedExit,
): Promise<(RequestedExit & { facts: Pick<ExitFacts, "block"> }) | null> {
  const { order, steps, sweep } = orderOf(planned);
  const exits = exitsOf(vault);
  // What is swapped, bridged or deposited is what the second step needs, and what is unwrapped is swept.
  const [, onward] = steps;
  const needed = onward !== undefined && onward.needAmount > 0n ? onward.needToken : sweep[0];
  const paid = needed ?? order.tokenOut;
  const token = exits.tokens(vault, "instant").find(({ address }) => sameAddress(address, paid));
  if (token === undefined) return null;
  const shares = order.minIn;
  const asked = {
    mode: "instant",
    token,
    shares,
    owner: planned.owner,
    caller: null,
    receiver: null,
  } as const;
  const { value: terms, block } = await readWithFeeds(ctx, {
    ...{ chainId: planned.chainId, tokens: [token.address] },
    query: (now) => exits.terms(vault, { ...asked, slippage, now }),
  });
  const pays = onward === undefined || onward.needAmount === 0n;
  const way = { mode: "instant", terms, pays } as const;
  return { order: { vault, slippage }, way, shares, facts: { block } };
}
