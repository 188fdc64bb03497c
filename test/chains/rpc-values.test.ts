import { expect, test } from "vitest";
import { RpcData, RpcNumber, RpcQuantity, RpcTime, RpcWord } from "../../src/chains/rpc-values.ts";

const word = `0x${"aB".repeat(32)}`;
const parse = (
  schema: typeof RpcQuantity | typeof RpcNumber | typeof RpcWord | typeof RpcData,
  told: unknown,
) => {
  const parsed = schema.safeParse(told);
  return parsed.success ? parsed.data : null;
};

test.each<[unknown, bigint | null, number | null, string | null, string | null]>([
  ["0x0", 0n, 0, null, null],
  ["0xff", 255n, 255, null, "0xff"],
  ["0xFFFFFFFFFFFFF", 0xfffffffffffffn, 0xfffffffffffff, null, null],
  ["0x10000000000000", 2n ** 52n, null, null, "0x10000000000000"],
  [`0x${"f".repeat(64)}`, 2n ** 256n - 1n, null, `0x${"f".repeat(64)}`, `0x${"f".repeat(64)}`],
  [`0x1${"0".repeat(64)}`, null, null, null, null],
  [word, BigInt(word), null, word.toLowerCase(), word],
  ["0x", null, null, null, "0x"],
  ["", null, null, null, null],
  ["1", null, null, null, null],
  ["0xg", null, null, null, null],
  [" 0x1", null, null, null, null],
  ["0x1\n", null, null, null, null],
  [255, null, null, null, null],
  [null, null, null, null, null],
])("%j is read as quantity %s, number %s, word %s, data %s", (told, quantity, number, hash, data) => {
  const read = [RpcQuantity, RpcNumber, RpcWord, RpcData].map((schema) => parse(schema, told));
  expect(read).toEqual([quantity, number, hash, data]);
});

test.each([
  ["0x0", 0],
  ["0x3afff4417f", 253_402_300_799],
  ["0x3afff44180", null],
  ["0xfffffffffffff", null],
])("%s is the time %s", (given, time) => {
  const parsed = RpcTime.safeParse(given);
  expect(parsed.success ? parsed.data : null).toBe(time);
});
