import { encodeAbiParameters, numberToHex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregate.ts";
import {
  read,
  createQuery as tie,
  queryAll as tieAll,
  readThen as tieThen,
  valueOrNull,
} from "../../src/chains/query.ts";
import { contractsClient } from "../support/multicall.ts";

const abi = parseAbi([
  "function pair(uint256 a) view returns (uint256 x, bool y)",
  "function one() view returns (uint8)",
]);
const TO = "0x2222222222222222222222222222222222222222";

test("a read is a target, calldata, and the way to read the answer", () => {
  const { to, data, decode } = read({ to: TO, abi, name: "pair", args: [5n] });
  expect([to, data]).toEqual([TO, `0x645751af${"0".repeat(63)}5`]);
  const answer = encodeAbiParameters([{ type: "uint256" }, { type: "bool" }], [7n, true]);
  expect(decode(answer)).toEqual([7n, true]);
});

test.each(["0x", "0x01", `0x${"0".repeat(63)}2`] as const)("%s is no answer of two words", (data) => {
  expect(() => read({ to: TO, abi, name: "pair", args: [5n] }).decode(data)).toThrow();
});

test("a failed read has no value", () => {
  expect([valueOrNull({ ok: true, value: 0n }), valueOrNull({ ok: false, revert: "0x" })]).toEqual([
    0n,
    null,
  ]);
});

test("described reads are interpreted by name", () => {
  const described = tie({ a: read({ to: TO, abi, name: "one" }) }, ({ a }) => valueOrNull(a));
  expect(Object.keys(described.reads)).toEqual(["a"]);
  expect(described.interpret({ a: { ok: true, value: 3 } })).toBe(3);
});

/** Asks for a number, and then as many further ones as it says. */
const counted = tieThen({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => {
  const further = Array.from({ length: valueOrNull(count) ?? 0 }, (_, index) => `n${index}`);
  const reads = Object.fromEntries(further.map((name) => [name, read({ to: TO, abi, name: "one" })]));
  return tie(reads, (results) => Object.values(results).map(valueOrNull));
});
const three = { ok: true, value: 3 } as const;
const failed = { ok: false, revert: null } as const;

test("reads that lead to further ones are answered by both", () => {
  const next = counted.next?.({ count: three });
  expect(Object.keys(next?.reads ?? {})).toEqual(["n0", "n1", "n2"]);
  expect(next?.interpret({ n0: { ok: true, value: 7 }, n1: failed, n2: { ok: true, value: 9 } })).toEqual([
    7,
    null,
    9,
  ]);
});

test("by themselves they mean what they would if the further ones had failed", () => {
  expect(counted.interpret({ count: three })).toEqual([null, null, null]);
  expect(counted.interpret({ count: failed })).toEqual([]);
});

test("several questions asked at once keep their reads apart, though they call them the same", () => {
  const one = tie({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => valueOrNull(count));
  const both = tieAll({ one, counted });
  expect(Object.keys(both.reads)).toEqual(["one/count", "counted/count"]);
  const first = { "one/count": { ok: true, value: 5 }, "counted/count": { ok: true, value: 1 } } as const;
  expect(both.interpret(first)).toEqual({ one: 5, counted: [null] });
  const next = both.next?.(first);
  expect(Object.keys(next?.reads ?? {})).toEqual(["counted/n0"]);
  expect(next?.interpret({ "counted/n0": three })).toEqual({ one: 5, counted: [3] });
  expect(next?.interpret({})).toEqual({ one: 5, counted: [null] });
});

test("several questions without further reads lead to none", () => {
  const one = tie({ count: read({ to: TO, abi, name: "one" }) }, ({ count }) => valueOrNull(count));
  expect(tieAll({ one }).next).toBeUndefined();
});

describe("readDescribed", () => {
  const told = (value: number) => ({ ok: true, data: numberToHex(value, { size: 32 }) }) as const;

  test("asks once more for what the first answers lead to, and gives the first block", async () => {
    const client = contractsClient(() => told(2));
    expect(await runQuery(client, counted)).toMatchObject({ value: [2, 2], block: { number: 1_234 } });
    expect(client.calls).toHaveLength(2);
  });

  test("asks no more when they lead to nothing", async () => {
    const client = contractsClient(() => told(0));
    expect((await runQuery(client, counted)).value).toEqual([]);
    expect(client.calls).toHaveLength(1);
  });

  test("makes something of a first answer that fails", async () => {
    const client = contractsClient(() => ({ ok: false, data: "0x" }));
    expect((await runQuery(client, tieAll({ counted }))).value).toEqual({ counted: [] });
    expect(client.calls).toHaveLength(1);
  });
});
