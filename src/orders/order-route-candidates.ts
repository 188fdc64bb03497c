import type { AppError } from "../errors.ts";
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
/**
 * Time for all builds of one provider while another provider can still be tried, in milliseconds: however many routes
 * it offers, and however slowly it fails, the others have their turn.
 */
const PROVIDER_MS = 2_500;
/**
 * Time at which a provider's builds end while another one can still be tried, in milliseconds from the start of the
 * route search, so that builds of the other one can still start.
 */
const OTHERS_START_MS = 5_000;
/** Shortest time in which a build is tried, in milliseconds. */
const MIN_ATTEMPT_MS = 300;

/**
 * Returns the deadline for building a provider's transaction, in UNIX milliseconds, like `startedAt` and `now`. Null if
 * too little time is left while other providers wait (`last` is false). `spentMs`: time that this provider's builds
 * took so far.
 */
export function attemptDeadline(at: {
  startedAt: number;
  now: number;
  last: boolean;
  spentMs: number;
}): number | null {
  const { startedAt, now } = at;
  if (at.last) return startedAt + LAST_BUILD_MS;
  const end = Math.min(startedAt + OTHERS_START_MS, now + PROVIDER_MS - at.spentMs);
  return end - now >= MIN_ATTEMPT_MS ? end : null;
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
 * Returns the passes of a route search, in order: `preferred` first if an order with a preferred bridge crosses chains
 * and has several target tokens. For one token, the ranking suffices.
 */
export function passesOf(order: RouteOrder, targets: readonly Token[]): BridgePass[] {
  const crosses = order.from.chainId !== order.client.definition.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/**
 * Returns an offer's quote with its minimum output raised to the expected one less the tolerance of `toleranceOf` (zero
 * if that is null), if the result is higher.
 */
export function withLeast(offer: Offer): TransferQuote {
  const { option } = offer;
  const least = deductParts(option.toAmount, toleranceOf(offer) ?? 0n);
  return least > option.toAmountMin ? { ...option, toAmountMin: least } : option;
}

/** A route to try: a provider's quote, and where the route ends. */
export interface RouteCandidate {
  option: TransferQuote;
  ends: RouteEnd;
}

/**
 * Returns the routes to try, in order: those of the preferred bridge first (in the pass `preferred`, they alone),
 * one-step before two-step routes in each group, otherwise as ranked. `call` is true if a provider may deliver the
 * token into a Router call.
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

/** A vault's refusal of the amount that one provider offered. */
export interface AmountRefusal {
  token: Token;
  option: TransferQuote;
  error: AppError;
}

/** Returns true if a vault refused an amount, so that another provider's offer of the token may be accepted. */
export const isAmountRefusal = ({ code }: AppError): boolean =>
  code === "above_maximum" || code === "below_minimum";

/**
 * Returns true if an option must not be tried because the vault refused another offer of the same token: it is the same
 * provider's; after `above_maximum`, its expected amount is not lower or its minimum exceeds the vault's maximum; after
 * `below_minimum`, its expected amount is not higher or is below the vault's minimum. Pure.
 */
export function isRefusedToo(option: TransferQuote, refused: AmountRefusal): boolean {
  const { error, option: other } = refused;
  if (option.provider === other.provider) return true;
  const limit = limitOf(error);
  return error.code === "above_maximum"
    ? option.toAmount >= other.toAmount || (limit !== null && option.toAmountMin > limit)
    : option.toAmount <= other.toAmount || (limit !== null && option.toAmount < limit);
}

function limitOf({ members }: AppError): bigint | null {
  const limit = members["max_deposit"] ?? members["min_deposit"] ?? null;
  return typeof limit === "string" ? BigInt(limit) : null;
}
