import { describe, expect, test } from "vitest";
import { MarketBreaker, PriceMemory } from "../../src/prices/price-book.ts";
import { feedPriceOf, testFeeds } from "../support/prices/fake-feeds.ts";

const NOW = 1_700_000_000_000;

describe("MarketBreaker", () => {
  test("doubles its pause up to a minute and forgets it with an answer", () => {
    const breaker = new MarketBreaker();
    const pauses = [5, 10, 20, 40, 60, 60].map((seconds) => {
      breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: null });
      return breaker.isOpen(NOW + seconds * 1000 - 1) && !breaker.isOpen(NOW + seconds * 1000);
    });
    expect(pauses).toEqual([true, true, true, true, true, true]);
    breaker.noteAnswer({ sentAt: NOW });
    expect(breaker.isOpen(NOW)).toBe(false);
  });

  test("lets one request try after a pause, and all of them after an answer", () => {
    const breaker = new MarketBreaker();
    const admitted = (at: number) => [1, 2, 3].map(() => breaker.admits(at));
    expect(admitted(NOW)).toEqual([true, true, true]);
    breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: null });
    expect(admitted(NOW + 4_999)).toEqual([false, false, false]);
    expect(admitted(NOW + 5_000)).toEqual([true, false, false]);
    breaker.noteAnswer({ sentAt: NOW + 5_000 });
    expect(admitted(NOW + 5_001)).toEqual([true, true, true]);
  });

  test("lets the next request try if the first one's outcome is not known for three seconds", () => {
    const breaker = new MarketBreaker();
    breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: null });
    const [trial, next] = [NOW + 5_000, NOW + 8_000];
    expect([trial, next - 1, next].map((at) => breaker.admits(at))).toEqual([true, false, true]);
  });

  test("counts what was sent before a failure to the same outage", () => {
    const breaker = new MarketBreaker();
    for (const later of [0, 100, 200])
      breaker.noteFailure({ now: NOW + 1_500 + later, sentAt: NOW + later, waitS: null });
    expect(breaker.report(NOW + 2_000)).toMatchObject({ hangs: 1, until: NOW + 6_700 });
    breaker.noteFailure({ now: NOW + 8_000, sentAt: NOW + 6_700, waitS: null });
    expect(breaker.report(NOW + 8_000)).toMatchObject({ hangs: 2, until: NOW + 18_000 });
  });

  test("does not shorten the pause that the API asked for", () => {
    const breaker = new MarketBreaker();
    breaker.noteFailure({ now: NOW, sentAt: NOW - 9, waitS: 30 });
    breaker.noteFailure({ now: NOW + 1, sentAt: NOW - 8, waitS: null });
    expect(breaker.isOpen(NOW + 29_999)).toBe(true);
  });

  test("does not end a pause by the answer to what was sent before it", () => {
    const breaker = new MarketBreaker();
    breaker.noteFailure({ now: NOW, sentAt: NOW - 9, waitS: 30 });
    breaker.noteAnswer({ sentAt: NOW - 1 });
    expect(breaker.report(NOW + 1)).toMatchObject({ state: "open", hangs: 1, until: NOW + 30_000 });
  });

  test("reports itself to operators", () => {
    const breaker = new MarketBreaker();
    const report = (now: number) => {
      const { state, hangs, until } = breaker.report(now);
      return [state, hangs, until];
    };
    expect(report(NOW)).toEqual(["closed", 0, null]);
    breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: null });
    expect(report(NOW + 4_999)).toEqual(["open", 1, NOW + 5_000]);
    expect(report(NOW + 5_000)).toEqual(["half_open", 1, null]);
    breaker.noteAnswer({ sentAt: NOW + 5_000 });
    expect(report(NOW + 5_000)).toEqual(["closed", 0, null]);
  });

  test("obeys Retry-After for a minute at most", () => {
    const breaker = new MarketBreaker();
    breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: 30 });
    expect([breaker.isOpen(NOW + 29_999), breaker.isOpen(NOW + 30_000)]).toEqual([true, false]);
    breaker.noteFailure({ now: NOW, sentAt: NOW, waitS: 7_200 });
    expect(breaker.isOpen(NOW + 60_000)).toBe(false);
  });
});

describe("PriceMemory", () => {
  test("takes a feed for confirmed for a day", () => {
    const memory = new PriceMemory();
    const [feed] = testFeeds.tokens[0]?.feeds ?? [];
    if (feed === undefined) throw new Error("no feed");
    const at = (now: number, chainId = 1) => memory.isConfirmed({ chainId, feed, now });
    expect(at(NOW)).toBe(false);
    memory.noteConfirmed({ chainId: 1, feeds: [feed.proxy.toLowerCase()], now: NOW });
    expect([at(NOW), at(NOW + 86_399_999), at(NOW + 86_400_000), at(NOW, 2)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("keeps feed prices for half a minute, and forgets those of feeds that have failed", () => {
    const memory = new PriceMemory();
    const price = feedPriceOf(1n);
    memory.notePrices(new Map([["a", price]]), NOW);
    expect([memory.recentPrice("a", NOW + 29_999), memory.recentPrice("a", NOW + 30_000)]).toEqual([
      price,
      null,
    ]);
    memory.forgetPrices(["a"]);
    expect(memory.recentPrice("a", NOW)).toBeNull();
  });

  test("logs the same problem once in ten minutes", () => {
    const memory = new PriceMemory();
    const log = (problem: string, now: number) => memory.mayLog(problem, now);
    expect([log("a", NOW), log("a", NOW + 599_999), log("b", NOW), log("a", NOW + 600_000)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });
});
