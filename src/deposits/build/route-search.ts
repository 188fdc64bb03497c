import { isAddressEqual } from "viem";
import type { Context } from "../../context.ts";
import { type AppError, failure } from "../../errors.ts";
import { isNative } from "../../lib/address.ts";
import { describeError } from "../../lib/logger.ts";
import { withDeadline } from "../../lib/timers.ts";
import { type Funds, readFunds } from "../../orders/funds.ts";
import type { Provider, TransferQuote } from "../../providers/provider.ts";
import { isProviderFailure, mostUsefulFailure, noRouteReasons } from "../../providers/provider-failures.ts";
import {
  type QuoteRanking,
  type QuoteResults,
  rankQuotes,
  requestQuotes,
  toProviderFailure,
} from "../../providers/provider-quotes.ts";
import type { Token } from "../../vaults/vault.ts";
import { buildOneStep } from "./one-step.ts";
import type { DepositOrder } from "./order.ts";
import { isTokenRefusal } from "./preflight.ts";
import { type BuiltRoute, type RoutedDeposit, toTransferRequest } from "./prepared-deposit.ts";
import { findTargetTokens } from "./target-tokens.ts";
import { buildTwoStep } from "./two-step.ts";

/** By when a transaction must have been built, so that it can still be simulated; milliseconds from the start. */
const LAST_BUILD_MS = 6_500;
/** What one provider may take while another could still be asked. */
const MAX_ATTEMPT_MS = 2_500;

/**
 * When a provider's transaction stops being of use, milliseconds since the epoch. The last provider that is left
 * has all the time there is: to give it up early would refuse a deposit that a slow but honest answer allows.
 */
export function attemptDeadline(at: { startedAt: number; now: number; last: boolean }): number {
  const end = at.startedAt + LAST_BUILD_MS;
  return at.last ? end : Math.min(end, at.now + MAX_ATTEMPT_MS);
}

/** By when what must have happened, milliseconds from the start: prices, the last transaction begun, everything. */
const QUOTES_MS = 3_000;
const LAST_START_MS = 5_500;
const SEARCH_MS = 7_200;
const MAX_ATTEMPTS = 5;

/** What is known while ways are tried. */
interface RouteSearch {
  order: DepositOrder;
  providers: readonly Provider[];
  funds: Promise<Funds>;
  startedAt: number;
  attempts: number;
  failures: AppError[];
  /** Providers that do not answer now. */
  dead: Set<string>;
  /** Tokens that the vault itself refused now. */
  refused: Set<Token>;
  /** What every provider offers for a token, once it was asked for. */
  offers: Map<Token, QuoteResults>;
}

/** Over which bridges a token is tried: the preferred one alone, or all. */
type BridgeRound = "preferred" | "all";

/**
 * Finds a way for money that the vault does not take as it is: asks every provider for prices, and builds by the
 * best of them; one that is refused gives way to the next, one transaction to two, and a token that the vault
 * refuses now to its next one. The preferred bridge is tried for every token before any other is.
 * `without`: a token that the vault refused already, of which nothing is tried.
 * Throws the most useful of the failures, `token_unsupported`, and `upstream_timeout` after seven seconds.
 */
export async function prepareRouted(
  ctx: Context,
  { order, without = null }: { order: DepositOrder; without?: Token | null },
): Promise<RoutedDeposit> {
  const late = () => failure("upstream_timeout", "the transfer could not be built in time");
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

/** Where the vault takes one token only, all bridges are one round: the preferred one comes first in it. */
function roundsOf(order: DepositOrder, targets: readonly Token[]): BridgeRound[] {
  const crosses = order.from.chainId !== order.vault.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/** Tries every way to arrive in one token; null when none works. */
async function tryToken(
  ctx: Context,
  { state, token, round }: { state: RouteSearch; token: Token; round: BridgeRound },
): Promise<RoutedDeposit | null> {
  const { order } = state;
  if (state.refused.has(token)) return null;
  const offers = await offersOf(ctx, { state, token, round });
  const call = order.entry.via === "router" && !isNative(token.address);
  const preference = { bridge: order.preferredBridge, call };
  const ranking = rankQuotes(offers.options, preference);
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
      offers: offers.options.length,
    });
    return { ...built, token, ranking, reasons: noRouteReasons(state.failures) };
  }
  return null;
}

/**
 * Asks for prices, of the first token in full: a later one is asked for over the preferred bridge alone in its
 * round, which costs nothing where our own tables say that it cannot carry the token.
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

/** The ways to try: what can call, and what the caller prefers; then what needs a second step. */
function candidatesOf(
  ranking: QuoteRanking,
  preference: { bridge: string | null; call: boolean; round: BridgeRound },
): RouteCandidate[] {
  const { options } = ranking;
  const preferred = options.filter(({ bridge }) => bridge !== null && bridge === preference.bridge);
  const calling = (list: readonly TransferQuote[]): RouteCandidate[] =>
    preference.call
      ? list.filter(({ callable }) => callable).map((option) => ({ option, ends: "one_step" }))
      : [];
  const plain = (list: readonly TransferQuote[]): RouteCandidate[] =>
    list.filter((option) => option.plain).map((option) => ({ option, ends: "two_step" }));
  const others =
    preference.round === "preferred" ? [] : options.filter((option) => !preferred.includes(option));
  return [...calling(preferred), ...plain(preferred), ...calling(others), ...plain(others)];
}

/** Builds by one way; null when it is refused, which is noted. Throws what the vault refuses in any token. */
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

/** Remembers why a provider did not do; one that cannot be reached is not asked again. */
function noteFailure(state: RouteSearch, failed: { name: string; error: AppError }): void {
  state.failures.push(failed.error);
  if (UNREACHABLE_CODES.has(failed.error.code)) state.dead.add(failed.name);
}

/**
 * Remembers why offers could not even be tried: one that ends in a call is of no use to a vault that must see
 * the user, and Across' pool pays a user wrapped native money unwrapped.
 */
function noteUnusableOffers(state: RouteSearch, { options }: QuoteResults): void {
  for (const name of new Set(options.map(({ provider }) => provider))) {
    const reasons = [{ code: "delivery_unsupported", detail: UNUSABLE_DETAIL }];
    noteFailure(state, { name, error: failure("no_route", UNUSABLE_DETAIL, { reasons }) });
  }
}

const UNUSABLE_DETAIL = "no bridge delivers this token to where the vault takes it from";

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
]);
