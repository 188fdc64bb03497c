import { describe, expect, test } from "vitest";
import { cutPage, encodeCursor, timeCursorParts } from "../../src/lib/pagination.ts";
import { TimeCursor, VaultCursor } from "../../src/schemas/cursor-schema.ts";

const id = `trk_${"0123456789abcdef".repeat(2)}`;
const at = new Date("2026-01-02T03:04:05.678Z");

describe("cutPage()", () => {
  const rows = [3, 2, 1].map((n) => ({ at: new Date(at.getTime() + n), id }));

  test("returns a cursor after the last row when more rows follow", () => {
    const { rows: shown, next } = cutPage(rows, { limit: 2, partsOf: timeCursorParts });
    expect(shown).toEqual(rows.slice(0, 2));
    expect(TimeCursor.parse(next)).toEqual(rows[1]);
  });

  test.each([3, 4])("with limit %d returns all three rows and no cursor", (limit) => {
    expect(cutPage(rows, { limit, partsOf: timeCursorParts })).toEqual({ rows, next: null });
  });

  test("returns no cursor for an empty page", () => {
    expect(cutPage([], { limit: 2, partsOf: timeCursorParts })).toEqual({ rows: [], next: null });
  });
});

test.each([
  ["a text in place of the time", encodeCursor(["soon", id])],
  ["an invalid date", encodeCursor(["2026-13-01T00:00:00.000Z", id])],
  ["a year beyond 9999", encodeCursor(["+275760-09-13T00:00:00.000Z", id])],
  ["the year 0", encodeCursor(["0000-01-01T00:00:00.000Z", id])],
  ["a date without a time", encodeCursor(["2026-01-02", id])],
  ["an invalid id", encodeCursor([at.toISOString(), "x"])],
  ["more than two parts", encodeCursor([at.toISOString(), id, ""])],
  ["a vault cursor", encodeCursor(["1:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"])],
  ["an empty text", ""],
])("TimeCursor refuses %s", (_what, cursor) => {
  expect(TimeCursor.safeParse(cursor).success).toBe(false);
});

test("VaultCursor refuses a TimeCursor", () => {
  expect(VaultCursor.safeParse(encodeCursor(timeCursorParts({ at, id }))).success).toBe(false);
});
