import type { Address } from "viem";
import type { Context } from "../context.ts";
import type { PlannedAuthorization } from "../orders/authorization/planned-authorization.ts";
import type { RouteAttempt } from "../orders/order-route-attempts.ts";
import { toTransferRequest } from "../orders/order-route-candidates.ts";
import type { RouterTransfer } from "../orders/order-router-transfer.ts";
import type { SimulatedPayment, TokenPayment } from "../orders/simulate-order-payment.ts";
import type { TransferRequest, VerifiedTransfer } from "../providers/provider.ts";
import type { NoRouteReason } from "../providers/provider-failures.ts";
import type { QuoteRanking } from "../providers/provider-quotes.ts";
import type { BuildInput } from "../schemas/build-input-schema.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token } from "../vaults/vault.ts";
import type { DepositFloors } from "./deposit-calldata.ts";
import type { DepositOrder } from "./deposit-intent.ts";
import type { Preflight } from "./deposit-preflight.ts";
import type { DirectDeposit } from "./direct-deposit.ts";

/**
 * The result of simulating a destination call on the head block of the vault's chain, with an amount that a bridge
 * delivers.
 */
export interface SimulatedDelivery {
  /** Shares minted to the user, in the share token's smallest unit. */
  shares: bigint;
  gasUsed: bigint;
  blockNumber: number;
}

/**
 * The vault deposit of a routed deposit: made by the provider (`one_step`), or by the user after the delivery
 * (`two_step`, simulated with the guaranteed amount).
 */
export type RoutedEnd =
  | {
      kind: "one_step";
      checked: Preflight;
      floors: DepositFloors & { minShares: bigint };
      /**
       * Simulated shares, in the share token's smallest unit: for the amount that a bridge is expected to deliver or,
       * on one chain, of the source transaction.
       */
      shares: bigint;
      /**
       * The simulation of the destination call with the guaranteed amount, or null if the deposit stays on one chain,
       * where the source transaction contains it.
       */
      delivery: SimulatedDelivery | null;
    }
  | { kind: "two_step"; deposit: DirectDeposit };

/**
 * The verified and simulated transaction that starts a routed deposit, with the vault deposit that it contains or that
 * follows it. The transaction is a provider's or, for a move across chains, the Router call that redeems the shares and
 * bridges the payment.
 */
export interface BuiltRoute {
  /** The transaction, with the expected and guaranteed output of the provider's transfer. */
  route: VerifiedTransfer;
  /** What the transaction takes from the user, with the balance and the allowance. */
  payment: TokenPayment;
  /** Simulation of the transaction with its approvals on the source chain. */
  source: Extract<SimulatedPayment, { ok: true }>;
  /** The vault deposit that follows. */
  end: RoutedEnd;
}

/**
 * A prepared deposit that starts with a swap or bridge, or a move across chains: the route that was built for it, and
 * what the search found about others.
 */
export interface RoutedDeposit extends BuiltRoute {
  /** The signature payload that pays for the deposit, or null if an approval does. */
  authorization: PlannedAuthorization | null;
  /** The accepted token of the vault that the route delivers on the vault's chain. */
  token: Token;
  /** Decimals of the token that the user pays with, or null if unknown. */
  fromDecimals: number | null;
  /** The fair quotes for the target token, best first (see `FoundRoute`); of a move, only the one that was built. */
  ranking: QuoteRanking;
  /** The reasons why other routes failed; empty if none did. */
  reasons: NoRouteReason[];
  warnings: readonly Warning[];
}

/** A deposit order with the verified and simulated transactions that execute it. */
export type PreparedDeposit = {
  /** Present if the deposit is a move: it is paid with the shares of another vault, which are redeemed first. */
  quoteType?: "move";
  /** Name of the vault whose shares a move pays with. */
  sharesOf?: string;
  /** True if a move on one chain swaps the redeemed token before the deposit. */
  swaps?: boolean;
  /** Time for which the quote of a move's swap is valid, in seconds; absent without a swap or a stated time. */
  validSeconds?: number;
  /** Warnings about a move's swap on one chain, or about shares that are sold; absent if there are none. */
  warnings?: readonly Warning[];
  order: DepositOrder;
} & (
  | {
      kind: "direct";
      direct: DirectDeposit;
      /** The signature payload that pays for the deposit, or null if an approval does. */
      authorization: PlannedAuthorization | null;
    }
  | { kind: "routed"; routed: RoutedDeposit }
);

/** A function that prepares a deposit without recording it: `prepareDeposit`, or its counterpart for moves. */
export type PrepareDeposit = (ctx: Context, input: BuildInput) => Promise<PreparedDeposit>;

/** An attempt to build a route for a deposit, with the deposit's order. */
export interface DepositAttempt extends RouteAttempt {
  order: DepositOrder;
}

/**
 * Converts a quote to the build request for its provider, restricted to the quote's bridge and without a destination
 * call. `tolerance` is the maximum loss of the transfer, in parts per billion.
 */
export function toTransferBuildRequest(
  { order, token, option }: DepositAttempt,
  tolerance: bigint,
): TransferRequest {
  const bridges = option.bridge === null ? null : [option.bridge];
  return { ...toTransferRequest(order, token), bridges, slippage: tolerance };
}

/** Returns what a Router order of an attempt transfers; a deposit in another chain's vault needs a bridge. */
export function toRouterTransfer({ order, token, funds }: DepositAttempt): RouterTransfer {
  const { user, from, vault, ref, partnerHash: partnerId, partnerType } = order;
  return {
    ...{ user, from, swapsTo: from.chainId === vault.chainId ? token.address : null },
    ...{ blockTime: funds.block.timestamp, named: { ref, partnerId, partnerType } },
  };
}

/**
 * Returns the payment that a provider's transaction takes from the user, with the user's balance and the spender's
 * allowance, null if not read. For the native currency, the spender is the transaction's target.
 */
export function toPayment({ order, funds }: DepositAttempt, route: VerifiedTransfer): TokenPayment {
  const { from, user } = order;
  const spender: Address = route.spender ?? route.transaction.to;
  return {
    client: from.client,
    payer: user,
    token: from.token,
    amount: from.amount,
    spender,
    balance: funds.balance,
    nativeBalance: funds.nativeBalance,
    allowance: funds.allowances.get(spender.toLowerCase()) ?? null,
    block: funds.block,
  };
}
