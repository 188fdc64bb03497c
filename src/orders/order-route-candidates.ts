import { deductParts, fractionToParts } from "../lib/amount.ts";
import type { TransferQuote, TransferRequest } from "../providers/provider.ts";
import type { QuoteRanking } from "../providers/provider-quotes.ts";
import type { Token } from "../vaults/vault.ts";
import { toleranceOf } from "./order-fairness-rules.ts";
import type { Offer, RouteEnd, RouteOrder } from "./order-route-fairness.ts";

/**
 * Deadline for the response to a search's last build request, in milliseconds from the start of the route search. The
 * built transaction must still be simulated afterwards.
 */
const LAST_BUILD_MS = 6_500;
/** Timeout for one provider's build while another provider can still be tried, in milliseconds. */
const MAX_ATTEMPT_MS = 2_500;

/**
 * Returns the deadline for building a provider's transaction, in UNIX milliseconds like `startedAt` and `now`: 2.5
 * seconds from now, but at most 6.5 seconds after the start of the search. The last provider gets all the remaining
 * time, because no other route could be tried after it.
 */
export function attemptDeadline(at: { startedAt: number; now: number; last: boolean }): number {
  const end = at.startedAt + LAST_BUILD_MS;
  return at.last ? end : Math.min(end, at.now + MAX_ATTEMPT_MS);
}

/**
 * Converts an order to the quote request for a provider: for any bridge, without a destination call, and with the
 * order's whole slippage, in parts per billion.
 */
export function toTransferRequest(order: RouteOrder, token: Pick<Token, "address">): TransferRequest {
  return {
    fromChainId: order.from.chainId,
    toChainId: order.client.definition.chainId,
    fromToken: order.from.token,
    toToken: token.address,
    amount: order.from.amount,
    user: order.user,
    slippage: fractionToParts(order.slippage),
    call: null,
    bridges: null,
  };
}

/** The bridges that one pass of the route search may use: only the preferred bridge, or all. */
export type BridgePass = "preferred" | "all";

/**
 * Returns the passes of a route search, in order. A first pass over the preferred bridge alone is needed only if a
 * bridge order has several target tokens; for one token, the ranking already puts the preferred bridge first.
 */
export function passesOf(order: RouteOrder, targets: readonly Token[]): BridgePass[] {
  const crosses = order.from.chainId !== order.client.definition.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/** Returns an offer's quote with its minimum output raised to the one that a build would request, if that is higher. */
export function withLeast(offer: Offer): TransferQuote {
  const { option } = offer;
  const least = deductParts(option.toAmount, toleranceOf(offer) ?? 0n);
  return least > option.toAmountMin ? { ...option, toAmountMin: least } : option;
}

/** A route to try: a provider's quote, and whether the route takes one or two steps. */
export interface RouteCandidate {
  option: TransferQuote;
  ends: RouteEnd;
}

/**
 * Returns the routes to try, in order: first those of the preferred bridge; within each of the two groups, one-step
 * before two-step routes; otherwise as ranked. `call` is true if a provider may deliver the token into a Router call.
 * Empty if no quote supports a route of either kind.
 */
export function candidatesOf(
  ranking: QuoteRanking,
  preference: { bridge: string | null; call: boolean; pass: BridgePass },
): RouteCandidate[] {
  const { quotes } = ranking;
  const preferred = quotes.filter(({ bridge }) => bridge !== null && bridge === preference.bridge);
  const calling = (list: readonly TransferQuote[]): RouteCandidate[] =>
    preference.call
      ? list.filter(({ supportsCall }) => supportsCall).map((option) => ({ option, ends: "one_step" }))
      : [];
  const plain = (list: readonly TransferQuote[]): RouteCandidate[] =>
    list.filter((option) => option.supportsPlain).map((option) => ({ option, ends: "two_step" }));
  const others =
    preference.pass === "preferred" ? [] : quotes.filter((option) => !preferred.includes(option));
  return [...calling(preferred), ...plain(preferred), ...calling(others), ...plain(others)];
}
