import { encodeAbiParameters, parseAbi } from "viem";
import { expect, test } from "vitest";
import { read, describe as tie, valueOrNull } from "../../src/chains/read.ts";

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
