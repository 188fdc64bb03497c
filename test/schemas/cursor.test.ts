import { describe, expect, test } from "vitest";
import { cutPage, encodeCursor, timeCursorParts } from "../../src/lib/pagination.ts";
import { TimeCursor, VaultCursor } from "../../src/schemas/cursor.ts";

const id = `trk_${"0123456789abcdef".repeat(2)}`;
const at = new Date("2026-01-02T03:04:05.678Z");

describe("a page", () => {
  const rows = [3, 2, 1].map((n) => ({ at: new Date(at.getTime() + n), id }));

  test("that is not the last leads to what follows its last row", () => {
    const { rows: shown, next } = cutPage(rows, { limit: 2, partsOf: timeCursorParts });
    expect(shown).toEqual(rows.slice(0, 2));
    expect(TimeCursor.parse(next)).toEqual(rows[1]);
  });

  test.each([3, 4])("of %d at the most holds three, and leads nowhere", (limit) => {
    expect(cutPage(rows, { limit, partsOf: timeCursorParts })).toEqual({ rows, next: null });
  });

  test("of nothing leads nowhere", () => {
    expect(cutPage([], { limit: 2, partsOf: timeCursorParts })).toEqual({ rows: [], next: null });
  });
});

test.each([
  ["no time", encodeCursor(["soon", id])],
  ["no day", encodeCursor(["2026-13-01T00:00:00.000Z", id])],
  ["a time that no store holds", encodeCursor(["+275760-09-13T00:00:00.000Z", id])],
  ["a year that never was", encodeCursor(["0000-01-01T00:00:00.000Z", id])],
  ["a time as nobody writes it here", encodeCursor(["2026-01-02", id])],
  ["no id", encodeCursor([at.toISOString(), "x"])],
  ["more than two parts", encodeCursor([at.toISOString(), id, ""])],
  ["a vault", encodeCursor(["1:0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"])],
  ["nothing", ""],
])("%s is no place in time", (_what, cursor) => {
  expect(TimeCursor.safeParse(cursor).success).toBe(false);
});

test("a place in time is no vault", () => {
  expect(VaultCursor.safeParse(encodeCursor(timeCursorParts({ at, id }))).success).toBe(false);
});
