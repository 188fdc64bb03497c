import { describe, expect, test } from "vitest";
import { firstSpan, narrow, refusesSize, widen } from "../../src/flows/span.ts";

describe("a refusal of too large a question", () => {
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
    ["Log response size exceeded.", 2_000, 1_000],
    ["query timeout exceeded", 7, 3],
    ["query timed out", 1, 1],
  ])("%s", (message, asked, next) => {
    expect(refusesSize(message)).toBe(true);
    expect(narrow(asked, message)).toBe(next);
  });

  test.each([
    "rate limit exceeded",
    "daily request count exceeded, request rate limited",
    "Your app has exceeded its compute units per second capacity",
    "header not found",
    "missing trie node",
  ])("is not: %s", (message) => {
    expect(refusesSize(message)).toBe(false);
  });
});

test("spans grow slowly, and to a limit", () => {
  expect([widen(1), widen(16), widen(firstSpan), widen(50_000)]).toEqual([2, 17, 2_125, 50_000]);
});
