import { expect, test } from "vitest";
import { toDayBars } from "../../../src/console/partners/partner-day-bars.ts";

const now = Date.parse("2026-03-02T00:30:00Z");

test("every day of the period has a bar, also without deposits and if the period covers a part of it", () => {
  const list = [
    { date: "2026-02-27", deposits: 1, completed: 0 },
    { date: "2026-03-01", deposits: 3, completed: 2 },
  ];
  expect(toDayBars(list, { since: "2026-02-27T00:30:00.000Z", now })).toEqual([
    { date: "2026-02-27", deposits: 1, completed: 0 },
    { date: "2026-02-28", deposits: 0, completed: 0 },
    { date: "2026-03-01", deposits: 3, completed: 2 },
    { date: "2026-03-02", deposits: 0, completed: 0 },
  ]);
});

test("the bars show as many deposits as the list, also if this clock is behind the API's", () => {
  const list = [{ date: "2026-03-03", deposits: 9, completed: 9 }];
  const bars = toDayBars(list, { since: "2026-03-02T00:00:00.000Z", now });
  expect(bars.map(({ deposits }) => deposits)).toEqual([0, 9]);
});

test("without a period, the bars begin with the first day of the list", () => {
  const list = [{ date: "2026-03-01", deposits: 1, completed: 1 }];
  expect(toDayBars(list, { since: null, now }).map(({ date }) => date)).toEqual(["2026-03-01", "2026-03-02"]);
  expect(toDayBars([], { since: null, now })).toHaveLength(1);
});
