import { expect, test } from "vitest";
import {
  describeSettlement,
  familyName,
  formatAge,
  formatDuration,
  plural,
  shorten,
} from "../../../src/console/format/words.ts";

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

test("settlements, families and counts are in plain words", () => {
  expect(describeSettlement("instant", 5)).toBe("Instant");
  expect(describeSettlement("request", 259_200)).toBe("On request, 3 days");
  expect(describeSettlement("cooldown")).toBe("Cooldown");
  expect(["metamorpho", "mellow_lrt", "some-new_family"].map(familyName)).toEqual([
    "Morpho",
    "Mellow",
    "Some new family",
  ]);
  expect([plural(1, "vault"), plural(1_200, "vault")]).toEqual(["1 vault", "1,200 vaults"]);
  expect([shorten("0x1234567890abcdef"), shorten("0x12")]).toEqual(["0x1234…cdef", "0x12"]);
});
