import { describe, expect, test } from "vitest";
import {
  checkRound,
  describesPair,
  type FeedRound,
  SEQUENCER_GRACE_S,
  sequencerIsUp,
  staleAfter,
} from "../../../src/prices/feeds/chainlink-feed-answers.ts";

const NOW = 1_700_000_000;
const ONE = 10n ** 18n;
const round = (change: Partial<FeedRound> = {}): FeedRound => ({
  roundId: 9n,
  answer: 2_000n * 10n ** 8n,
  startedAt: BigInt(NOW - 70),
  updatedAt: BigInt(NOW - 60),
  answeredInRound: 9n,
  ...change,
});
const hourly = { decimals: 8, heartbeatS: 3_600 };
const judge = (change: Partial<FeedRound>, feed = hourly) =>
  checkRound(feed, { round: round(change), headTime: NOW });

describe("checkRound()", () => {
  test("scales a fresh answer to 18 decimals and keeps its time", () => {
    expect(judge({})).toEqual({ ok: true, value: 2_000n * ONE, at: NOW - 60 });
  });

  test.each([
    [0, 3n, 3n * ONE],
    [6, 1_000_001n, 1_000_001n * 10n ** 12n],
    [18, ONE, ONE],
    [36, 10n ** 36n + 999n, ONE],
  ])("reads answers of %i decimals, rounding down", (decimals, answer, value) => {
    expect(judge({ answer }, { decimals, heartbeatS: 3_600 })).toMatchObject({ ok: true, value });
  });

  test.each([10n ** 6n, 10n ** 27n])("takes an answer at the bounds: %s", (answer) => {
    const feed = { decimals: 18, heartbeatS: 3_600 };
    expect(judge({ answer }, feed)).toMatchObject({ ok: true, value: answer });
    const beyond = answer === 10n ** 6n ? answer - 1n : answer + 1n;
    expect(judge({ answer: beyond }, feed)).toEqual({ ok: false, problem: "out_of_bounds" });
  });

  test("takes the least answer, and one up to a minute ahead of the block", () => {
    expect(judge({ answer: 1n })).toMatchObject({ ok: true });
    expect(judge({ updatedAt: BigInt(NOW + 60) })).toMatchObject({ ok: true });
  });

  test.each<[string, Partial<FeedRound>]>([
    ["not_positive", { answer: 0n }],
    ["not_positive", { answer: -1n }],
    ["not_positive", { answer: -(2n ** 191n) }],
    ["incomplete", { roundId: 0n, answeredInRound: 0n }],
    ["incomplete", { updatedAt: 0n }],
    ["incomplete", { answeredInRound: 8n }],
    ["out_of_bounds", { answer: 2n ** 191n - 1n }],
    ["out_of_bounds", { answer: 10n ** 18n }],
    ["future", { updatedAt: BigInt(NOW + 61) }],
    ["stale", { updatedAt: BigInt(NOW - 5_701) }],
  ])("refuses as %s: %o", (problem, change) => {
    expect(judge(change)).toEqual({ ok: false, problem });
  });

  test("refuses a feed that was not read", () => {
    expect(checkRound(hourly, { round: null, headTime: NOW })).toEqual({ ok: false, problem: "unread" });
  });

  test.each([27, 60, 255, 3_600, 82_800, 86_400])(
    "is stale by the feed's own heartbeat of %i s",
    (heartbeatS) => {
      const feed = { decimals: 8, heartbeatS };
      const limit = staleAfter(feed);
      expect(limit).toBe(heartbeatS * 1.5 + 300);
      expect(judge({ updatedAt: BigInt(NOW - Math.floor(limit)) }, feed).ok).toBe(true);
      expect(judge({ updatedAt: BigInt(NOW - Math.floor(limit) - 1) }, feed).ok).toBe(false);
    },
  );
});

describe("sequencerIsUp()", () => {
  const since = (ageS: number, answer = 0n) =>
    sequencerIsUp({ round: round({ answer, startedAt: BigInt(NOW - ageS) }), headTime: NOW });

  test("needs half an hour since the last start", () => {
    expect(SEQUENCER_GRACE_S).toBe(1_800);
    expect([since(SEQUENCER_GRACE_S), since(SEQUENCER_GRACE_S - 1), since(0)]).toEqual([true, false, false]);
  });

  test("is false while the sequencer is down, unread, or its feed not initialised", () => {
    expect(since(10 * SEQUENCER_GRACE_S, 1n)).toBe(false);
    expect(sequencerIsUp({ round: null, headTime: NOW })).toBe(false);
    expect(sequencerIsUp({ round: round({ answer: 0n, startedAt: 0n }), headTime: NOW })).toBe(false);
  });
});

describe("describesPair()", () => {
  const eth = { pairs: ["ETH/USD"] };
  const rate = { pairs: ["WSTETH/STETH"] };

  test.each(["ETH / USD", "eth/usd", "ETH-USD", "ETH / USD Calculated"])("takes %s", (text) => {
    expect(describesPair(eth, text)).toBe(true);
  });

  test.each(["wstETH-stETH Exchange Rate", "wstETH / stETH Exchange Rate", "wstETH-stETH-Exchange-Rate"])(
    "takes %s",
    (text) => {
      expect(describesPair(rate, text)).toBe(true);
    },
  );

  test.each(["", "USD / ETH", "ETH / USDC", "stETH / USD", "ETH / USD TEST CAPPED", "WETH / USD"])(
    "refuses %j",
    (text) => {
      expect(describesPair(eth, text)).toBe(false);
    },
  );

  test("takes either name of a renamed token", () => {
    const pol = { pairs: ["MATIC/USD", "POL/USD"] };
    expect(["MATIC / USD", "POL / USD", "MON / USD"].map((text) => describesPair(pol, text))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
