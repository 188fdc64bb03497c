import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { AppError, failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import { fractionToParts, smaller } from "../lib/amount.ts";
import { exactFloor } from "../orders/order-floors.ts";
import { type ProviderStepPlan, providerStep } from "../orders/order-provider-step.ts";
import type { RouteAttempt } from "../orders/order-route-attempts.ts";
import { assertFair, type RouteOrder } from "../orders/order-route-fairness.ts";
import type { FoundRoute } from "../orders/order-route-search.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import { balanceOfRead, simulatedHead, simulatePayment } from "../orders/simulate-order-payment.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import { isProviderFailure } from "../providers/provider-failures.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import {
  decodeRouterError,
  encodeRouterCall,
  foreignReason,
  type RouterCall,
  routerBridgeOutput,
} from "../router/router-codec.ts";
import type { Token } from "../vaults/vault.ts";
import { explainCommonRevert } from "../vaults/vault-reverts.ts";
import { asOnwardError, prepareMode } from "./choose-exit.ts";
import { type Exit, redeemStep, shareOrder } from "./exit-calldata.ts";
import type { ExitFacts, ExitWay } from "./exit-preflight.ts";
import {
  buildOffer,
  findTransfer,
  onwardAmount,
  requestedToken,
  simulateUserTransfer,
  toRouteOrder,
} from "./find-exit-transfer-route.ts";
import { type PreparedExit, receivedIn, sharePayment, toExpectedWithdrawal } from "./prepare-exit.ts";
import type { PreparedWithdrawal, RoutedExit } from "./prepared-withdrawal.ts";
import { checkLaterRoute } from "./requests/check-later-route.ts";
import { verifyApprovals } from "./verify-withdrawal-approvals.ts";
import { verifyRoutedExit } from "./verify-withdrawal-transfer.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";
import { explainFailedExit, paysLess } from "./withdrawal-refusals.ts";

/** A withdrawal in one mode. `oneStep` is true if a second transaction is not wanted. */
type Onward = { order: WithdrawalOrder; facts: ExitFacts; mode: ExitWay["mode"]; oneStep?: boolean };
type Exiting = Onward & { exiting: Promise<PreparedExit> };
type RoutedFigures = Omit<RoutedExit, "token" | "reasons" | "warnings">;
/**
 * Result of a route search. `routed`: one Router transaction does everything. `two_step`: the user swaps or bridges in
 * a second transaction.
 */
type FoundOnward =
  | { kind: "routed"; exit: RoutedFigures }
  | { kind: "two_step"; exit: PreparedExit; route: VerifiedTransfer };

/**
 * Prepares a withdrawal whose payment must be swapped or bridged: in one Router transaction if possible, otherwise in
 * two steps, unless `oneStep` excludes them. If the redemption itself fails, its error is thrown; an error of the way that
 * its payment takes is one of `asOnwardError`.
 */
export async function prepareOnward(ctx: Context, of: Onward): Promise<PreparedWithdrawal> {
  const { order, mode } = of;
  const exiting = prepareMode(ctx, of);
  exiting.catch(() => undefined);
  // The vault's own refusal says more than what stands in the way of its payment.
  const vaultFirst = async (error: unknown): Promise<never> => {
    await exiting;
    throw isOfWay(error) ? asOnwardError(error) : error;
  };
  if (mode !== "instant") {
    const refusal = exiting.then(() => new Promise<never>(() => undefined));
    const warnings = await Promise.race([checkLaterRoute(ctx, of).catch(vaultFirst), refusal]);
    const made = await exiting;
    const exit = { ...made.exit, warnings: [...made.exit.warnings, ...warnings] };
    return { kind: "two_step", order, exit: { ...made, exit }, transfer: null };
  }
  const { built, ...about } = await findOnward(ctx, { ...of, exiting }).catch(vaultFirst);
  if (built.kind === "routed") return { kind: "routed", order, exit: { ...built.exit, ...about } };
  return { kind: "two_step", order, exit: built.exit, transfer: { route: built.route, ...about } };
}

/** Returns true for errors of a provider, of its route, or of the requested token or the amount that is left for it. */
const isOfWay = (error: unknown): boolean =>
  error instanceof AppError &&
  (isProviderFailure(error) || error.code === "token_unsupported" || error.code === "below_minimum");

/** Ends a search for a route of more than the vault pays (`paid`, in the paid token's smallest unit). */
class PlannedTooMuch extends Error {
  readonly paid: bigint;

  constructor(paid: bigint) {
    super("the vault pays less than its preview");
    this.paid = paid;
  }
}

/**
 * Finds a route for the vault's payment. The search does not wait for the simulation of the redemption, so it starts
 * again if that shows that the vault pays less than was planned.
 */
async function findOnward(
  ctx: Context,
  of: Exiting,
): Promise<Pick<FoundRoute<FoundOnward>, "built" | "reasons" | "warnings"> & { token: Token }> {
  const { order, exiting, oneStep = false } = of;
  const { routing, token } = await planTransfer(ctx, of);
  let refusal: unknown = null;
  exiting.catch((error: unknown) => {
    refusal = error;
  });
  const isFinal = (error: unknown): boolean =>
    error instanceof PlannedTooMuch || (refusal !== null && error === refusal);
  const search = async (planned: RouteOrder) => {
    const build = async (scope: Context, attempt: RouteAttempt): Promise<FoundOnward> => {
      const exit = await exiting;
      if (exit.assets !== null && exit.assets < planned.from.amount) throw new PlannedTooMuch(exit.assets);
      return buildOnward(scope, { order, exit, routing: planned, attempt, oneStep });
    };
    const { built, reasons, warnings } = await findTransfer(ctx, { order: planned, token, build, isFinal });
    return { built, reasons, warnings, token };
  };
  const short = exiting.then(({ assets }) => {
    if (assets !== null && assets < routing.from.amount) throw new PlannedTooMuch(assets);
    return new Promise<never>(() => undefined);
  });
  try {
    return await Promise.race([search(routing), short]);
  } catch (error) {
    if (!(error instanceof PlannedTooMuch)) throw error;
    return search({ ...routing, from: { ...routing.from, amount: onwardAmount(error.paid) } });
  }
}

/**
 * Plans the transfer of the vault's expected payment into the requested token. Throws `price_unsafe` if the payment is
 * unknown, and errors of `onwardAmount`, `requestedToken` and `exiting`.
 */
async function planTransfer(
  ctx: Context,
  { order, facts, mode, exiting }: Exiting,
): Promise<{ routing: RouteOrder; token: Token }> {
  const way = facts.ways.find((one) => one.mode === mode);
  const [token, expected] = await Promise.all([
    requestedToken(ctx, order.to),
    way?.terms.previewAssets ?? exiting.then(({ assets }) => assets),
  ]);
  if (way === undefined || expected === null)
    throw failure("price_unsafe", "the vault does not report the amount that it pays", { subject: "vault" });
  return {
    routing: toRouteOrder(order, { token: way.token.address, amount: onwardAmount(expected) }),
    token,
  };
}

async function buildOnward(
  ctx: Context,
  of: {
    order: WithdrawalOrder;
    exit: PreparedExit;
    routing: RouteOrder;
    attempt: RouteAttempt;
    oneStep: boolean;
  },
): Promise<FoundOnward> {
  const { order, exit, routing, attempt, oneStep } = of;
  const byRouter = exit.exit.way.via === "router";
  // The Router cannot take a native fee in an order that pays out native currency on its chain, nor in a signed order.
  const paysNative = isNative(order.to.token) && order.to.chainId === order.vault.chainId;
  const feeless = paysNative || order.signed;
  if (oneStep && byRouter && feeless && attempt.option.nativeFee > 0n) throw noStep();
  const route = await buildOffer(ctx, { order: routing, attempt });
  const { asStep } = route;
  const fee = feeless ? route.transaction.value : 0n;
  if (!byRouter || asStep === undefined || fee !== 0n) {
    if (byRouter && oneStep) throw noStep();
    const sent = await simulateUserTransfer(ctx, { order: routing, attempt, route });
    return { kind: "two_step", exit, route: sent.route };
  }
  return {
    kind: "routed",
    exit: await buildRouted(ctx, {
      order,
      exit,
      attempt,
      plan: { route, asStep, amount: routing.from.amount },
    }),
  };
}

const NO_STEP = "no bridge takes the vault's payment in the same transaction: withdraw first, then deposit";
const noStep = (): AppError =>
  failure("no_route", NO_STEP, { reasons: [{ code: "delivery_unsupported", detail: NO_STEP }] });

/** A provider's transaction that moves the vault's payment as a step of a Router order. */
type StepPlan = ProviderStepPlan & { route: VerifiedTransfer };

/**
 * Returns the Router order that redeems shares and swaps or bridges the payment. `minOut` is a swap's minimum output,
 * in the smallest unit of `to.token`; an order for a bridge has none.
 */
export function toRoutedOrder(exit: Exit, of: { plan: StepPlan; minOut: bigint }): RouterCall {
  const { plan, minOut } = of;
  const bridged = plan.asStep.receiverOffset === null;
  return {
    order: {
      ...shareOrder(exit),
      nativeFee: plan.route.transaction.value,
      tokenOut: bridged ? routerBridgeOutput : exit.order.to.token,
      // What arrives on another chain cannot be measured here: the bridge must take at least the amount.
      minOut: bridged ? 0n : minOut,
      minOutPerIn: 0n,
    },
    steps: [redeemStep(exit), providerStep(exit.way.token.address, plan)],
    sweep: plan.asStep.leftovers,
  };
}

/**
 * Encodes the order that redeems and swaps or bridges, and verifies it against the request. Errors of
 * `verifyRoutedExit` propagate.
 */
function encodeRouted(
  exit: Exit,
  of: { plan: StepPlan; minOut: bigint; facts: ExitFacts; paid: bigint },
): UserCall {
  const { order, way } = exit;
  const built = toRoutedOrder(exit, of);
  const data = encodeRouterCall(built);
  const call = { target: depositRouterAddress, value: built.order.nativeFee, data };
  const asked = toExpectedWithdrawal({ order, facts: of.facts, way }, of.minOut);
  verifyRoutedExit({ ...asked, quote: of.plan.route, paid: of.paid }, call);
  return call;
}

type Routed = { order: WithdrawalOrder; exit: PreparedExit; attempt: RouteAttempt; plan: StepPlan };

/**
 * Encodes, verifies and simulates a redemption with a swap or bridge as one order. Errors of `verifyRoutedExit` and of
 * the simulation propagate.
 */
async function buildRouted(ctx: Context, of: Routed): Promise<RoutedFigures> {
  const { order, exit: prepared, attempt, plan } = of;
  const { facts } = prepared;
  const { route, amount } = plan;
  const exit: Exit = { ...prepared.exit, minAssets: amount };
  const bridged = plan.asStep.receiverOffset === null;
  const paid = smaller(exit.way.terms.previewAssets, prepared.assets) ?? amount;
  const call = encodeRouted(exit, { plan, minOut: route.toAmountMin, facts, paid });
  const watched = bridged || isNative(order.to.token) ? [] : [balanceOfRead(order.to.token, order.user)];
  const payment = sharePayment({ order, facts, way: exit.way });
  const made = await simulatePayment(ctx, { payment, call, reads: watched });
  if (!made.ok) throw explainRouted(exit, made.revert);
  const { spender } = exit.way;
  verifyApprovals(made.calls, { token: order.vault.shareToken, spender, amount: exit.shares });
  const seen = bridged ? null : receivedIn(made.simulation, { index: 0, routed: true });
  if (!bridged && seen === null)
    throw failure("simulation_unavailable", "the output of the swap could not be read in the simulation");
  const floor =
    seen === null
      ? route.toAmountMin
      : largest(exactFloor(seen, fractionToParts(order.slippage)).minOut, route.toAmountMin);
  const final = floor === route.toAmountMin ? call : encodeRouted(exit, { plan, minOut: floor, facts, paid });
  const output = seen === null ? null : { seen, floor };
  assertFair(await attempt.offer(route.nativeFee), {
    built: route,
    simulated: { delivered: seen, output },
    minIn: null,
  });
  const gas = { gasUsed: made.gasUsed, blockNumber: simulatedHead(made.simulation, facts.block) };
  return {
    ...{ route, exit, facts, call: final },
    assets: prepared.assets ?? amount,
    minAssets: amount,
    toAmount: seen ?? route.toAmount,
    toAmountMin: floor,
    source: made,
    simulated: { calls: [...made.calls.slice(0, -1), final], approved: exit.shares, ...gas, received: seen },
  };
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/**
 * Returns the error for a reverted simulation of an order that redeems and swaps or bridges: that of the vault if the
 * redemption failed, otherwise that of the swap or bridge.
 */
function explainRouted(exit: Exit, revert: Hex): AppError {
  const asked = { order: exit.order, way: exit.way, shares: exit.shares };
  const error = decodeRouterError(revert);
  if (error?.name === "StepUnderfunded") return paysLess(asked);
  if (error?.name === "OutputBelowMinimum")
    return failure("price_unsafe", "the swap would deliver less than its provider promises", {
      subject: "route",
    });
  const ofTransfer = error?.name === "StepFailed" && error.args[0] !== 0n;
  if (!ofTransfer) return explainFailedExit(asked, revert);
  const { text } = explainCommonRevert(foreignReason(revert) ?? "0x");
  return failure("would_revert", "the transfer would revert on its source chain", { revert: text });
}
