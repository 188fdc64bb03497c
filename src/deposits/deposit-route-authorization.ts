import type { Context } from "../context.ts";
import { AppError, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import {
  type PlannedAuthorization,
  planAuthorization,
} from "../orders/authorization/planned-authorization.ts";
import { orderDeadline } from "../orders/order-floors.ts";
import { simulatePayment } from "../orders/simulate-order-payment.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  callOnlyStep,
  encodeRouterCall,
  type RouterCall,
  routerBridgeOutput,
} from "../router/router-codec.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";
import type { DepositOrder } from "./deposit-intent.ts";
import type { BuiltRoute, DepositAttempt } from "./prepared-deposit.ts";

/**
 * A built route, and the signature payload that pays for it; null if an approval does. With a signature, `source` is
 * the simulation of the Router order.
 */
export interface SignedRoute extends BuiltRoute {
  authorization: PlannedAuthorization | null;
}

/**
 * Returns true if the order must be paid with a signature. An order with `auto` may fall back to an approval if its
 * user also submits it.
 */
const needsSignature = ({ authorize: wish, user }: DepositOrder): boolean =>
  wish.way !== "approve" && (wish.way !== "auto" || !sameAddress(wish.submitter, user));

/**
 * Returns true if the route's transaction already calls the Router, in which case it cannot be a step of a Router
 * order.
 */
const callsRouter = ({ order, ends }: Pick<DepositAttempt, "order" | "ends">): boolean =>
  order.from.chainId === order.vault.chainId && ends === "one_step";

/**
 * Throws `no_route` with the reason `authorization_unsupported` if the order needs a signature but this attempt's
 * transaction calls the Router itself. Call it before the attempt is built.
 */
export function assertSignable(attempt: DepositAttempt): void {
  if (needsSignature(attempt.order) && callsRouter(attempt)) throw unsignable();
}

/**
 * Converts a `no_route` error of a route search to `authorization_unsupported` if one of its reasons is that a
 * signature cannot pay for the route. Any other error is returned unchanged.
 */
export function toSigningFailure(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== "no_route") return error;
  const { reasons } = error.members;
  const refused = Array.isArray(reasons) && reasons.some(({ code }) => code === "authorization_unsupported");
  return refused ? failure("authorization_unsupported", NOT_SIGNABLE) : error;
}

const NOT_SIGNABLE =
  "no route to this vault can be paid for with a signature: build with `authorize` approve";

function unsignable(): AppError {
  const detail = "this route depends on the sending account, so a signature cannot pay for it";
  return failure("no_route", detail, { reasons: [{ code: "authorization_unsupported", detail }] });
}

/**
 * Wraps a built route into a Router order that a signature pays for, and simulates the order. If an approval pays,
 * returns the route unchanged. Throws an AppError if a signature is required and cannot pay, or if the order would
 * revert.
 */
export async function signRoute(
  ctx: Context,
  { attempt, built }: { attempt: DepositAttempt; built: BuiltRoute },
): Promise<SignedRoute> {
  const { order, funds } = attempt;
  const { authorize: wish, user: owner, from } = order;
  const { payment, route } = built;
  const movable = route.asStep !== undefined && route.transaction.value === 0n && !callsRouter(attempt);
  if (!movable && needsSignature(order)) throw unsignable();
  const asked = movable ? funds.authorization : null;
  const facts = asked !== null && (await isRouterDeployed(ctx, from.chainId)) ? asked : null;
  const { amount, allowance } = payment;
  const kind = chooseAuthorization({ wish, owner, amount, allowance, facts });
  if (kind === null || facts === null) return { ...built, authorization: null };
  const data = encodeRouterCall(toRouteOrder(attempt, built));
  const source = await simulatePayment(ctx, {
    payment: {
      ...payment,
      spender: depositRouterAddress,
      allowance: funds.allowances.get(depositRouterAddress.toLowerCase()) ?? null,
    },
    call: { target: depositRouterAddress, value: 0n, data },
    reads: [],
  });
  if (!source.ok)
    throw failure("would_revert", "the transfer would revert in an order of the Router", { revert: null });
  const { submitter } = wish;
  const authorization = planAuthorization({
    ...{ kind, facts, owner, submitter, data },
    chainId: from.chainId,
  });
  return { ...built, source, authorization };
}

/**
 * Returns the Router order whose only step sends a provider's transaction with the whole amount: into a bridge, or into
 * a swap whose guaranteed output the order enforces.
 */
function toRouteOrder(
  { order, funds, token: target }: DepositAttempt,
  { payment, route }: BuiltRoute,
): RouterCall {
  const swaps = order.from.chainId === order.vault.chainId;
  const { token, amount } = payment;
  const { to, data } = route.transaction;
  return {
    order: {
      tokenIn: token,
      amountIn: amount,
      minIn: amount,
      nativeFee: 0n,
      tokenOut: swaps ? target.address : routerBridgeOutput,
      receiver: order.user,
      minOut: swaps ? route.toAmountMin : 0n,
      minOutPerIn: 0n,
      deadline: orderDeadline(funds.block.timestamp),
      direct: swaps,
      refundTo: order.user,
      ref: order.ref,
      partnerId: order.partnerHash,
      partnerType: order.partnerType,
    },
    steps: [
      {
        ...callOnlyStep({ target: to, value: 0n, data }),
        approveToken: token,
        spender: payment.spender,
        needToken: token,
        needAmount: amount,
      },
    ],
    sweep: [],
  };
}
