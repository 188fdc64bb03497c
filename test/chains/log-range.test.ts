import { describe, expect, test } from "vitest";
import {
  INITIAL_BLOCKS,
  isRangeRefusal,
  reduceLimit,
  shrinkQuery,
  widenRange,
} from "../../src/chains/log-range.ts";

describe("isRangeRefusal() and reduceLimit()", () => {
  test.each([
    ["exceed maximum block range: 50000", 60_000, 50_000],
    ["eth_getLogs is limited to a 10,000 range", 50_000, 10_000],
    ["query exceeds max block range 100000", 200_000, 100_000],
    ["requested too many blocks from 0 to 50000, maximum is set to 2048", 50_001, 2_048],
    ["ranges over 10000 blocks are not supported on freetier", 20_000, 10_000],
    [
      "You can make eth_getLogs requests with up to a 2K block range and no limit on the response size",
      8_000,
      2_000,
    ],
    ["query returned more than 10000 results", 2_000, 1_000],
    ["block range is too wide", 2_000, 1_000],
    ["response exceeds 10 MB", 2_000, 1_000],
    ["response size exceeds limit of 10MB", 2_000, 1_000],
    ["query exceeds 10s timeout", 2_000, 1_000],
    ["query timed out: took more than 10 seconds", 2_000, 1_000],
    ["Log response size exceeded.", 2_000, 1_000],
    ["query timeout exceeded", 7, 3],
    ["query timed out", 1, 1],
  ])("%s", (message, asked, next) => {
    expect(isRangeRefusal(message)).toBe(true);
    expect(reduceLimit(asked, message)).toBe(next);
  });

  test.each([
    "rate limit exceeded",
    "daily request count exceeded, request rate limited",
    "Your app has exceeded its compute units per second capacity",
    "429: Too Many Requests",
    "-32005: Too many requests, please slow down",
    "-32016: request limit reached",
    "You have exceeded the maximum number of requests",
    "header not found",
    "missing trie node",
  ])("ignores another refusal: %s", (message) => {
    expect(isRangeRefusal(message)).toBe(false);
  });
});

test("widenRange() grows by a sixteenth up to a limit", () => {
  expect([widenRange(1), widenRange(16), widenRange(INITIAL_BLOCKS), widenRange(50_000)]).toEqual([
    2, 17, 2_125, 50_000,
  ]);
});

describe("shrinkQuery()", () => {
  const asked = { blocks: 2_000, addresses: 500, topics: 18 };
  test.each([
    ["-32602: invalid params: exceed max topics", { topics: 9 }],
    ["-32000: too many topics, at most 4 allowed", { topics: 4 }],
    ["-32602: Number of addresses exceeds limit 50", { addresses: 50 }],
    ["-32005: eth_getLogs is limited to 10 contracts per request", { addresses: 10 }],
    ["-32602: exceed max addresses or topics per search position", { addresses: 250 }],
    ["-32701: exceed maximum block range: 1000", { blocks: 1_000 }],
    ["-32005: daily request count exceeded for this address", null],
    ["-32602: invalid address", null],
    ["-32000: header not found", null],
  ] as const)("%s", (message, next) => {
    expect(shrinkQuery(asked, message)).toEqual(next);
  });

  test("reduces the blocks when the named list has one entry, and nothing when those are one too", () => {
    const message = "too many topics or addresses, max 3";
    expect(shrinkQuery({ blocks: 8, addresses: 1, topics: 1 }, message)).toEqual({ blocks: 3 });
    expect(shrinkQuery({ blocks: 1, addresses: 1, topics: 1 }, message)).toBe(null);
  });
});
