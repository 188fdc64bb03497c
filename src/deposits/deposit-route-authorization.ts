import type { Context } from "../context.ts";
import { AppError, failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { chooseAuthorization } from "../orders/authorization/choose-authorization.ts";
import {
  type PlannedAuthorization,
  planAuthorization,
} from "../orders/authorization/planned-authorization.ts";
import { encodeRouterTransfer, isRouterTransfer } from "../orders/order-router-transfer.ts";
import { simulatePayment } from "../orders/simulate-order-payment.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { isRouterDeployed } from "../vaults/vault-deposit-entry.ts";
import type { DepositOrder } from "./deposit-intent.ts";
import { type BuiltRoute, type DepositAttempt, toRouterTransfer } from "./prepared-deposit.ts";

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
 * Returns true if the provider's transaction calls the Router itself, in which case it cannot be a step of a Router
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
 * returns the route unchanged; with `auto` and the user as submitter, that includes a route whose order would revert.
 * Throws an AppError if a signature is required and cannot pay.
 */
export async function signRoute(
  ctx: Context,
  { attempt, built }: { attempt: DepositAttempt; built: BuiltRoute },
): Promise<SignedRoute> {
  const { order, funds } = attempt;
  const { authorize: wish, user: owner, from } = order;
  const { payment, route } = built;
  const { asStep } = route;
  const movable = asStep !== undefined && route.transaction.value === 0n && !callsRouter(attempt);
  if (!movable && needsSignature(order)) throw unsignable();
  const asked = movable ? funds.authorization : null;
  const facts = asked !== null && (await isRouterDeployed(ctx, from.chainId)) ? asked : null;
  const { amount, allowance } = payment;
  const kind = chooseAuthorization({ wish, owner, amount, allowance, facts });
  if (kind === null || facts === null || asStep === undefined) return { ...built, authorization: null };
  // Some routes were built and simulated as a Router order already.
  const ready = isRouterTransfer(route);
  const { data } = ready
    ? route.transaction
    : { data: encodeRouterTransfer(toRouterTransfer(attempt), { route, asStep }) };
  const routerPayment = {
    ...payment,
    spender: depositRouterAddress,
    allowance: funds.allowances.get(depositRouterAddress.toLowerCase()) ?? null,
  };
  const call = { target: depositRouterAddress, value: 0n, data };
  const source = ready
    ? built.source
    : await simulatePayment(ctx, { payment: routerPayment, call, reads: [] });
  // The user's own transaction did not: opaque parts may pay the user whatever the receiver's word says.
  if (!source.ok) {
    if (needsSignature(order)) throw unsignable();
    return { ...built, authorization: null };
  }
  const { submitter } = wish;
  const authorization = planAuthorization({
    ...{ kind, facts, owner, submitter, data },
    chainId: from.chainId,
  });
  return { ...built, source, authorization };
}
