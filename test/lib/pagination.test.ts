import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCursor, encodeCursor } from "../../src/lib/pagination.ts";

const aPart = fc.string({ unit: "grapheme" });

describe("cursors", () => {
  test("round-trip their parts in URL-safe characters", () => {
    fc.assert(
      fc.property(fc.array(aPart, { maxLength: 4 }), (parts) => {
        const cursor = encodeCursor(parts);
        expect(cursor).toMatch(/^[\w-]*$/);
        expect(decodeCursor(cursor, parts.length)).toEqual(parts);
      }),
    );
  });

  test("decode only with their number of parts", () => {
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
    ["padding", btoa('["a"]')],
    ["blanks around", ` ${encodeCursor(["a"])}`],
    ["blanks inside", encodeCursor(["a"]).replace(/^./, "$& ")],
    ["JSON with blanks", btoa('[ "ab" ]').replaceAll("=", "")],
    ["JSON with escapes", btoa(String.raw`["\u0061"]`).replaceAll("=", "")],
    [
      "bits that no byte has",
      encodeCursor(["a"]).replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1)),
    ],
  ])("decode to null from %s", (_what, cursor) => {
    expect(decodeCursor(cursor, 1)).toBe(null);
  });

  test("never throw when decoded", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parts = decodeCursor(text, 2);
        expect(parts === null || parts.length === 2).toBe(true);
      }),
    );
  });
});
