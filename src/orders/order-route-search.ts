import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { withDeadline } from "../lib/timers.ts";
import type { Provider, TransferQuote } from "../providers/provider.ts";
import { mostUsefulFailure, type NoRouteReason, noRouteReasons } from "../providers/provider-failures.ts";
import {
  type QuoteRanking,
  type QuoteResults,
  rankQuotes,
  requestQuotes,
} from "../providers/provider-quotes.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import type { Warning } from "../schemas/step-schema.ts";
import type { Token } from "../vaults/vault.ts";
import { asksForSignature } from "./authorization/choose-authorization.ts";
import { type Funds, readFunds, receiverWarnings } from "./order-payer-funds.ts";
import {
  noteFailure,
  type RouteSearch,
  type RouteSearchInput,
  tryCandidates,
} from "./order-route-attempts.ts";
import {
  type BridgePass,
  candidatesOf,
  passesOf,
  toTransferRequest,
  withLeast,
} from "./order-route-candidates.ts";
import {
  findUnfairOption,
  type OfferSet,
  promisesTooMuch,
  toOffer,
  unfairOffer,
  type ValuedOffers,
  valueOffers,
} from "./order-route-fairness.ts";
import { counterpartOf } from "./order-token-relation.ts";

/** Deadline for quotes, in milliseconds from the start of the route search; late requests still get half a second. */
const QUOTES_MS = 3_000;
/** Timeout for the whole route search, in milliseconds. */
const SEARCH_MS = 7_200;
/** The result of a route search: the route that was built, and what the search found about the others. */
export interface FoundRoute<B> {
  built: B;
  token: Token;
  /** Decimals of the token that the user pays with, or null if unknown. */
  fromDecimals: number | null;
  /** The fair quotes for the token from trusted providers, best first; possibly those of the preferred bridge alone. */
  ranking: QuoteRanking;
  /** Why other routes failed; empty if none did. */
  reasons: NoRouteReason[];
  warnings: Warning[];
}

/**
 * Finds a route for an order: requests quotes and builds the acceptable ones in order of preference until one succeeds.
 * If none does, throws the most useful failure, or `upstream_timeout` after 7.2 seconds. Errors that no other route
 * could avoid propagate.
 */
export async function searchRoutes<B>(ctx: Context, input: RouteSearchInput<B>): Promise<FoundRoute<B>> {
  const late = () => failure("upstream_timeout", "the transfer could not be built in time; try again");
  return withDeadline(search(ctx, input), { ms: SEARCH_MS, late });
}

async function search<B>(ctx: Context, input: RouteSearchInput<B>): Promise<FoundRoute<B>> {
  const { order, targets } = input;
  const startedAt = ctx.now();
  const providers = await ctx.providers.all();
  const state: RouteSearch<B> = {
    input,
    providers,
    funds: fundsOf(ctx, { input, providers }),
    startedAt,
    attempts: new Map(),
    failures: [],
    excluded: new Set(),
    refused: new Set(),
    refusedAmounts: [],
    quotes: new Map(),
  };
  state.funds.catch(() => undefined);
  for (const pass of passesOf(order, targets)) {
    for (const token of targets) {
      const late = ctx.now() - startedAt > QUOTES_MS && state.failures.length > 0;
      if (late && !state.quotes.has(token)) break;
      const found = await tryToken(ctx, { state, token, pass });
      if (found !== null) return found;
    }
  }
  await state.funds;
  throw mostUsefulFailure(state.failures);
}

/** Reads the payer's funds, and in the same request the price feeds of the order's tokens on the source chain. */
function fundsOf<B>(
  ctx: Context,
  { input, providers }: { input: RouteSearchInput<B>; providers: readonly Provider[] },
): Promise<Funds> {
  const { order, targets } = input;
  const request = toTransferRequest(order, { address: order.from.token });
  const signs = order.authorize !== undefined && asksForSignature(order.authorize);
  const crosses = order.from.chainId !== order.client.definition.chainId;
  const spenders = [
    ...providers.flatMap((provider) => provider.spenders(request)),
    // Some swaps are sent only through the Router.
    ...(signs || !crosses ? [depositRouterAddress] : []),
  ];
  const source = order.from.client.definition;
  const priced = targets.flatMap(({ address }) => {
    const token = { chain: order.client.definition, token: address };
    if (order.from.chainId === token.chain.chainId) return [address];
    return counterpartOf(providers, { token, chain: source }) ?? [];
  });
  return readFunds(ctx, { payer: order, spenders: [...new Set(spenders)], priced, crosses });
}

/** Tries the routes to one target token in order. Returns the first that succeeds, or null if none does. */
async function tryToken<B>(
  ctx: Context,
  { state, token, pass }: { state: RouteSearch<B>; token: Token; pass: BridgePass },
): Promise<FoundRoute<B> | null> {
  const { order } = state.input;
  if (state.refused.has(token)) return null;
  const results = await quotesOf(ctx, { state, token, pass });
  const offers = await valueOffers(ctx, await offerSetOf(state, { token, quotes: results.quotes }));
  const call = state.input.callable(token);
  const preference = { bridge: order.preferredBridge, call };
  const ranking = rankQuotes(fairOptions(ctx, { state, offers }), preference);
  const ways = candidatesOf(ranking, { ...preference, pass });
  if (ways.length === 0 && pass === "all") noteUnusable(state, ranking.quotes);
  const found = await tryCandidates(ctx, { state, offers, ways });
  if (found === null) return null;
  const { option, ends } = found.way;
  const decided = ranking.decidedBy?.name ?? null;
  const { provider, bridge } = option;
  ctx.log.info("route", { provider, bridge, ends, rule: decided, offers: offers.quotes.length });
  const quotes = await stillFair(ctx, { state, offers, quotes: ranking.quotes });
  const reasons = noRouteReasons(state.failures);
  const funds = await state.funds;
  const { decimals: fromDecimals } = funds;
  const { built } = found;
  const warnings = [...found.warnings, ...(await receiverWarnings(order, funds))];
  return { built, warnings, token, fromDecimals, ranking: { ...ranking, quotes }, reasons };
}

/**
 * Returns the quotes of trusted providers that are fair by the prices known now. Reads on the destination chain may
 * have added the price by which a quote that was kept without one is unfair.
 */
async function stillFair<B>(
  ctx: Context,
  of: { state: RouteSearch<B>; offers: ValuedOffers; quotes: readonly TransferQuote[] },
): Promise<TransferQuote[]> {
  const offers = await valueOffers(ctx, of.offers);
  return of.quotes.filter(
    (option) =>
      !of.state.excluded.has(option.provider) &&
      findUnfairOption(toOffer(offers, { option, ends: "one_step" })) === null,
  );
}

async function offerSetOf<B>(
  state: RouteSearch<B>,
  { token, quotes }: { token: Token; quotes: readonly TransferQuote[] },
): Promise<OfferSet> {
  const { decimals } = await state.funds;
  return { order: state.input.order, token, paidDecimals: decimals, tables: state.providers, quotes };
}

/**
 * Returns the quotes for a target token. In the preferred pass, tokens after the first are quoted over the preferred
 * bridge only, which costs no request if that bridge cannot carry the token.
 */
async function quotesOf<B>(
  ctx: Context,
  { state, token, pass }: { state: RouteSearch<B>; token: Token; pass: BridgePass },
): Promise<QuoteResults> {
  const { startedAt } = state;
  const { order } = state.input;
  const known = state.quotes.get(token);
  if (known !== undefined) return known;
  const scope = { ...ctx.providers.scope, deadline: Math.max(ctx.now() + 500, startedAt + QUOTES_MS) };
  const usable = state.providers.filter(({ name }) => !state.excluded.has(name));
  const only = pass === "preferred" && state.quotes.size > 0 ? order.preferredBridge : null;
  const bridges = only === null ? null : [only];
  const request = { ...toTransferRequest(order, token), bridges };
  const results = await requestQuotes(usable, { scope, request });
  for (const [name, error] of results.failures) noteFailure(ctx, { state, name, error });
  if (bridges === null) state.quotes.set(token, results);
  return results;
}

/**
 * Returns the quotes that a build may accept. A quote that is unfair, or whose fair value is unknown, is kept while
 * reads on the destination chain may still change the price by which it is judged.
 */
function fairOptions<B>(
  ctx: Context,
  { state, offers }: { state: RouteSearch<B>; offers: ValuedOffers },
): TransferQuote[] {
  const kept: TransferQuote[] = [];
  for (const option of offers.quotes) {
    if (state.excluded.has(option.provider)) continue;
    const offer = toOffer(offers, { option, ends: "one_step" });
    const broken = findUnfairOption(offer);
    if (broken === null || offers.mayLearn) {
      kept.push(broken === null ? withLeast(offer) : option);
      continue;
    }
    const lie = promisesTooMuch(offer);
    noteFailure(ctx, { state, name: option.provider, error: unfairOffer(broken), lie });
  }
  return kept.filter(({ provider }) => !state.excluded.has(provider));
}

/** Records a failure for each provider whose quotes cannot deliver the token in a way that the order accepts. */
function noteUnusable<B>(state: RouteSearch<B>, quotes: readonly TransferQuote[]): void {
  for (const _ of new Set(quotes.map(({ provider }) => provider))) {
    const reasons = [{ code: "delivery_unsupported", detail: UNUSABLE_DETAIL }];
    state.failures.push(failure("no_route", UNUSABLE_DETAIL, { reasons }));
  }
}

const UNUSABLE_DETAIL = "no bridge can deliver this token as the order needs it";
