import { expect, test } from "vitest";
import { cutText } from "../../src/vaults/vault-token-metadata.ts";

test.each([
  ["abc", 5, "abc"],
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["ab😀", 4, "ab😀"],
  ["ab😀", 3, "ab"],
  ["ab😀d", 4, "ab😀"],
  ["😀😀", 3, "😀"],
  ["😀", 1, ""],
  ["", 3, ""],
])("cutText(%j, %i) splits no character", (text, length, expected) => {
  expect(cutText(text, length)).toBe(expected);
  expect(cutText(text, length)).not.toMatch(/\p{Surrogate}/u);
});
