import { expect, test } from "vitest";
import { plural, shorten, toSentence } from "../../../src/console/format/format-text.ts";

test("counts, hashes and sentences are written for people", () => {
  expect([plural(1, "vault"), plural(1_200, "vault")]).toEqual(["1 vault", "1,200 vaults"]);
  expect([shorten("0x1234567890abcdef"), shorten("0x12")]).toEqual(["0x1234…cdef", "0x12"]);
  expect([toSentence("the vault is full"), toSentence("Why?")]).toEqual(["The vault is full.", "Why?"]);
});
