import type { Address } from "viem";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import { deductParts, fractionToParts, MAX_UINT256 } from "../../lib/amount.ts";
import { DAY_S } from "../../lib/durations.ts";
import { mintEffect } from "../../orders/deposit-effect.ts";
import { allowedLoss, minimumShares } from "../../orders/order-slippage.ts";
import {
  balanceOfRead,
  simulatedHead,
  simulatePayment,
  simulateProviderTransaction,
} from "../../orders/simulate-payment.ts";
import type { DestinationCall, TransferQuote, VerifiedTransfer } from "../../providers/provider.ts";
import { encodeRouterCall } from "../../router/router-codec.ts";
import type { Token } from "../../vaults/vault.ts";
import { type DepositFloors, toRouterCall, verifyRouterCall } from "./deposit-calldata.ts";
import type { DepositIntent, DepositOrder } from "./deposit-order.ts";
import { explainDepositRevert, type Preflight, preflightDeposit } from "./deposit-preflight.ts";
import {
  type BuiltRoute,
  type RouteAttempt,
  type RoutedEnd,
  type SimulatedDelivery,
  toPayment,
  toTransferBuildRequest,
} from "./prepared-deposit.ts";

/** The Router deposit that a bridge makes with the delivered token, with the preflight that it was planned from. */
interface DestinationDeposit {
  /** The deposit intent for the expected amount. */
  intent: DepositIntent;
  checked: Preflight;
  floors: DepositFloors & { minShares: bigint };
  call: DestinationCall;
}

/** Maximum time until a bridge delivers, in seconds. Across relayers have up to a day. */
const MAX_DELIVERY_S = DAY_S;
/** Gas limit of the destination call that the bridge makes: several times the gas of a deposit through the Router. */
const DELIVERY_GAS_LIMIT = 1_000_000n;

/**
 * Checks the vault for the expected amount and encodes a Router call that deposits the amount that is actually
 * delivered. The minimum input is the guaranteed amount minus the slippage; the minimum shares are the previewed shares
 * minus the slippage. Errors of `preflightDeposit` propagate.
 */
async function planDestinationDeposit(
  ctx: Context,
  input: { order: DepositOrder; token: Token; option: TransferQuote },
): Promise<DestinationDeposit> {
  const { order, token, option } = input;
  const intent: DepositIntent = { ...order, token, amount: option.toAmount };
  const checked = await preflightDeposit(ctx, { intent, amount: option.toAmount });
  const least = deductParts(option.toAmountMin, fractionToParts(order.slippage));
  const floors = {
    minIn: least > 0n ? least : 1n,
    minShares: minimumShares(checked.previewShares, allowedLoss(order.slippage, true)),
    deadline: BigInt(checked.block.timestamp + MAX_DELIVERY_S),
  };
  const meant = toRouterCall(intent, floors);
  const expected = { ...meant, order: { ...meant.order, amountIn: MAX_UINT256 } };
  const data = encodeRouterCall(expected);
  verifyRouterCall(intent, { data, expected });
  const call = { target: order.entry.address, data, minIn: floors.minIn, gasLimit: DELIVERY_GAS_LIMIT };
  return { intent, checked, floors, call };
}

/**
 * Allowance of the bridge's executor that the simulation assumes: one unit left over from an earlier call, because
 * tokens like USDT then require a reset.
 */
const STANDING_ALLOWANCE = 1n;

/**
 * Simulates the destination call, made by the bridge's executor with `amount` of the delivered token. Throws the error
 * that explains a revert, `no_route` if the call needs more gas than the bridge provides, and `simulation_unavailable`.
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
  if (!made.ok)
    throw explainDepositRevert({ intent, amount: intent.amount, terms: checked.terms }, made.revert);
  if (made.gasUsed > call.gasLimit) {
    const detail = "the deposit needs more gas than the bridge provides";
    throw failure("no_route", detail, { reasons: [{ code: "destination_call_failed", detail }] });
  }
  const shares = effect.judge(made.simulation) ?? 0n;
  return { shares, gasUsed: made.gasUsed, blockNumber: simulatedHead(made.simulation, checked.block) };
}

/**
 * Builds a one-step deposit: the user signs one transaction, and the provider then calls the Router with the delivered
 * token. Simulates the source transaction, and the destination call with both the guaranteed and the expected amount.
 * Errors of the provider, of the vault and of the simulations propagate.
 */
export async function buildOneStep(ctx: Context, attempt: RouteAttempt): Promise<BuiltRoute> {
  const destination = await planDestinationDeposit(ctx, attempt);
  const scope = { ...ctx.providers.scope, deadline: attempt.deadline };
  const request = { ...toTransferBuildRequest(attempt), call: destination.call };
  const route = await attempt.provider.build(scope, request);
  const { order } = attempt;
  const ended = { destination, route };
  return order.from.chainId === order.vault.chainId
    ? onOneChain(ctx, { ...ended, attempt })
    : acrossChains(ctx, { ...ended, attempt });
}

interface OneStepParts {
  attempt: RouteAttempt;
  destination: DestinationDeposit;
  route: VerifiedTransfer;
}

/** Simulates a one-step deposit that stays on the vault's chain, where one transaction both swaps and deposits. */
async function onOneChain(ctx: Context, { attempt, destination, route }: OneStepParts): Promise<BuiltRoute> {
  const payment = toPayment(attempt, route);
  const { vault, user } = attempt.order;
  const watch = balanceOfRead(vault.shareToken, user);
  const { source, gained } = await simulateProviderTransaction(ctx, { payment, route, watch });
  if (gained === null) throw failure("simulation_unavailable", "the share balance could not be read");
  const { floors, checked } = destination;
  if (gained < floors.minShares) {
    throw failure("upstream_rejected", "the provider's transaction does not make the deposit");
  }
  const end: RoutedEnd = { kind: "one_step", checked, floors, shares: gained, delivery: null };
  return { route, payment, source, end };
}

async function acrossChains(
  ctx: Context,
  { attempt, destination, route }: OneStepParts,
): Promise<BuiltRoute> {
  const payment = toPayment(attempt, route);
  const { executor } = route;
  if (executor === null) throw failure("upstream_rejected", "the provider does not make the deposit");
  const deliver = (amount: bigint) => simulateDelivery(ctx, { destination, executor, amount });
  const [{ source }, delivery, expected] = await Promise.all([
    simulateProviderTransaction(ctx, { payment, route, watch: null }),
    deliver(route.toAmountMin),
    route.toAmount === route.toAmountMin ? null : deliver(route.toAmount),
  ]);
  const { shares } = expected ?? delivery;
  const { checked, floors } = destination;
  return { route, payment, source, end: { kind: "one_step", checked, floors, shares, delivery } };
}
