import { encodeAbiParameters, numberToHex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import {
  andThen,
  createQuery,
  guardQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../src/chains/chain-reads.ts";
import { contractsClient } from "../support/chains/multicall.ts";

const abi = parseAbi([
  "function pair(uint256 a) view returns (uint256 x, bool y)",
  "function one() view returns (uint8)",
]);
const TO = "0x2222222222222222222222222222222222222222";

test("read() returns target, calldata and decoder", () => {
  const { to, data, decode } = read({ to: TO, abi, name: "pair", args: [5n] });
  expect([to, data]).toEqual([TO, `0x645751af${"0".repeat(63)}5`]);
  const answer = encodeAbiParameters([{ type: "uint256" }, { type: "bool" }], [7n, true]);
  expect(decode(answer)).toEqual([7n, true]);
});

test.each(["0x", "0x01", `0x${"0".repeat(63)}2`] as const)("read() throws when decoding %s", (data) => {
  expect(() => read({ to: TO, abi, name: "pair", args: [5n] }).decode(data)).toThrow();
});

test("valueOrNull() returns null for a failed read", () => {
  expect([valueOrNull({ ok: true, value: 0n }), valueOrNull({ ok: false, revert: "0x" })]).toEqual([
    0n,
    null,
  ]);
});

test("createQuery() interprets results by name", () => {
  const described = createQuery({ a: read({ to: TO, abi, name: "one" }) }, ({ a }) => valueOrNull(a));
  expect(Object.keys(described.reads)).toEqual(["a"]);
  expect(described.interpret({ a: { ok: true, value: 3 } })).toBe(3);
});

/** Asks for a number, and then as many further ones as it says. */
const counted = readThen({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => {
  const further = Array.from({ length: valueOrNull(count) ?? 0 }, (_, index) => `n${index}`);
  const reads = Object.fromEntries(further.map((name) => [name, read({ to: TO, abi, name: "one" })]));
  return createQuery(reads, (results) => Object.values(results).map(valueOrNull));
});
const three = { ok: true, value: 3 } as const;
const failed = { ok: false, revert: null } as const;

test("readThen() interprets the results of both rounds", () => {
  const next = counted.next?.({ count: three });
  expect(Object.keys(next?.reads ?? {})).toEqual(["n0", "n1", "n2"]);
  expect(next?.interpret({ n0: { ok: true, value: 7 }, n1: failed, n2: { ok: true, value: 9 } })).toEqual([
    7,
    null,
    9,
  ]);
});

test("readThen() and andThen() ask for no batch of a known result", () => {
  const known = createQuery({}, () => "known");
  const failed = { ok: false, revert: null } as const;
  const first = readThen({ count: read({ to: TO, abi, name: "one" }) }, () => known);
  for (const query of [first, andThen(first, () => known), queryAll({ first })])
    expect(query.next?.({ count: failed, "first/count": failed })).toBe(null);
  expect(first.interpret({ count: failed })).toBe("known");
});

test("readThen() without its second round counts those reads as failed", () => {
  expect(counted.interpret({ count: three })).toEqual([null, null, null]);
  expect(counted.interpret({ count: failed })).toEqual([]);
});

test("queryAll() keeps reads of the same name apart", () => {
  const one = createQuery({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => valueOrNull(count));
  const both = queryAll({ one, counted });
  expect(Object.keys(both.reads)).toEqual(["one/count", "counted/count"]);
  const first = { "one/count": { ok: true, value: 5 }, "counted/count": { ok: true, value: 1 } } as const;
  expect(both.interpret(first)).toEqual({ one: 5, counted: [null] });
  const next = both.next?.(first);
  expect(Object.keys(next?.reads ?? {})).toEqual(["counted/n0"]);
  expect(next?.interpret({ "counted/n0": three })).toEqual({ one: 5, counted: [3] });
  expect(next?.interpret({})).toEqual({ one: 5, counted: [null] });
});

test("queryAll() has no further round when no part has one", () => {
  const one = createQuery({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => valueOrNull(count));
  expect(queryAll({ one }).next).toBeUndefined();
});

describe("runQuery()", () => {
  const told = (value: number) => ({ ok: true, data: numberToHex(value, { size: 32 }) }) as const;

  test("makes the further round and returns the first round's block", async () => {
    const client = contractsClient(() => told(2));
    expect(await runQuery(client, counted)).toMatchObject({ value: [2, 2], block: { number: 1_234 } });
    expect(client.calls).toHaveLength(2);
  });

  test("makes no further request without further reads", async () => {
    const client = contractsClient(() => told(0));
    expect((await runQuery(client, counted)).value).toEqual([]);
    expect(client.calls).toHaveLength(1);
  });

  test("interprets a failed first round", async () => {
    const client = contractsClient(() => ({ ok: false, data: "0x" }));
    expect((await runQuery(client, queryAll({ counted }))).value).toEqual({ counted: [] });
    expect(client.calls).toHaveLength(1);
  });
});

describe("guardQuery()", () => {
  const one = { a: read({ to: TO, abi, name: "one" }) };
  const word = encodeAbiParameters([{ type: "uint256" }], [3n]);
  const client = () => contractsClient(() => ({ ok: true, data: word }));
  const fails = (): never => {
    throw new RangeError("from a contract");
  };
  const bad: Record<string, () => Query<unknown>> = {
    "creation throws": fails,
    "interpretation throws": () => createQuery(one, fails),
    "next batch throws": () => ({ reads: one, interpret: () => 1, next: fails }),
    "second batch throws": () => ({
      reads: one,
      interpret: () => 1,
      next: () => createQuery(one, fails),
    }),
  };

  test.each(Object.keys(bad))("gives null where the %s, and leaves other queries alone", async (name) => {
    const good = guardQuery(() => readThen(one, () => createQuery(one, ({ a }) => valueOrNull(a))));
    const query = queryAll({ bad: guardQuery(bad[name] ?? fails), good });
    expect((await runQuery(client(), query)).value).toEqual({ bad: null, good: 3 });
  });
});
