import { expect, test } from "vitest";
import { formatAge, formatDuration } from "../../../src/console/format/format-times.ts";

test("durations are rounded up and ages down", () => {
  expect([0, 59, 61, 3_601, 172_800].map(formatDuration)).toEqual([
    "1 second",
    "59 seconds",
    "2 minutes",
    "2 hours",
    "2 days",
  ]);
  const now = Date.parse("2026-11-22T12:00:00Z");
  const ages = ["11:59:45", "11:58:31", "09:00:00"].map((time) => formatAge(`2026-11-22T${time}Z`, now));
  expect(ages).toEqual(["just now", "1 min ago", "3 h ago"]);
  expect(formatAge("2026-11-22T12:01:00Z", now)).toBe("just now");
});
