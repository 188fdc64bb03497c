import { type Address, keccak256, zeroHash } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { chainNotServed } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import { PARTS_PER_BILLION } from "../lib/amount.ts";
import { isCovered } from "../orders/order-payer-funds.ts";
import type { RouteAttempt, RouteSearchInput } from "../orders/order-route-attempts.ts";
import { toTransferRequest } from "../orders/order-route-candidates.ts";
import {
  assertFair,
  findUnfairOption,
  planLoss,
  type RouteOrder,
  unfairOffer,
} from "../orders/order-route-fairness.ts";
import { type FoundRoute, searchRoutes } from "../orders/order-route-search.ts";
import { toSendable } from "../orders/order-router-transfer.ts";
import { toTransactionRequest, toWalletCall } from "../orders/order-wallet-calls.ts";
import {
  type SimulatedPayment,
  simulateProviderTransaction,
  type TokenPayment,
  watchedBalance,
} from "../orders/simulate-order-payment.ts";
import type { VerifiedTransfer } from "../providers/provider.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Approval, TransactionRequest, WalletCall } from "../schemas/transaction-schema.ts";
import { findToken } from "../vaults/find-vault-token.ts";
import type { Token } from "../vaults/vault.ts";
import { readTokenMetadata } from "../vaults/vault-token-metadata.ts";
import { verifyTransferData } from "./verify-withdrawal-transfer-data.ts";
import type { WithdrawalOrder } from "./withdrawal-order.ts";

/**
 * Fraction of the vault's expected payment that is not swapped or bridged, in parts per billion (0.01%). It absorbs a
 * slightly lower price, which would otherwise fail the order, and is paid to the user.
 */
const MARGIN = PARTS_PER_BILLION / 10_000n;
/** Tolerance for the vault's rounding in addition to the margin, in smallest units. */
const ROUNDING = 2n;

/**
 * Returns how much of a vault's expected payment is swapped or bridged, in the paid token's smallest unit: all but
 * 0.01% and two units, which absorb a lower price. Throws `below_minimum` if nothing remains.
 */
export function onwardAmount(expected: bigint): bigint {
  const amount = expected - (expected * MARGIN) / PARTS_PER_BILLION - ROUNDING;
  if (amount > 0n) return amount;
  throw failure("below_minimum", "the shares are worth too little to be swapped or bridged", {
    min_deposit: null,
  });
}

/** Returns the order of a route that takes a vault's payment (`paid`) to the user. */
export function toRouteOrder(
  order: WithdrawalOrder,
  paid: { token: RouteOrder["from"]["token"]; amount: bigint },
): RouteOrder {
  const { client, to, user, slippage, preferredBridge } = order;
  return {
    from: { client, chainId: order.vault.chainId, ...paid },
    client: to.client,
    ...{ user, slippage, preferredBridge },
  };
}

/**
 * Returns the requested token with its symbol and decimals. Throws `token_unsupported` if the contract returns no
 * decimals, and `chain_unsupported`; errors of the RPC nodes propagate.
 */
export async function requestedToken(
  ctx: Context,
  { chainId, token: address }: { chainId: number; token: Address },
): Promise<Token> {
  if (isNative(address)) {
    const { symbol, decimals } = await findToken(ctx, { chainId, address });
    return { address, symbol, decimals: decimals ?? 18 };
  }
  return { address, ...(await readTokenMetadata(ctx, { chainId, address })) };
}

/**
 * Builds a provider's transaction for an offer and verifies it. Throws `price_unsafe` if the offer is unfair, and
 * `upstream_rejected` if the calldata differs from the request; errors of the provider propagate.
 */
export async function buildOffer(
  ctx: Context,
  { order, attempt }: { order: RouteOrder; attempt: RouteAttempt },
): Promise<VerifiedTransfer> {
  const { token, option, provider, deadline } = attempt;
  const loss = planLoss(await attempt.offer());
  const bridges = option.bridge === null ? null : [option.bridge];
  const request = { ...toTransferRequest(order, token), bridges, slippage: loss.transfer };
  const route = await provider.build({ ...ctx.providers.scope, deadline }, request);
  assertFair(await attempt.offer(route.nativeFee), { built: route, simulated: null, minIn: null });
  const { from, client, user } = order;
  const ends = { from: from.client.definition, to: client.definition };
  const asked = { user, ...ends, token: from.token, amount: from.amount, requested: token.address };
  verifyTransferData({ ...asked, least: route.toAmountMin }, route.transaction.data);
  return route;
}

/**
 * Finds a route that swaps or bridges a vault's payment (`order.from`) into `token` and delivers it to the user,
 * without a destination call. Errors of `searchRoutes` propagate.
 */
export function findTransfer<B>(
  ctx: Context,
  of: Pick<RouteSearchInput<B>, "order" | "build" | "isFinal"> & { token: Token },
): Promise<FoundRoute<B>> {
  const { token, ...input } = of;
  // Deliveries go to the user; nothing of ours is called with them.
  return searchRoutes(ctx, {
    ...input,
    targets: [token],
    callable: () => false,
    isTargetRefusal: () => false,
  });
}

/**
 * Checks by quotes alone that a fair route of a payment (`order.from`) into `token` is offered, and returns its warnings.
 * Errors of `searchRoutes` propagate.
 */
export async function quoteTransfer(
  ctx: Context,
  of: { order: RouteOrder; token: Token },
): Promise<readonly Warning[]> {
  const build = async (_: Context, attempt: RouteAttempt) => {
    const broken = findUnfairOption(await attempt.offer());
    if (broken !== null) throw unfairOffer(broken);
  };
  return (await findTransfer(ctx, { ...of, build })).warnings;
}

/** A provider's transaction that the user sends, after its simulation. */
export interface UserTransfer {
  /** The route with the transaction that the user sends: the provider's, or a Router order that contains it. */
  route: VerifiedTransfer;
  /** What the transaction takes from the user: the vault's payment. */
  payment: TokenPayment;
  source: Extract<SimulatedPayment, { ok: true }>;
}

/**
 * A provider's transaction that was built during a route search, with the order and the attempt that it was built for.
 */
export interface BuiltOffer {
  order: RouteOrder;
  attempt: RouteAttempt;
  route: VerifiedTransfer;
}

/**
 * Simulates a provider's transaction as the user sends it (`toSendable`), also before the user holds the amount. Throws
 * `price_unsafe` if the output is unfair; errors of `toSendable` and `simulateProviderTransaction` propagate.
 */
export async function simulateUserTransfer(
  ctx: Context,
  { order, attempt, route: own }: BuiltOffer,
): Promise<UserTransfer> {
  const { funds, token } = attempt;
  const { from, user } = order;
  const here = from.chainId === order.client.definition.chainId;
  const route = await toSendable(ctx, {
    route: own,
    transfer: {
      ...{ user, from, swapsTo: here ? token.address : null, blockTime: funds.block.timestamp },
      // The withdrawal's reference and its partner are those of the redemption; this call is known by its calldata.
      named: { ref: zeroHash, partnerId: zeroHash, partnerType: 0 },
    },
  });
  const spender = route.spender ?? route.transaction.to;
  const payment: TokenPayment = {
    ...{ client: from.client, payer: user, token: from.token, amount: from.amount, spender },
    balance: funds.balance,
    nativeBalance: funds.nativeBalance,
    allowance: funds.allowances.get(spender.toLowerCase()) ?? null,
    block: funds.block,
  };
  const watch = here ? watchedBalance(token.address, user) : null;
  const { source, gained } = await simulateProviderTransaction(ctx, { payment, route, watch });
  const output = gained === null ? null : { seen: gained, floor: route.toAmountMin };
  const simulated = { delivered: gained, output };
  assertFair(await attempt.offer(route.nativeFee), { built: route, simulated, minIn: null });
  return { route, payment, source };
}

/** The second step of a withdrawal: the user's swap or bridge of the vault's payment. */
export interface TransferStep {
  user: Address;
  /** The vault's payment: chain, token and amount in the token's smallest unit. */
  from: { chainId: number; token: Address; amount: bigint };
  to: { chainId: number; token: Address };
  /** Slippage tolerance: maximum total loss, as a fraction. */
  slippage: number;
  /** Bridge to try before all others, or null. */
  preferredBridge: string | null;
}

/** The second step of a withdrawal, ready to be signed. */
export interface PreparedTransfer {
  transaction_request: TransactionRequest;
  /** Null if the vault paid in the native currency. */
  approval: Approval | null;
  /** The calls to sign in one batch (EIP-5792): the approvals that are still needed, then the transaction. */
  calls: WalletCall[];
  /**
   * Target of the transaction. The transaction is recognised on chain by `target` and `dataHash`, the keccak256 hash of
   * its calldata.
   */
  target: Address;
  dataHash: string;
  provider: string;
  /** Null for a swap on the vault's chain. */
  bridge: string | null;
  tool: string;
  /** Expected amount on arrival, in the smallest unit of the requested token; `toAmountMin` is the minimum. */
  toAmount: bigint;
  toAmountMin: bigint;
  /** False if the account does not hold the amount now. */
  balanceSufficient: boolean;
  /** What the user should know before signing. */
  warnings: readonly Warning[];
}

/**
 * Finds, verifies and simulates the second step of a withdrawal for the amount that the vault paid. A low balance is
 * returned as `balanceSufficient` false, not thrown. Errors of `requestedToken` and `findTransfer` propagate, such as
 * `token_unsupported` if the token's balance cannot be read.
 */
export async function prepareTransfer(ctx: Context, step: TransferStep): Promise<PreparedTransfer> {
  const { user, from, to, slippage, preferredBridge } = step;
  const order: RouteOrder = {
    from: { ...from, client: servedClient(ctx, from.chainId) },
    client: servedClient(ctx, to.chainId),
    ...{ user, slippage, preferredBridge },
  };
  const token = await requestedToken(ctx, to);
  const build = async (scope: Context, attempt: RouteAttempt) =>
    simulateUserTransfer(scope, { order, attempt, route: await buildOffer(scope, { order, attempt }) });
  const { built, warnings } = await findTransfer(ctx, { order, token, build });
  const { route, payment, source } = built;
  const { to: target, data, value } = route.transaction;
  const { chainId } = from;
  const { balance, spender } = payment;
  return {
    transaction_request: toTransactionRequest({ target, data, value }, { chainId, gasUsed: source.gasUsed }),
    approval: isNative(from.token)
      ? null
      : { token_address: from.token, spender_address: spender, amount: from.amount.toString() },
    calls: source.calls.map((call) => toWalletCall(call, chainId)),
    ...{ target, dataHash: keccak256(data) },
    ...{ provider: route.provider, bridge: route.bridge, tool: route.tool },
    ...{ toAmount: route.toAmount, toAmountMin: route.toAmountMin },
    balanceSufficient: isCovered({ balance, amount: from.amount }),
    warnings,
  };
}

function servedClient(ctx: Context, chainId: number): ChainClient {
  const client = ctx.chains.client(chainId);
  if (client === null) throw chainNotServed(chainId, ctx.chains.definitions);
  return client;
}
