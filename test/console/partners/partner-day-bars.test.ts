import { expect, test } from "vitest";
import { toDayBars } from "../../../src/console/partners/partner-day-bars.ts";

const now = Date.parse("2026-03-02T00:30:00Z");

test("every day up to today has a bar, also without deposits", () => {
  const list = [{ date: "2026-03-01", deposits: 3, completed: 2 }];
  expect(toDayBars(list, { days: 3, now })).toEqual([
    { date: "2026-02-28", deposits: 0, completed: 0 },
    { date: "2026-03-01", deposits: 3, completed: 2 },
    { date: "2026-03-02", deposits: 0, completed: 0 },
  ]);
});

test("days before the period have none", () => {
  const list = [{ date: "2026-02-27", deposits: 9, completed: 9 }];
  expect(toDayBars(list, { days: 2, now }).map(({ deposits }) => deposits)).toEqual([0, 0]);
});
