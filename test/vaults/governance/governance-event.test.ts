import { expect, test } from "vitest";
import { formatUtcMinute } from "../../../src/vaults/governance/governance-event.ts";

test.each([
  [1_767_225_659, "2026-01-01 00:00 UTC"],
  [1_767_225_659n, "2026-01-01 00:00 UTC"],
  // The highest uint48, which an AccessManager accepts as the time of a schedule.
  [2n ** 48n - 1n, "a time after the year 9999"],
])("formatUtcMinute() formats %s as %s", (seconds, text) => {
  expect(formatUtcMinute(seconds)).toBe(text);
});
