import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "../../src/lib/pagination.ts";

const aPart = fc.string({ unit: "grapheme" });

describe("cursors", () => {
  test("give back the parts they were made of, in characters that a URL takes as they are", () => {
    fc.assert(
      fc.property(fc.array(aPart, { maxLength: 4 }), (parts) => {
        const cursor = encodeCursor(parts);
        expect(cursor).toMatch(/^[\w-]*$/);
        expect(decodeCursor(cursor, parts.length)).toEqual(parts);
      }),
    );
  });

  test("are read only with the number of parts they have", () => {
    expect(decodeCursor(encodeCursor(["a", "b"]), 1)).toBe(null);
    expect(decodeCursor(encodeCursor(["a", "b"]), 2)).toEqual(["a", "b"]);
    expect(decodeCursor(encodeCursor(["a", "b"]), 3)).toBe(null);
  });

  test.each([
    ["nothing", ""],
    ["bytes that are no UTF-8", btoa('["\u00ff"]')],
    ["no base64", "%%%"],
    ["no JSON", btoa("hello")],
    ["no list", btoa('{"0":"a","length":1}')],
    ["no text", btoa("[1]")],
    ["null", btoa("null")],
    ["a list in a list", btoa('[["a"]]')],
  ])("are not read from %s", (_what, cursor) => {
    expect(decodeCursor(cursor, 1)).toBe(null);
  });

  test("never throw when read", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parts = decodeCursor(text, 2);
        expect(parts === null || parts.length === 2).toBe(true);
      }),
    );
  });
});
