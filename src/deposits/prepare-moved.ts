import { isAddressEqual } from "viem";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import { withDeadline } from "../lib/deadline.ts";
import { describeError } from "../lib/log.ts";
import { askProviders, type Offers, toFailure } from "../providers/ask-providers.ts";
import { isOfProvider, mostUseful, reasonsOf } from "../providers/failures.ts";
import type { MoveOption, Provider } from "../providers/provider.ts";
import { type Ranking, rankOptions } from "../providers/select.ts";
import type { Token } from "../vaults/vault.ts";
import { attemptDeadline } from "./attempt-deadline.ts";
import { buildPlain } from "./build-plain.ts";
import { buildWithCall } from "./build-with-call.ts";
import { type Funds, readFunds } from "./funds.ts";
import { type BuiltTransfer, type MovedDeposit, toMoveRequest } from "./moved.ts";
import type { Order } from "./order.ts";
import { findTargets, isOfToken } from "./targets.ts";

/** By when what must have happened, milliseconds from the start: prices, the last transaction begun, everything. */
const PRICES_MS = 3_000;
const LAST_ATTEMPT_MS = 5_500;
const ALL_MS = 7_200;
const MAX_ATTEMPTS = 5;

/** What is known while ways are tried. */
interface Search {
  order: Order;
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
  offers: Map<Token, Offers>;
}

/** Over which bridges a token is tried: the preferred one alone, or all. */
type Round = "preferred" | "all";

/**
 * Finds a way for money that the vault does not take as it is: asks every provider for prices, and builds by the
 * best of them; one that is refused gives way to the next, one transaction to two, and a token that the vault
 * refuses now to its next one. The preferred bridge is tried for every token before any other is.
 * `without`: a token that the vault refused already, of which nothing is tried.
 * Throws the most useful of the failures, `token_unsupported`, and `upstream_timeout` after seven seconds.
 */
export async function prepareMoved(
  ctx: Context,
  { order, without = null }: { order: Order; without?: Token | null },
): Promise<MovedDeposit> {
  const late = () => failure("upstream_timeout", "the transfer could not be built in time");
  return withDeadline(search(ctx, { order, without }), { ms: ALL_MS, late });
}

async function search(
  ctx: Context,
  { order, without }: { order: Order; without: Token | null },
): Promise<MovedDeposit> {
  const startedAt = ctx.now();
  const request = toMoveRequest(order, order.vault.asset);
  const providers = await ctx.providers.all();
  const spenders = providers.flatMap((provider) => provider.spenders(request));
  const funds = readFunds(ctx, { order, spenders: [...new Set(spenders)] });
  funds.catch(() => undefined);
  const fresh = { attempts: 0, failures: [], dead: new Set<string>(), refused: new Set<Token>() };
  const state: Search = { order, providers, funds, startedAt, ...fresh, offers: new Map() };
  const targets = (await findTargets(ctx, order)).filter(
    ({ address }) => without === null || !isAddressEqual(address, without.address),
  );
  for (const round of roundsOf(order, targets)) {
    for (const token of targets) {
      const late = ctx.now() - startedAt > PRICES_MS && state.failures.length > 0;
      if (late && !state.offers.has(token)) break;
      const found = await tryToken(ctx, { state, token, round });
      if (found !== null) return found;
    }
  }
  await funds;
  throw mostUseful(state.failures);
}

/** Where the vault takes one token only, all bridges are one round: the preferred one comes first in it. */
function roundsOf(order: Order, targets: readonly Token[]): Round[] {
  const crosses = order.from.chainId !== order.vault.chainId;
  return order.preferredBridge !== null && crosses && targets.length > 1 ? ["preferred", "all"] : ["all"];
}

/** Tries every way to arrive in one token; null when none works. */
async function tryToken(
  ctx: Context,
  { state, token, round }: { state: Search; token: Token; round: Round },
): Promise<MovedDeposit | null> {
  const { order } = state;
  if (state.refused.has(token)) return null;
  const offers = await offersOf(ctx, { state, token, round });
  const call = order.entry.via === "router" && !isNative(token.address);
  const preference = { bridge: order.preferredBridge, call };
  const ranking = rankOptions(offers.options, preference);
  const ways = waysOf(ranking, { ...preference, round });
  if (ways.length === 0 && round === "all") noteUnusable(state, offers);
  for (const [index, { option, ends }] of ways.entries()) {
    const later = ways.slice(index + 1).map((way) => way.option.provider);
    const last = !later.some((name) => name !== option.provider && !state.dead.has(name));
    const built = await tryWay(ctx, { state, token, option, ends, last });
    if (built === null) continue;
    ctx.log.info("route", {
      provider: built.move.provider,
      bridge: built.move.bridge,
      ends,
      rule: ranking.decidedBy?.name ?? null,
      offers: offers.options.length,
    });
    return { ...built, token, ranking, reasons: reasonsOf(state.failures) };
  }
  return null;
}

/**
 * Asks for prices, of the first token in full: a later one is asked for over the preferred bridge alone in its
 * round, which costs nothing where our own tables say that it cannot carry the token.
 */
async function offersOf(
  ctx: Context,
  { state, token, round }: { state: Search; token: Token; round: Round },
): Promise<Offers> {
  const { order, startedAt } = state;
  const known = state.offers.get(token);
  if (known !== undefined) return known;
  const scope = { ...ctx.providers.scope, deadline: Math.max(ctx.now() + 500, startedAt + PRICES_MS) };
  const living = state.providers.filter(({ name }) => !state.dead.has(name));
  const only = round === "preferred" && state.offers.size > 0 ? order.preferredBridge : null;
  const bridges = only === null ? null : [only];
  const offers = await askProviders(living, { scope, request: { ...toMoveRequest(order, token), bridges } });
  for (const [name, error] of offers.failures) note(state, { name, error });
  if (bridges === null) state.offers.set(token, offers);
  return offers;
}

interface Way {
  option: MoveOption;
  ends: "call" | "plain";
}

/** The ways to try: what can call, and what the caller prefers; then what needs a second step. */
function waysOf(ranking: Ranking, preference: { bridge: string | null; call: boolean; round: Round }): Way[] {
  const { options } = ranking;
  const preferred = options.filter(({ bridge }) => bridge !== null && bridge === preference.bridge);
  const calling = (list: readonly MoveOption[]): Way[] =>
    preference.call
      ? list.filter(({ callable }) => callable).map((option) => ({ option, ends: "call" }))
      : [];
  const plain = (list: readonly MoveOption[]): Way[] =>
    list.filter((option) => option.plain).map((option) => ({ option, ends: "plain" }));
  const others =
    preference.round === "preferred" ? [] : options.filter((option) => !preferred.includes(option));
  return [...calling(preferred), ...plain(preferred), ...calling(others), ...plain(others)];
}

/** Builds by one way; null when it is refused, which is noted. Throws what the vault refuses in any token. */
async function tryWay(
  ctx: Context,
  { state, token, option, ends, last }: Way & { state: Search; token: Token; last: boolean },
): Promise<BuiltTransfer | null> {
  const provider = state.providers.find(({ name }) => name === option.provider);
  const over = ctx.now() - state.startedAt > LAST_ATTEMPT_MS || state.attempts >= MAX_ATTEMPTS;
  if (provider === undefined || over || state.dead.has(provider.name) || state.refused.has(token))
    return null;
  state.attempts += 1;
  const deadline = attemptDeadline({ startedAt: state.startedAt, now: ctx.now(), last });
  const attempt = { order: state.order, token, option, provider, deadline, funds: await state.funds };
  try {
    return await (ends === "call" ? buildWithCall : buildPlain)(ctx, attempt);
  } catch (error) {
    const failed = toFailure(error);
    if (isOfToken(failed)) state.refused.add(token);
    else if (!isOfProvider(failed)) throw failed;
    ctx.log.warn("route_refused", { provider: provider.name, ends, error: describeError(error) });
    note(state, { name: provider.name, error: failed });
    return null;
  }
}

/** Remembers why a provider did not do; one that cannot be reached is not asked again. */
function note(state: Search, failed: { name: string; error: AppError }): void {
  state.failures.push(failed.error);
  if (UNREACHABLE.has(failed.error.code)) state.dead.add(failed.name);
}

/**
 * Remembers why offers could not even be tried: one that ends in a call is of no use to a vault that must see
 * the user, and Across' pool pays a user wrapped native money unwrapped.
 */
function noteUnusable(state: Search, { options }: Offers): void {
  for (const name of new Set(options.map(({ provider }) => provider))) {
    const reasons = [{ code: "delivery_unsupported", detail: UNUSABLE }];
    note(state, { name, error: failure("no_route", UNUSABLE, { reasons }) });
  }
}

const UNUSABLE = "no bridge delivers this token to where the vault takes it from";

const UNREACHABLE: ReadonlySet<string> = new Set([
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
]);
