import type { Context } from "../context.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { withDeadline } from "../lib/timers.ts";
import { agedMarketPrice, fetchMarketPrices, type MarketScope, TOKENS_PER_REQUEST } from "./market-prices.ts";
import { type ChainToken, type Prices, priceKey } from "./price.ts";

/** Ages of a held price: up to which it is not asked again, served without waiting, and served at all. */
const FRESH_MS = MINUTE_MS;
const STALE_MS = 5 * MINUTE_MS;
const KEEP_MS = HOUR_MS;
/** Time from asking for a token until it may be asked again without an answer, in milliseconds. */
const ASK_AGAIN_MS = 3 * SECOND_MS;
/** Maximum wait for the API, in milliseconds: longer than its timeout, because a joined request may never settle. */
const WAIT_MS = 1_800;

/**
 * Returns the market prices of tokens that a client chose, from this isolate's memory, which keeps each token's price
 * for minutes, and up to an hour if the API fails; asks the API only for the others. Writes nothing to Redis. A token
 * without a price, or whose price is late or not asked for because the minute's requests are spent, is absent. Never
 * throws.
 */
export async function readListedMarket(
  ctx: Context,
  { scope, tokens }: { scope: Omit<MarketScope, "breaker">; tokens: readonly ChainToken[] },
): Promise<Prices> {
  if (scope.apiUrl === null) return new Map();
  const { held, asked } = ctx.prices.memory.listed;
  const now = ctx.now();
  const wanted = new Map(tokens.map((token) => [priceKey(token), token]));
  const ageOf = (key: string): number => now - (held.get(key)?.askedAt ?? Number.NEGATIVE_INFINITY);
  const askOf = (key: string) => {
    const last = asked.get(key);
    return last !== undefined && now - last.at < ASK_AGAIN_MS ? last : undefined;
  };
  const due = [...wanted].filter(([key]) => ageOf(key) >= FRESH_MS && askOf(key) === undefined);
  for (let start = 0; start < due.length; start += TOKENS_PER_REQUEST)
    ask(ctx, { scope, due: due.slice(start, start + TOKENS_PER_REQUEST), now });
  const awaited = [...wanted.keys()].flatMap((key) =>
    ageOf(key) < STALE_MS ? [] : (askOf(key)?.answer ?? []),
  );
  if (awaited.length > 0) {
    const all = Promise.all(new Set(awaited));
    await withDeadline(all, { ms: WAIT_MS, late: () => new Error("late") }).catch(() => undefined);
  }
  return new Map(
    [...wanted.keys()].flatMap((key) => {
      const price = ageOf(key) < KEEP_MS ? held.get(key)?.price : null;
      return price === null || price === undefined ? [] : [[key, agedMarketPrice(price, now)]];
    }),
  );
}

/** Sends one request for tokens, if the minute's requests are not spent; other requests of the isolate can join it. */
function ask(
  ctx: Context,
  of: { scope: Omit<MarketScope, "breaker">; due: readonly (readonly [string, ChainToken])[]; now: number },
): void {
  const { listed } = ctx.prices.memory;
  const { scope, due, now } = of;
  if (listed.breaker.isOpen(now)) return;
  if (!listed.takeRequest(now)) {
    if (ctx.prices.memory.mayLog("listed", now)) ctx.log.warn("market_prices_missing", { error: "budget" });
    return;
  }
  const tokens = due.map(([, token]) => token);
  const answer = fetchMarketPrices({ ...scope, breaker: listed.breaker }, tokens).then(
    (prices) => {
      for (const [key] of due) listed.held.set(key, { price: prices.get(key) ?? null, askedAt: now });
    },
    (error: unknown) => ctx.log.info("market_prices_missing", { error: describeError(error) }),
  );
  for (const [key] of due) listed.asked.set(key, { at: now, answer });
  ctx.waitUntil(answer);
}
