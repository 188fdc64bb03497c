import type { Address, Hex } from "viem";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { fractionToParts, MAX_UINT256, mulDivDown } from "../lib/amount.ts";
import { DAY_S } from "../lib/durations.ts";
import { mintEffect } from "../orders/order-expected-effect.ts";
import {
  type DeliveredFloors,
  deliveredFloors,
  exactFloor,
  type LossSplit,
  leastOutput,
} from "../orders/order-floors.ts";
import { assertFair, type Offer, planLoss } from "../orders/order-route-fairness.ts";
import {
  balanceOfRead,
  simulatedHead,
  simulatePayment,
  simulateProviderTransaction,
} from "../orders/simulate-order-payment.ts";
import type { DestinationCall, VerifiedTransfer } from "../providers/provider.ts";
import { encodeRouterCall } from "../router/router-codec.ts";
import { type DepositFloors, toRouterCall, verifyRouterCall } from "./deposit-calldata.ts";
import type { DepositIntent } from "./deposit-intent.ts";
import { explainDepositRevert, type Preflight, preflightDeposit } from "./deposit-preflight.ts";
import {
  type BuiltRoute,
  type DepositAttempt,
  type RoutedEnd,
  type SimulatedDelivery,
  toPayment,
  toTransferBuildRequest,
} from "./prepared-deposit.ts";

/** The Router deposit that a provider's transfer makes with the delivered token. */
interface DestinationDeposit {
  /** The deposit for the expected amount. */
  intent: DepositIntent;
  checked: Preflight;
  /** Maximum losses of the transfer and of the vault deposit, in parts per billion. */
  loss: LossSplit;
  floors: RouterFloors;
  call: DestinationCall;
}

type RouterFloors = DepositFloors & { minShares: bigint };

/** Maximum time until a bridge delivers, in seconds. Across relayers have up to a day. */
const MAX_DELIVERY_S = DAY_S;
/** Gas limit of the destination call that the bridge makes: several times the gas of a deposit through the Router. */
const DELIVERY_GAS_LIMIT = 1_000_000n;

/**
 * Checks the vault and the offer, and encodes the Router call that deposits whatever amount is delivered. Throws
 * `no_route` if the Router cannot enforce the floors; errors of `preflightDeposit` and `planLoss` propagate.
 */
async function planDestinationDeposit(ctx: Context, attempt: DepositAttempt): Promise<DestinationDeposit> {
  const { token, option } = attempt;
  // The bridge pays, so no signature of the user does.
  const { authorize: _, ...order } = attempt.order;
  const intent: DepositIntent = { ...order, token, amount: option.toAmount };
  const checked = await preflightDeposit(ctx, { intent, amount: option.toAmount });
  const loss = planLoss(await attempt.offer());
  const deadline = BigInt(checked.block.timestamp + MAX_DELIVERY_S);
  const asked = { expected: option.toAmount, seen: checked.previewShares, loss };
  const enforced = deliveredFloors(asked);
  if (enforced === null) throw unenforceable();
  const onOneChain = order.from.chainId === order.vault.chainId;
  const floors = onOneChain ? toExactFloors(enforced, deadline) : toUnitFloors(enforced, deadline);
  const data = encodeDestination(intent, floors);
  const call = { target: order.entry.address, data, minIn: floors.minIn, gasLimit: DELIVERY_GAS_LIMIT };
  return { intent, checked, loss, floors, call };
}

/**
 * Returns the floors for a delivery in the source transaction. The minimum shares are those required for `minIn`.
 */
const toExactFloors = ({ minIn, least }: DeliveredFloors, deadline: bigint): RouterFloors => ({
  minIn,
  minShares: least,
  deadline,
});

/** Returns the floors for a delivery by a bridge: minimum shares per delivered unit and, if needed, in total. */
function toUnitFloors(
  { minIn, minOut, minOutPerIn, least }: DeliveredFloors,
  deadline: bigint,
): RouterFloors {
  return { minIn, minShares: least, perUnit: { minOut, minOutPerIn }, deadline };
}

function unenforceable(): AppError {
  const detail = "the vault's shares are too few per unit to enforce a minimum";
  return failure("no_route", detail, { reasons: [{ code: "destination_call_failed", detail }] });
}

/** Encodes and verifies the Router call that deposits the delivered amount, whatever its size. */
function encodeDestination(intent: DepositIntent, floors: RouterFloors): Hex {
  const meant = toRouterCall(intent, floors);
  const expected = { ...meant, order: { ...meant.order, amountIn: MAX_UINT256 } };
  const data = encodeRouterCall(expected);
  verifyRouterCall(intent, { data, expected });
  return data;
}

/**
 * Raises the minimum shares of the destination call to the simulated shares less the slippage, if that is more. Throws
 * `upstream_rejected` if the provider's calldata does not contain the call exactly once.
 */
function withFloorOf(
  { destination, route, attempt }: OneStepParts,
  seen: bigint,
): { route: VerifiedTransfer; floors: RouterFloors } {
  const { floors, intent, call } = destination;
  const raised = raisedFloors(destination, {
    seen,
    expected: route.toAmount,
    slippage: fractionToParts(attempt.order.slippage),
  });
  if (floors.minShares >= raised.minShares) return { route, floors };
  const [before, after, ...more] = route.transaction.data.split(call.data.slice(2));
  if (before === undefined || after === undefined || more.length > 0)
    throw failure("upstream_rejected", "the provider's transaction does not contain the deposit once");
  const data: Hex = `0x${before.slice(2)}${encodeDestination(intent, raised).slice(2)}${after}`;
  return { route: { ...route, transaction: { ...route.transaction, data } }, floors: raised };
}

function raisedFloors(
  { floors, loss }: DestinationDeposit,
  simulated: { seen: bigint; expected: bigint; slippage: bigint },
): RouterFloors {
  const { seen, expected, slippage } = simulated;
  if (floors.perUnit === undefined) return { ...floors, minShares: exactFloor(seen, slippage).minOut };
  const enforced = deliveredFloors({ expected, seen, loss, minIn: floors.minIn });
  return enforced === null ? floors : toUnitFloors(enforced, floors.deadline);
}

/**
 * Allowance that the simulation assumes for the bridge's executor, in the token's smallest unit. It stands for a
 * remainder of an earlier call, which tokens like USDT must first reset to zero.
 */
const STANDING_ALLOWANCE = 1n;

/**
 * Simulates the destination call, made by the bridge's executor with `amount` of the delivered token. Throws the error
 * of `explainDepositRevert`, or `no_route` if it needs more gas than the bridge provides.
 */
async function simulateDelivery(
  ctx: Context,
  input: { destination: DestinationDeposit; executor: Address; amount: bigint },
): Promise<SimulatedDelivery> {
  const { destination, executor, amount } = input;
  const { intent, checked, call } = destination;
  const payment = {
    client: intent.client,
    payer: executor,
    token: intent.token.address,
    amount,
    spender: call.target,
    balance: null,
    allowance: STANDING_ALLOWANCE,
    block: checked.block,
  };
  const effect = mintEffect(intent);
  const made = await simulatePayment(ctx, {
    payment,
    call: { target: call.target, value: 0n, data: call.data },
    reads: effect.reads,
  });
  if (!made.ok) throw explainDepositRevert({ intent, amount, terms: checked.terms }, made);
  if (made.gasUsed > call.gasLimit) {
    const detail = "the deposit needs more gas than the bridge provides";
    throw failure("no_route", detail, { reasons: [{ code: "destination_call_failed", detail }] });
  }
  const shares = effect.interpret(made.simulation) ?? 0n;
  return { shares, gasUsed: made.gasUsed, blockNumber: simulatedHead(made.simulation, checked.block) };
}

/**
 * Builds and simulates a one-step deposit, in which the provider calls the Router with what it delivers. Throws an
 * AppError if the route, the vault or a simulation refuses it; errors of the provider propagate.
 */
export async function buildOneStep(ctx: Context, attempt: DepositAttempt): Promise<BuiltRoute> {
  const destination = await planDestinationDeposit(ctx, attempt);
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const request = {
    ...toTransferBuildRequest(attempt, destination.loss.transfer),
    call: destination.call,
  };
  const route = await attempt.provider.build(scope, request);
  const offer = await attempt.offer(route.nativeFee);
  assertFair(offer, { built: route, simulated: null, minIn: destination.floors.minIn });
  const { order } = attempt;
  const parts = { destination, route, attempt, offer };
  return order.from.chainId === order.vault.chainId ? onOneChain(ctx, parts) : acrossChains(ctx, parts);
}

interface OneStepParts {
  attempt: DepositAttempt;
  destination: DestinationDeposit;
  route: VerifiedTransfer;
  offer: Offer;
}

/** Simulates a one-step deposit that stays on the vault's chain, where one transaction both swaps and deposits. */
async function onOneChain(ctx: Context, parts: OneStepParts): Promise<BuiltRoute> {
  const { attempt, destination, offer } = parts;
  const payment = toPayment(attempt, parts.route);
  const { vault, user } = attempt.order;
  const watch = balanceOfRead(vault.shareToken, user);
  const { source, gained } = await simulateProviderTransaction(ctx, { payment, route: parts.route, watch });
  if (gained === null) throw failure("simulation_unavailable", "the share balance could not be read");
  const { checked } = destination;
  if (gained < destination.floors.minShares) {
    throw failure("upstream_rejected", "the provider's transaction does not make the deposit");
  }
  const { route, floors } = withFloorOf(parts, gained);
  // What the swap delivered, by the shares that the vault promises for the expected amount.
  const delivered = mulDivDown(attempt.option.toAmount, gained, checked.previewShares);
  assertFair(offer, {
    built: route,
    simulated: { delivered, output: { seen: gained, floor: floors.minShares } },
    minIn: floors.minIn,
  });
  const end: RoutedEnd = { kind: "one_step", checked, floors, shares: gained, delivery: null };
  return { route, payment, source: withCalldata(source, route), end };
}

async function acrossChains(ctx: Context, parts: OneStepParts): Promise<BuiltRoute> {
  const { attempt, destination, offer } = parts;
  const payment = toPayment(attempt, parts.route);
  const { executor, toAmount, toAmountMin } = parts.route;
  if (executor === null) throw failure("upstream_rejected", "the provider does not make the deposit");
  const deliver = (amount: bigint) => simulateDelivery(ctx, { destination, executor, amount });
  const [{ source }, delivery, expected] = await Promise.all([
    simulateProviderTransaction(ctx, { payment, route: parts.route, watch: null }),
    deliver(toAmountMin),
    toAmount === toAmountMin ? null : deliver(toAmount),
  ]);
  const { shares } = expected ?? delivery;
  const { route, floors } = withFloorOf(parts, shares);
  const output = { seen: shares, floor: floors.minShares };
  assertFair(offer, { built: route, simulated: { delivered: null, output }, minIn: floors.minIn });
  if (
    delivery.shares <
    leastOutput(floors.perUnit ?? { minOut: floors.minShares, minOutPerIn: 0n }, toAmountMin)
  )
    throw failure("upstream_rejected", "the guaranteed delivery is too low for the minimum shares");
  const { checked } = destination;
  const end: RoutedEnd = { kind: "one_step", checked, floors, shares, delivery };
  return { route, payment, source: withCalldata(source, route), end };
}

/** Replaces the calldata of the user's last call after one of its floors was raised. */
function withCalldata(source: BuiltRoute["source"], { transaction }: VerifiedTransfer): BuiltRoute["source"] {
  const last = source.calls.length - 1;
  const calls = source.calls.map((call, at) => (at === last ? { ...call, data: transaction.data } : call));
  return { ...source, calls };
}
