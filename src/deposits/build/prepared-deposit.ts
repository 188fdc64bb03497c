import type { Address } from "viem";
import { fractionToParts } from "../../lib/amount.ts";
import type { Funds } from "../../orders/funds.ts";
import type { SimulatedPayment, TokenPayment } from "../../orders/simulate.ts";
import type { Provider, TransferQuote, TransferRequest, VerifiedTransfer } from "../../providers/provider.ts";
import type { NoRouteReason } from "../../providers/provider-failures.ts";
import type { QuoteRanking } from "../../providers/provider-quotes.ts";
import type { Token } from "../../vaults/vault.ts";
import type { DepositFloors } from "./calldata.ts";
import type { DirectDeposit } from "./direct.ts";
import type { DepositOrder } from "./order.ts";
import type { Preflight } from "./preflight.ts";

/** What the deposit at the end of a transfer did when it was simulated. */
export interface SimulatedDelivery {
  /** Smallest unit of the share token. */
  shares: bigint;
  gasUsed: bigint;
  blockNumber: number;
}

/** How a transfer becomes shares: the bridge makes the deposit, or the user does once it has arrived. */
export type RoutedEnd =
  | {
      kind: "one_step";
      checked: Preflight;
      floors: DepositFloors & { minShares: bigint };
      /** For the expected amount; smallest unit of the share token. */
      shares: bigint;
      /** The call by itself, for the guaranteed amount; null on one chain, where it is part of the transaction. */
      delivery: SimulatedDelivery | null;
    }
  | { kind: "two_step"; deposit: DirectDeposit };

/** A transaction that moves the user's money towards a vault, read back and seen to work. */
export interface BuiltRoute {
  route: VerifiedTransfer;
  payment: TokenPayment;
  source: Extract<SimulatedPayment, { ok: true }>;
  end: RoutedEnd;
}

/** A deposit that starts with a swap or a bridge. */
export interface RoutedDeposit extends BuiltRoute {
  /** What arrives on the vault's chain. */
  token: Token;
  /** Every way that was offered for it, in the order of preference. */
  ranking: QuoteRanking;
  /** Why other ways were not possible. */
  reasons: NoRouteReason[];
}

/** A wish and the transactions that were seen to fulfil it. */
export type PreparedDeposit =
  | { kind: "direct"; order: DepositOrder; direct: DirectDeposit }
  | { kind: "routed"; order: DepositOrder; routed: RoutedDeposit };

/** One way to be tried. */
export interface RouteAttempt {
  order: DepositOrder;
  token: Token;
  option: TransferQuote;
  provider: Provider;
  funds: Funds;
  /** When the provider's answer stops being of use, milliseconds since the epoch. */
  deadline: number;
}

/** The wish as a provider is asked, without a call and over any bridge. */
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

/** The request for one option: over its own bridge and no other. */
export function toTransferBuildRequest({ order, token, option }: RouteAttempt): TransferRequest {
  const bridges = option.bridge === null ? null : [option.bridge];
  return { ...toTransferRequest(order, token), bridges };
}

/** What a built transaction takes from the user. */
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
