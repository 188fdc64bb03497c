import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { learnFeedPrices } from "../prices/read-prices.ts";
import type { Provider, TransferQuote } from "../providers/provider.ts";
import { isProviderFailure, isUnsafeRoute, toProviderFailure } from "../providers/provider-failures.ts";
import type { QuoteResults } from "../providers/provider-quotes.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token } from "../vaults/vault.ts";
import { assertTakesNative, type Funds } from "./order-payer-funds.ts";
import {
  type AmountRefusal,
  attemptDeadline,
  isAmountRefusal,
  isRefusedToo,
  type RouteCandidate,
} from "./order-route-candidates.ts";
import {
  findUnfairOption,
  type Offer,
  promisesTooMuch,
  type RouteEnd,
  type RouteOrder,
  toOffer,
  type ValuedOffers,
  valueOffers,
  warningsOf,
} from "./order-route-fairness.ts";
import { pricedForms } from "./order-token-relation.ts";

/** Time after which no further build is started, in milliseconds from the start of the route search. */
const LAST_START_MS = 5_500;
/** Maximum number of builds per provider in a search, so that one faulty provider cannot use up the time. */
const MAX_ATTEMPTS = 4;

/** One attempt of a route search: the quote to build, its provider, and the user's funds. */
export interface RouteAttempt {
  /** Target token that the route delivers. */
  token: Token;
  /** The quote to build. */
  option: TransferQuote;
  provider: Provider;
  funds: Funds;
  /** Deadline for the provider's response, in UNIX milliseconds. */
  deadline: number;
  /** Where the route ends. */
  ends: RouteEnd;
  /**
   * Returns the quote as input of the fairness rules, with the prices that are known at that time: reads on the
   * destination chain may have added some. `nativeFee` is the fee on top of the built transaction, in wei; by default,
   * that of the quote.
   */
  offer(nativeFee?: bigint): Promise<Offer>;
}

/**
 * Input of a route search: the order, the tokens that a route may deliver, and how the caller builds a route and judges
 * its errors.
 */
export interface RouteSearchInput<B> {
  order: RouteOrder;
  /** The tokens that a route may deliver, best first. */
  targets: readonly Token[];
  /** Returns true if a provider may deliver the token into a Router call. */
  callable(token: Token): boolean;
  /**
   * Returns true if an error of `build` rejects the target token itself, or this amount of it (`above_maximum`,
   * `below_minimum`), and is not the route's fault.
   */
  isTargetRefusal(error: AppError): boolean;
  /**
   * Builds, verifies and simulates one route. If it throws, the next route is tried, unless `isFinal` says otherwise or
   * neither the target token nor the provider is at fault.
   */
  build(ctx: Context, attempt: RouteAttempt): Promise<B>;
  /** Returns true for an error of `build` that ends the search, because no route is at fault. Absent if none does. */
  isFinal?(error: unknown): boolean;
}

/** Mutable state of one route search. */
export interface RouteSearch<B> {
  input: RouteSearchInput<B>;
  providers: readonly Provider[];
  funds: Promise<Funds>;
  /** Start of the search, in UNIX milliseconds. */
  startedAt: number;
  /** Builds by provider name: their number, and the time that they took, in milliseconds. */
  attempts: Map<string, { count: number; ms: number }>;
  /** Failures of quotes and builds, in the order in which they occurred. */
  failures: AppError[];
  /** Names of the providers that `noteFailure` excluded; they are not used again in this search. */
  excluded: Set<string>;
  /** Target tokens that the vault refused. */
  refused: Set<Token>;
  /** Offers whose amount the vault refused, while it may accept another amount of the token. */
  refusedAmounts: AmountRefusal[];
  /** The quotes for all bridges, by target token; those for the preferred bridge alone are not kept. */
  quotes: Map<Token, QuoteResults>;
}

/** A route that was built, what the caller made of it, and the warnings for the user. */
interface BuiltCandidate<B> {
  built: B;
  warnings: Warning[];
  way: RouteCandidate;
}

/**
 * Tries the routes in order, and finally those of providers whose time was over while others waited. Returns the first
 * that succeeds, or null. Throws errors that no other route could avoid.
 */
export async function tryCandidates<B>(
  ctx: Context,
  of: { state: RouteSearch<B>; offers: ValuedOffers; ways: readonly RouteCandidate[] },
): Promise<BuiltCandidate<B> | null> {
  const { state, ways } = of;
  const postponed: RouteCandidate[] = [];
  const names = ways.map(({ option }) => option.provider);
  const tried = new Set<string>();
  for (const way of ways) {
    const { provider } = way.option;
    // No other provider still waits for its first turn.
    const last = names.every((name) => name === provider || tried.has(name) || state.excluded.has(name));
    const found = await tryCandidate(ctx, { ...of, way, last });
    if (found === "postponed") postponed.push(way);
    else if (found !== null) return { ...found, way };
    else tried.add(provider);
  }
  for (const way of postponed) {
    const found = await tryCandidate(ctx, { ...of, way, last: true });
    if (found !== null && found !== "postponed") return { ...found, way };
  }
  return null;
}

/**
 * Builds and simulates one route. Returns null if the route is skipped or fails, and records the failure; returns
 * "postponed" if other providers must be tried first. Throws errors that no other route could avoid.
 */
async function tryCandidate<B>(
  ctx: Context,
  of: { state: RouteSearch<B>; offers: ValuedOffers; way: RouteCandidate; last: boolean },
): Promise<Omit<BuiltCandidate<B>, "way"> | "postponed" | null> {
  const { state, offers, way, last } = of;
  const provider = state.providers.find(({ name }) => name === way.option.provider);
  if (provider === undefined || !mayAttempt(ctx, of)) return null;
  const { name } = provider;
  const [now, spent] = [ctx.now(), state.attempts.get(name) ?? { count: 0, ms: 0 }];
  const deadline = attemptDeadline({ startedAt: state.startedAt, now, last, spentMs: spent.ms });
  if (deadline === null) return "postponed";
  const offer = async (nativeFee = way.option.nativeFee) =>
    toOffer(await valueOffers(ctx, offers), { ...way, nativeFee });
  const attempt = { ...way, token: offers.token, provider, deadline, funds: await state.funds, offer };
  try {
    if (way.ends === "two_step") {
      if (way.option.wrapsNative === true) await assertTakesNative(state.input.order);
      await learnIfUnfair(ctx, { offers, offer: await offer() });
    }
    const built = await state.input.build(ctx, attempt);
    return { built, warnings: warningsOf(await offer()) };
  } catch (error) {
    if (state.input.isFinal?.(error) === true) throw error;
    const failed = toProviderFailure(error);
    noteTargetRefusal({ ...of, failed });
    // Anything but an AppError is a defect: of the provider's answer, which other providers make good, or of the build.
    const level = error instanceof AppError ? "warn" : "error";
    ctx.log[level]("route_refused", { provider: name, ends: way.ends, error: describeError(error) });
    noteFailure(ctx, {
      state,
      name,
      error: failed,
      lie: isUnsafeRoute(failed) && !isMerelyLow(await offer()),
    });
    return null;
  } finally {
    state.attempts.set(name, { count: spent.count + 1, ms: spent.ms + ctx.now() - now });
  }
}

/**
 * Reads the feeds of the requested token if the offer is unfair by the prices known so far. The build of a route that
 * ends in a Router call reads them before it judges; that of a delivery to the user does not.
 */
async function learnIfUnfair(ctx: Context, of: { offers: ValuedOffers; offer: Offer }): Promise<void> {
  const { order, token, mayLearn } = of.offers;
  if (!mayLearn || findUnfairOption(of.offer) === null) return;
  const chain = order.client.definition;
  const tokens = pricedForms({ chain, token: token.address }).map((form) => form.token);
  await learnFeedPrices(ctx, { chainId: chain.chainId, tokens });
}

/** Returns true if the quote itself is unfair without promising too much: its provider may have better ones. */
const isMerelyLow = (offer: Offer): boolean => findUnfairOption(offer) !== null && !promisesTooMuch(offer);

/**
 * Records that the vault refuses the token, or only the amount that this route offers. Throws `failed` if it is neither
 * that nor the provider's fault, because no other route could avoid it.
 */
function noteTargetRefusal<B>(of: {
  state: RouteSearch<B>;
  offers: ValuedOffers;
  way: RouteCandidate;
  failed: AppError;
}): void {
  const { state, way, failed } = of;
  const { token } = of.offers;
  if (!state.input.isTargetRefusal(failed)) {
    if (!isProviderFailure(failed)) throw failed;
    return;
  }
  if (isAmountRefusal(failed)) state.refusedAmounts.push({ token, option: way.option, error: failed });
  else state.refused.add(token);
}

function mayAttempt<B>(
  ctx: Context,
  { state, offers, way }: { state: RouteSearch<B>; offers: ValuedOffers; way: RouteCandidate },
): boolean {
  const { token } = offers;
  const { provider: name } = way.option;
  const over = ctx.now() - state.startedAt > LAST_START_MS;
  const refused = state.refusedAmounts.some((one) => one.token === token && isRefusedToo(way.option, one));
  if (over || refused || state.refused.has(token) || state.excluded.has(name)) return false;
  return (state.attempts.get(name)?.count ?? 0) < MAX_ATTEMPTS;
}

/**
 * Records a provider's failure. Excludes the provider from this search if it is unreachable, limits requests, or
 * contradicts the request (`upstream_rejected`), its own quote or a fair value (`lie`).
 */
export function noteFailure<B>(
  ctx: Context,
  failed: { state: RouteSearch<B>; name: string; error: AppError; lie?: boolean },
): void {
  const { state, name, error } = failed;
  state.failures.push(error);
  const lied = failed.lie === true || error.code === "upstream_rejected";
  if (lied && !state.excluded.has(name))
    ctx.log.warn("provider_distrusted", { provider: name, error: describeError(error) });
  if (lied || UNREACHABLE_CODES.has(error.code)) state.excluded.add(name);
}

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
]);
