import type { Address } from "viem";
import { fractionToParts } from "../../lib/amount.ts";
import type { Funds } from "../../orders/payer-funds.ts";
import type { SimulatedPayment, TokenPayment } from "../../orders/simulate-payment.ts";
import type { Provider, TransferQuote, TransferRequest, VerifiedTransfer } from "../../providers/provider.ts";
import type { NoRouteReason } from "../../providers/provider-failures.ts";
import type { QuoteRanking } from "../../providers/provider-quotes.ts";
import type { Token } from "../../vaults/vault.ts";
import type { DepositFloors } from "./deposit-calldata.ts";
import type { DepositOrder } from "./deposit-order.ts";
import type { Preflight } from "./deposit-preflight.ts";
import type { DirectDeposit } from "./direct-deposit.ts";

/** A simulated destination call, made with the amount that a bridge delivers. */
export interface SimulatedDelivery {
  /** Smallest unit of the share token. */
  shares: bigint;
  gasUsed: bigint;
  blockNumber: number;
}

/**
 * How a routed deposit ends: the provider makes the deposit (one step), or the user does after the delivery
 * (two steps).
 */
export type RoutedEnd =
  | {
      kind: "one_step";
      checked: Preflight;
      floors: DepositFloors & { minShares: bigint };
      /** Shares for the expected amount, in the share token's smallest unit. */
      shares: bigint;
      /**
       * The destination call simulated with the guaranteed amount; null on one chain, where the source
       * transaction contains it.
       */
      delivery: SimulatedDelivery | null;
    }
  | { kind: "two_step"; deposit: DirectDeposit };

/** A provider's transaction towards a vault, verified and simulated. */
export interface BuiltRoute {
  route: VerifiedTransfer;
  payment: TokenPayment;
  source: Extract<SimulatedPayment, { ok: true }>;
  end: RoutedEnd;
}

/** A deposit that starts with a swap or a bridge. */
export interface RoutedDeposit extends BuiltRoute {
  /** The token that arrives on the vault's chain. */
  token: Token;
  /** All quotes for that token, in order of preference. */
  ranking: QuoteRanking;
  /** Reasons the other routes failed. */
  reasons: NoRouteReason[];
}

/** An order with the simulated transactions that carry it out. */
export type PreparedDeposit =
  | { kind: "direct"; order: DepositOrder; direct: DirectDeposit }
  | { kind: "routed"; order: DepositOrder; routed: RoutedDeposit };

/** One quote to build. */
export interface RouteAttempt {
  order: DepositOrder;
  token: Token;
  option: TransferQuote;
  provider: Provider;
  funds: Funds;
  /** Deadline of the provider's answer, in unix milliseconds. */
  deadline: number;
}

/** Writes an order as a provider's quote request, without a destination call and for any bridge. */
export function toTransferRequest(order: DepositOrder, token: Token): TransferRequest {
  return {
    fromChainId: order.from.chainId,
    toChainId: order.vault.chainId,
    fromToken: order.from.token,
    toToken: token.address,
    amount: order.from.amount,
    user: order.user,
    slippage: fractionToParts(order.slippage),
    call: null,
    bridges: null,
  };
}

/** Writes the build request for one quote, restricted to the quote's bridge. */
export function toTransferBuildRequest({ order, token, option }: RouteAttempt): TransferRequest {
  const bridges = option.bridge === null ? null : [option.bridge];
  return { ...toTransferRequest(order, token), bridges };
}

/** Returns the payment that a provider's transaction takes from the user. */
export function toPayment({ order, funds }: RouteAttempt, route: VerifiedTransfer): TokenPayment {
  const { from, user } = order;
  const spender: Address = route.spender ?? route.transaction.to;
  return {
    client: from.client,
    payer: user,
    token: from.token,
    amount: from.amount,
    spender,
    balance: funds.balance,
    allowance: funds.allowances.get(spender.toLowerCase()) ?? null,
    block: funds.block,
  };
}
