import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { createQuery, type Query, queryAll, type Read, readThen } from "../../src/chains/chain-reads.ts";
import { atBlockTime } from "../../src/chains/chain-time.ts";
import { contractsClient } from "../support/chains/multicall.ts";

const NOW = 1_700_000_000_000;
const value: Read<unknown> = {
  to: "0x0000000000000000000000000000000000000a01",
  data: "0x01",
  decode: () => 1n,
};
/** A query that reads one value for each day and answers with its time and what it was given. */
const daily = (now: number): Query<unknown> =>
  createQuery({ [`day${Math.floor(now / 86_400_000)}`]: value }, (results) => ({ now, results }));

test("a query is interpreted at the time of its block, with its own reads only", () => {
  const query = atBlockTime(NOW, daily);
  const [name = "", time = ""] = Object.keys(query.reads);
  const read = { ok: true, value: 7n } as const;
  const at = (seconds: bigint) => query.interpret({ [name]: read, [time]: { ok: true, value: seconds } });
  expect(at(1_700_000_100n)).toEqual({ now: NOW + 100_000, results: { [name]: read } });
  // Two days before, it asks for what was not read.
  expect(at(1_699_827_200n)).toEqual({
    now: NOW - 172_800_000,
    results: { day19673: { ok: false, revert: null } },
  });
});

test("a block without a time leaves the time of the machine", () => {
  const query = atBlockTime(NOW, daily);
  const [name = "", time = ""] = Object.keys(query.reads);
  const failed = { ok: false, revert: null } as const;
  expect(query.interpret({ [name]: failed, [time]: failed })).toMatchObject({ now: NOW });
});

/** A query that asks the same function for another day, as contracts with daily limits are asked. */
const limits = (now: number): Query<unknown> =>
  createQuery({ limit: dayRead(Math.floor(now / 86_400_000)) }, ({ limit }) => limit);
const dayRead = (day: number): Read<unknown> => ({
  ...value,
  data: `0x${day.toString(16).padStart(8, "0")}`,
});

test("a query that reads something else at the block's time is asked again", () => {
  const query = atBlockTime(NOW, limits);
  const time = Object.keys(query.reads).at(-1) ?? "";
  const read = { ok: true, value: 7n } as const;
  const given = (seconds: bigint) => ({ limit: read, [time]: { ok: true, value: seconds } as const });
  expect(query.next?.(given(1_700_000_100n))).toBeNull();
  // The answer for another day counts for nothing.
  const later = given(1_700_086_400n);
  expect(query.interpret(later)).toEqual({ ok: false, revert: null });
  expect(query.next?.(later)?.reads).toEqual({ limit: dayRead(19_676) });
});

describe("runQuery() at the block's time", () => {
  const client = () => contractsClient(() => ({ ok: true, data: `0x${"0".repeat(63)}7` }));
  const BLOCK_MS = 1_700_000_000_000;
  const made = async (now: number, query: (now: number) => Query<unknown>) => {
    const chain = client();
    const { value: answer } = await runQuery(chain, queryAll({ timed: atBlockTime(now, query) }));
    return { answer: (answer as { timed: unknown }).timed, requests: chain.calls.length };
  };

  test.each([BLOCK_MS, BLOCK_MS - 59_000, BLOCK_MS + 3_600_000])(
    "reads once, whatever the clock says of the same day: %i",
    async (now) => {
      expect(await made(now, daily)).toMatchObject({ answer: { now: BLOCK_MS }, requests: 1 });
    },
  );

  test("reads again what the chain's own day changes", async () => {
    const { answer, requests } = await made(BLOCK_MS - 3 * 86_400_000, daily);
    expect(answer).toMatchObject({ now: BLOCK_MS, results: { day19675: { ok: true } } });
    expect(requests).toBe(2);
  });

  test("asks a chain that is days behind only once", async () => {
    const { answer, requests } = await made(BLOCK_MS + 3 * 86_400_000, daily);
    expect(answer).toMatchObject({ now: BLOCK_MS, results: { day19675: { ok: false } } });
    expect(requests).toBe(1);
  });

  test("goes on with the second batch of a query at the block's time", async () => {
    const twice = (now: number) =>
      readThen({ first: value }, () => createQuery({ second: value }, ({ second }) => ({ now, second })));
    expect(await made(BLOCK_MS + 5_000, twice)).toMatchObject({
      answer: { now: BLOCK_MS, second: { ok: true } },
      requests: 2,
    });
  });
});

test("a block time after the year 9999 is none", () => {
  const query = atBlockTime(NOW, daily);
  const time = Object.values(query.reads).at(-1);
  const word = (seconds: bigint) => numberToHex(seconds, { size: 32 });
  expect(time?.decode(word(253_402_300_799n))).toBe(253_402_300_799n);
  expect(() => time?.decode(word(253_402_300_800n))).toThrow("not a block timestamp");
  expect(() => time?.decode(`0x${"ff".repeat(200)}`)).toThrow();
});
