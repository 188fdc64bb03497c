import { expect, test } from "vitest";
import { parseRetryAfter, parseSeconds } from "../../src/lib/parse-retry-after.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

test.each<[string | null, number | null]>([
  ["120", 120],
  ["0", 0],
  ["Thu, 01 Jan 2026 00:01:30 GMT", 90],
  ["Wed, 31 Dec 2025 23:59:00 GMT", -60],
  ["Thursday, 01-Jan-26 00:01:30 GMT", 90],
  ["soon", null],
  // `Date.parse` takes these for dates.
  ["1.5", null],
  ["-5", null],
  ["in 5 seconds", null],
  ["2026-01-01T00:01:30Z", null],
  ["", null],
  [null, null],
])("parseRetryAfter() returns the seconds of header %j as %j", (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

test.each<[string | null, number | null]>([
  ["7", 7],
  ["1.5", null],
  ["-1", null],
  ["9".repeat(16), null],
  [null, null],
])("parseSeconds() returns %j as %j", (header, seconds) => {
  expect(parseSeconds(header)).toBe(seconds);
});
