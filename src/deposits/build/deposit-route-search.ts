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

/** Deadline of the last provider transaction, in milliseconds from the start: it must still be simulated. */
const LAST_BUILD_MS = 6_500;
/** Milliseconds for one provider while another can still be tried. */
const MAX_ATTEMPT_MS = 2_500;

/**
 * Returns the deadline of a provider's transaction in unix milliseconds. The last provider gets all the
 * remaining time: cutting it short would refuse a deposit that a slow answer still allows.
 */
export function attemptDeadline(at: { startedAt: number; now: number; last: boolean }): number {
  const end = at.startedAt + LAST_BUILD_MS;
  return at.last ? end : Math.min(end, at.now + MAX_ATTEMPT_MS);
}

/** Deadlines in milliseconds from the start: quotes, the start of the last build, the whole search. */
const QUOTES_MS = 3_000;
const LAST_START_MS = 5_500;
const SEARCH_MS = 7_200;
const MAX_ATTEMPTS = 5;

/** State of one route search. */
interface RouteSearch {
  order: DepositOrder;
  providers: readonly Provider[];
  funds: Promise<Funds>;
  startedAt: number;
  attempts: number;
  failures: AppError[];
  /** Providers that could not be reached. */
  dead: Set<string>;
  /** Tokens that the vault refused. */
  refused: Set<Token>;
  /** Quotes of every provider, by target token. */
  offers: Map<Token, QuoteResults>;
}

/** Bridges of one round: the preferred bridge only, or all. */
type BridgeRound = "preferred" | "all";

/**
 * Finds a route for money that the vault does not accept directly: requests quotes from every provider and
 * builds them in order of preference. A refused route gives way to the next one, one step to two steps, and a
 * target token that the vault refuses to the next token. The preferred bridge is tried for every token before
 * other bridges. `without` is a token that the vault has already refused. Throws the most useful failure,
 * `token_unsupported`, and `upstream_timeout` after seven seconds.
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
 * Returns the rounds of a search. A vault with one token needs one round: its quotes are ranked with the
 * preferred bridge first.
 */
function roundsOf(order: DepositOrder, targets: readonly Token[]): BridgeRound[] {
  const crosses = order.from.chainId !== order.vault.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/** Tries every route to one target token; null when none works. */
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
    return { ...built, token, ranking, reasons: noRouteReasons(state.failures) };
  }
  return null;
}

/**
 * Requests quotes for a token: in full for the first token; in the preferred round a later token is quoted
 * over the preferred bridge only, which costs no request when the bridge cannot carry it.
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

/** Returns the routes to try, preferred bridge first: one step before two steps. */
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
 * Builds one route; null when it is refused, with the refusal noted. Throws refusals that apply to the vault
 * in every token.
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

/** Notes a provider's failure; an unreachable provider is not asked again. */
function noteFailure(state: RouteSearch, failed: { name: string; error: AppError }): void {
  state.failures.push(failed.error);
  if (UNREACHABLE_CODES.has(failed.error.code)) state.dead.add(failed.name);
}

/**
 * Notes quotes that cannot be used: one step into a vault that requires the user as caller, or wrapped native
 * money that Across pays out unwrapped.
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
