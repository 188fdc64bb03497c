import { describe, expect, test } from "vitest";
import { TimeInput } from "../../src/schemas/time-schema.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

describe("TimeInput", () => {
  test.each([
    ["90m", "2026-02-28T22:30:00.000Z"],
    ["24h", "2026-02-28T00:00:00.000Z"],
    ["7d", "2026-02-22T00:00:00.000Z"],
    ["2w", "2026-02-15T00:00:00.000Z"],
    ["2026-02-01T10:00:00Z", "2026-02-01T10:00:00.000Z"],
    ["2026-02-01T10:00:00.5+02:00", "2026-02-01T08:00:00.500Z"],
    ["999999w", "1970-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"],
    ["1969-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
  ])("parses %s as %s", (text, time) => {
    const since = TimeInput.parse(text);
    expect([since.text, since.at(NOW).toISOString()]).toEqual([text, time]);
  });

  test.each([
    "",
    "0h",
    "-1d",
    "24",
    "24H",
    "1y",
    "yesterday",
    "2026-02-01",
    "2026-02-30T00:00:00Z",
    "1e3h",
    " 24h",
  ])("refuses %j", (text) => {
    expect(TimeInput.safeParse(text).success).toBe(false);
  });

  test("explains a time whose + became a space", () => {
    const said = (text: string) => TimeInput.safeParse(text).error?.issues[0]?.message;
    expect(said("1700000000")).toMatch(/RFC 3339 time such as 2026-11-01T00:00:00Z$/);
    expect(said("2026-11-20T00:00:00 02:00")).toMatch(/write the \+ of an offset as %2B$/);
  });
});
