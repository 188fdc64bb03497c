import { expect, test } from "vitest";
import { formatUtcMinute, formatWadFraction } from "../../../src/vaults/governance/governance-event.ts";

test.each([
  [1_767_225_659, "2026-01-01 00:00 UTC"],
  [1_767_225_659n, "2026-01-01 00:00 UTC"],
  // The highest uint48, which an AccessManager accepts as the time of a schedule.
  [2n ** 48n - 1n, "a time after the year 9999"],
])("formatUtcMinute() formats %s as %s", (seconds, text) => {
  expect(formatUtcMinute(seconds)).toBe(text);
});

test.each([
  [25n * 10n ** 15n, "2.5%"],
  [10n ** 18n, "100%"],
  [1n, "less than 0.0001%"],
  [-1n, "0%"],
  [0n, "0%"],
])("formatWadFraction() formats %s as %s", (fraction, text) => {
  expect(formatWadFraction(fraction)).toBe(text);
});

test("formatWadFraction() writes the largest number out, without an exponent", () => {
  expect(formatWadFraction(2n ** 256n - 1n)).toMatch(/^1157920892373162\d{46}%$/);
  expect(formatWadFraction(12n * 10n ** 45n)).toMatch(/^1200000000000000\d{15}%$/);
});
