import { expect, test } from "vitest";
import {
  capitalize,
  plural,
  shorten,
  shortenAddresses,
  toSentence,
} from "../../../src/console/format/format-text.ts";

test("counts, hashes and sentences are written for people", () => {
  expect([plural(1, "vault"), plural(1_200, "vault")]).toEqual(["1 vault", "1,200 vaults"]);
  expect([shorten("0x1234567890abcdef"), shorten("0x12")]).toEqual(["0x1234…cdef", "0x12"]);
  expect([toSentence("the vault is full"), toSentence("Why?")]).toEqual(["The vault is full.", "Why?"]);
});

test("addresses within a text are shortened, and nothing else", () => {
  const address = `0x${"aB".repeat(20)}`;
  expect(shortenAddresses(`8453:${address} pays ${address}.`)).toBe("8453:0xaBaB…aBaB pays 0xaBaB…aBaB.");
  const hash = `0x${"cd".repeat(32)}`;
  expect(shortenAddresses(`${hash}, app_1`)).toBe(`${hash}, app_1`);
  expect([capitalize("vault prove"), capitalize("")]).toEqual(["Vault prove", ""]);
});
