import { expect, test } from "vitest";
import { atBlockTime } from "../../src/chains/block-time-query.ts";
import { createQuery, type Query, type Read } from "../../src/chains/chain-query.ts";

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
