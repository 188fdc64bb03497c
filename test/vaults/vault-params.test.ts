import { zeroHash } from "viem";
import { expect, test } from "vitest";
import { wordParam } from "../../src/vaults/vault-params.ts";

const word = `0x${"ab".repeat(32)}`;
const read = (referrer: string) => wordParam({ vaultId: "1:0x1", params: { referrer } }, "referrer");

test("wordParam() reads 32 bytes, or the zero word if there are none", () => {
  expect(read(word)).toBe(word);
  expect(read("")).toBe(zeroHash);
  expect(wordParam({ vaultId: "1:0x1", params: {} }, "referrer")).toBe(zeroHash);
});

test.each([
  word.slice(0, -1),
  word.slice(0, -2),
  `${word}a`,
  `${word}ab`,
  "0x",
  "ab".repeat(32),
  `${word.slice(0, -1)}g`,
])("wordParam() throws for %s", (text) => {
  expect(() => read(text)).toThrow("referrer is no bytes32");
});
