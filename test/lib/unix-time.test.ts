import { expect, test } from "vitest";
import { formatUnixTime } from "../../src/lib/unix-time.ts";

test.each<[number | null, string | null]>([
  [null, null],
  [0, "1970-01-01T00:00:00.000Z"],
  [1_767_225_600, "2026-01-01T00:00:00.000Z"],
  [253_402_300_799, "9999-12-31T23:59:59.000Z"],
  [253_402_300_800, null],
  // Beyond the range of a Date.
  [Number(2n ** 48n - 1n), null],
  [Number(2n ** 256n - 1n), null],
  [-1, null],
  [-Number(2n ** 256n - 1n), null],
  [Number.NaN, null],
])("formats %s as %s", (seconds, text) => {
  expect(formatUnixTime(seconds)).toBe(text);
});
