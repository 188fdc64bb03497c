import { isAddressEqual } from "viem";
import type { Context } from "../../context.ts";
import { type AppError, failure } from "../../errors.ts";
import { isNative } from "../../lib/address.ts";
import { describeError } from "../../lib/logger.ts";
import { withDeadline } from "../../lib/timers.ts";
import { type Funds, readFunds } from "../../orders/payer-funds.ts";
import type { Provider, TransferQuote } from "../../providers/provider.ts";
import {
  isProviderFailure,
  mostUsefulFailure,
  noRouteReasons,
  toProviderFailure,
} from "../../providers/provider-failures.ts";
import {
  type QuoteRanking,
  type QuoteResults,
  rankQuotes,
  requestQuotes,
} from "../../providers/provider-quotes.ts";
import type { Token } from "../../vaults/vault.ts";
import type { DepositOrder } from "./deposit-order.ts";
import { isTokenRefusal } from "./deposit-preflight.ts";
import { findTargetTokens } from "./deposit-target-tokens.ts";
import { buildOneStep } from "./one-step-deposit.ts";
import { type BuiltRoute, type RoutedDeposit, toTransferRequest } from "./prepared-deposit.ts";
import { buildTwoStep } from "./two-step-deposit.ts";

/**
 * Timeout for the last provider transaction to be built, in milliseconds from the start of the route search. The
 * transaction must still be simulated afterwards.
 */
const LAST_BUILD_MS = 6_500;
/** Timeout for one provider's transaction while another provider can still be tried, in milliseconds. */
const MAX_ATTEMPT_MS = 2_500;

/**
 * Returns the deadline for building a provider's transaction, in unix milliseconds. The last provider gets all the
 * remaining time, because cutting it short would fail a deposit that a slow response still allows.
 */
export function attemptDeadline(at: { startedAt: number; now: number; last: boolean }): number {
  const end = at.startedAt + LAST_BUILD_MS;
  return at.last ? end : Math.min(end, at.now + MAX_ATTEMPT_MS);
}

/** Deadline for the quotes, in milliseconds from the start of the route search. */
const QUOTES_MS = 3_000;
/** Time after which no further build is started, in milliseconds from the start of the route search. */
const LAST_START_MS = 5_500;
/** Timeout for the whole route search, in milliseconds. */
const SEARCH_MS = 7_200;
/** Maximum number of routes that one search builds. */
const MAX_ATTEMPTS = 5;

/** Mutable state of one route search. */
interface RouteSearch {
  order: DepositOrder;
  providers: readonly Provider[];
  funds: Promise<Funds>;
  startedAt: number;
  attempts: number;
  failures: AppError[];
  /** Names of the providers that could not be reached. */
  dead: Set<string>;
  /** Target tokens that the vault rejected. */
  refused: Set<Token>;
  /** The quotes of all providers, by target token. */
  offers: Map<Token, QuoteResults>;
}

/** The bridges that a pass of the route search may use: only the preferred bridge, or all. */
type BridgeRound = "preferred" | "all";

/**
 * Finds a route for a deposit that cannot start as a direct deposit: requests quotes from every provider and builds
 * them in order of preference until one passes simulation. If a route fails, the next one is tried: first one-step
 * routes, then two-step routes, and after the vault rejects a target token, routes to the next token. The preferred
 * bridge is tried for every token before other bridges. `without` is a token that the vault has already rejected.
 * Throws the most useful failure, `token_unsupported`, and `upstream_timeout` after seven seconds.
 */
export async function prepareRouted(
  ctx: Context,
  { order, without = null }: { order: DepositOrder; without?: Token | null },
): Promise<RoutedDeposit> {
  const late = () => failure("upstream_timeout", "the transfer could not be built in time; try again");
  return withDeadline(searchRoutes(ctx, { order, without }), { ms: SEARCH_MS, late });
}

async function searchRoutes(
  ctx: Context,
  { order, without }: { order: DepositOrder; without: Token | null },
): Promise<RoutedDeposit> {
  const startedAt = ctx.now();
  const request = toTransferRequest(order, order.vault.asset);
  const providers = await ctx.providers.all();
  const spenders = providers.flatMap((provider) => provider.spenders(request));
  const funds = readFunds(ctx, { payer: order, spenders: [...new Set(spenders)] });
  funds.catch(() => undefined);
  const fresh = { attempts: 0, failures: [], dead: new Set<string>(), refused: new Set<Token>() };
  const state: RouteSearch = { order, providers, funds, startedAt, ...fresh, offers: new Map() };
  const targets = (await findTargetTokens(ctx, order)).filter(
    ({ address }) => without === null || !isAddressEqual(address, without.address),
  );
  for (const round of roundsOf(order, targets)) {
    for (const token of targets) {
      const late = ctx.now() - startedAt > QUOTES_MS && state.failures.length > 0;
      if (late && !state.offers.has(token)) break;
      const found = await tryToken(ctx, { state, token, round });
      if (found !== null) return found;
    }
  }
  await funds;
  throw mostUsefulFailure(state.failures);
}

/**
 * Returns the passes of a route search. A vault with one target token needs a single pass, because its quotes are
 * ranked with the preferred bridge first.
 */
function roundsOf(order: DepositOrder, targets: readonly Token[]): BridgeRound[] {
  const crosses = order.from.chainId !== order.vault.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/** Tries every route to one target token and returns the first that succeeds, or null if none does. */
async function tryToken(
  ctx: Context,
  { state, token, round }: { state: RouteSearch; token: Token; round: BridgeRound },
): Promise<RoutedDeposit | null> {
  const { order } = state;
  if (state.refused.has(token)) return null;
  const offers = await offersOf(ctx, { state, token, round });
  const call = order.entry.via === "router" && !isNative(token.address);
  const preference = { bridge: order.preferredBridge, call };
  const ranking = rankQuotes(offers.quotes, preference);
  const ways = candidatesOf(ranking, { ...preference, round });
  if (ways.length === 0 && round === "all") noteUnusableOffers(state, offers);
  for (const [index, { option, ends }] of ways.entries()) {
    const later = ways.slice(index + 1).map((way) => way.option.provider);
    const last = !later.some((name) => name !== option.provider && !state.dead.has(name));
    const built = await tryCandidate(ctx, { state, token, option, ends, last });
    if (built === null) continue;
    ctx.log.info("route", {
      provider: built.route.provider,
      bridge: built.route.bridge,
      ends,
      rule: ranking.decidedBy?.name ?? null,
      offers: offers.quotes.length,
    });
    return { ...built, token, ranking, reasons: noRouteReasons(state.failures), warnings: [] };
  }
  return null;
}

/**
 * Requests the quotes for a target token. In the preferred pass, only the first token is quoted over all bridges; later
 * tokens are quoted over the preferred bridge only, which costs no request if that bridge cannot carry the token.
 */
async function offersOf(
  ctx: Context,
  { state, token, round }: { state: RouteSearch; token: Token; round: BridgeRound },
): Promise<QuoteResults> {
  const { order, startedAt } = state;
  const known = state.offers.get(token);
  if (known !== undefined) return known;
  const scope = { ...ctx.providers.scope, deadline: Math.max(ctx.now() + 500, startedAt + QUOTES_MS) };
  const living = state.providers.filter(({ name }) => !state.dead.has(name));
  const only = round === "preferred" && state.offers.size > 0 ? order.preferredBridge : null;
  const bridges = only === null ? null : [only];
  const offers = await requestQuotes(living, {
    scope,
    request: { ...toTransferRequest(order, token), bridges },
  });
  for (const [name, error] of offers.failures) noteFailure(state, { name, error });
  if (bridges === null) state.offers.set(token, offers);
  return offers;
}

interface RouteCandidate {
  option: TransferQuote;
  ends: "one_step" | "two_step";
}

/**
 * Returns the routes to try, in order: the preferred bridge before others, and for each of the two, one-step before
 * two-step routes.
 */
function candidatesOf(
  ranking: QuoteRanking,
  preference: { bridge: string | null; call: boolean; round: BridgeRound },
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
    preference.round === "preferred" ? [] : quotes.filter((option) => !preferred.includes(option));
  return [...calling(preferred), ...plain(preferred), ...calling(others), ...plain(others)];
}

/**
 * Builds and simulates one route. Returns null if the route is skipped or fails, and records the failure. Throws errors
 * that would apply to every target token of the vault.
 */
async function tryCandidate(
  ctx: Context,
  { state, token, option, ends, last }: RouteCandidate & { state: RouteSearch; token: Token; last: boolean },
): Promise<BuiltRoute | null> {
  const provider = state.providers.find(({ name }) => name === option.provider);
  const over = ctx.now() - state.startedAt > LAST_START_MS || state.attempts >= MAX_ATTEMPTS;
  if (provider === undefined || over || state.dead.has(provider.name) || state.refused.has(token))
    return null;
  state.attempts += 1;
  const deadline = attemptDeadline({ startedAt: state.startedAt, now: ctx.now(), last });
  const attempt = { order: state.order, token, option, provider, deadline, funds: await state.funds };
  try {
    return await (ends === "one_step" ? buildOneStep : buildTwoStep)(ctx, attempt);
  } catch (error) {
    const failed = toProviderFailure(error);
    if (isTokenRefusal(failed)) state.refused.add(token);
    else if (!isProviderFailure(failed)) throw failed;
    ctx.log.warn("route_refused", { provider: provider.name, ends, error: describeError(error) });
    noteFailure(state, { name: provider.name, error: failed });
    return null;
  }
}

/** Records a provider's failure. A provider that could not be reached is not tried again in this search. */
function noteFailure(state: RouteSearch, failed: { name: string; error: AppError }): void {
  state.failures.push(failed.error);
  if (UNREACHABLE_CODES.has(failed.error.code)) state.dead.add(failed.name);
}

/**
 * Records quotes that cannot be used: those that only support one step, for a vault that requires the user as caller,
 * or those for a wrapped native token that Across delivers unwrapped.
 */
function noteUnusableOffers(state: RouteSearch, { quotes }: QuoteResults): void {
  for (const name of new Set(quotes.map(({ provider }) => provider))) {
    const reasons = [{ code: "delivery_unsupported", detail: UNUSABLE_DETAIL }];
    noteFailure(state, { name, error: failure("no_route", UNUSABLE_DETAIL, { reasons }) });
  }
}

const UNUSABLE_DETAIL = "no bridge can deliver this token to the vault";

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
]);
