import type { Address } from "viem";
import { isNative } from "../lib/address.ts";
import { fractionToParts } from "../lib/amount.ts";
import type { Reason } from "../providers/failures.ts";
import type { BuiltMove, MoveOption, MoveRequest, Provider } from "../providers/provider.ts";
import type { Ranking } from "../providers/select.ts";
import type { Token } from "../vaults/vault.ts";
import type { CheckedDeposit } from "./check.ts";
import type { Floors } from "./encode.ts";
import type { Funds } from "./funds.ts";
import type { Order } from "./order.ts";
import type { DirectDeposit } from "./prepare-direct.ts";
import type { Delivery } from "./simulate-delivery.ts";
import type { Payment, SimulatedPayment } from "./simulate-payment.ts";

/** How a transfer becomes shares: the bridge makes the deposit, or the user does once it has arrived. */
export type MoveEnd =
  | {
      kind: "call";
      checked: CheckedDeposit;
      floors: Floors & { minShares: bigint };
      /** For the expected amount; smallest unit of the share token. */
      shares: bigint;
      /** The call by itself, for the guaranteed amount; null on one chain, where it is part of the transaction. */
      delivery: Delivery | null;
    }
  | { kind: "second"; deposit: DirectDeposit };

/** A transaction that moves the user's money towards a vault, read back and seen to work. */
export interface BuiltTransfer {
  move: BuiltMove;
  payment: Payment;
  source: Extract<SimulatedPayment, { ok: true }>;
  end: MoveEnd;
}

/** A deposit that starts with a swap or a bridge. */
export interface MovedDeposit extends BuiltTransfer {
  /** What arrives on the vault's chain. */
  token: Token;
  /** Every way that was offered for it, in the order of preference. */
  ranking: Ranking;
  /** Why other ways were not possible. */
  reasons: Reason[];
}

/** One way to be tried. */
export interface Attempt {
  order: Order;
  token: Token;
  option: MoveOption;
  provider: Provider;
  funds: Funds;
  /** When the provider's answer stops being of use, milliseconds since the epoch. */
  deadline: number;
}

/** The wish as a provider is asked, without a call and over any bridge. */
export function toMoveRequest(order: Order, token: Token): MoveRequest {
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
export function toBuildRequest({ order, token, option }: Attempt): MoveRequest {
  const bridges = option.bridge === null ? null : [option.bridge];
  return { ...toMoveRequest(order, token), bridges };
}

/** What a built transaction takes from the user. */
export function toPayment({ order, funds }: Attempt, move: BuiltMove): Payment {
  const { from, user } = order;
  const spender: Address = move.spender ?? move.transaction.to;
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

/** Whether a payment is made in the chain's native token. */
export const paidNatively = ({ token }: Pick<Payment, "token">): boolean => isNative(token);
