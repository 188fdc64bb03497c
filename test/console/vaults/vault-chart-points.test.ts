import { expect, test } from "vitest";
import { toChartPoints, widenRange } from "../../../src/console/vaults/vault-chart-points.ts";

test("toChartPoints() scales, orders, and leaves out what is not known", () => {
  const points = [
    { time: "2026-11-22T00:05:00.000Z", value: "1500000" },
    { time: "2026-11-22T00:00:00.000Z", value: "1000000" },
    { time: "2026-11-22T00:10:00.000Z", value: null },
  ];
  expect(toChartPoints(points, { metric: "total_assets", decimals: 6 })).toEqual([
    { time: 1795305600, value: 1 },
    { time: 1795305900, value: 1.5 },
  ]);
  const [price] = toChartPoints([{ time: "2026-11-22T00:00:00.000Z", value: 10n ** 18n }], {
    metric: "share_price",
    decimals: 6,
  });
  expect(price?.value).toBe(1);
  const [apy] = toChartPoints([{ time: "2026-11-22T00:00:00.000Z", value: "-0.02" }], {
    metric: "apy",
    decimals: 6,
  });
  expect(apy?.value).toBe(-0.02);
});

test.each([
  ["a change that no figure shows", [1.0512, 1.0512000001], [1.05114744, 1.05125256]],
  ["a line without a change", [2, 2], [1.9999, 2.0001]],
  ["negative values", [-2, -2], [-2.0001, -1.9999]],
] as const)("widenRange() gives %s some room", (_name, range, wide) => {
  const [min, max] = widenRange(range);
  expect(min).toBeCloseTo(wide[0], 8);
  expect(max).toBeCloseTo(wide[1], 8);
});

test.each([
  ["a higher one", [1, 1.001]],
  ["zero", [0, 0]],
] as const)("widenRange() leaves %s as it is", (_name, range) => {
  expect(widenRange(range)).toEqual(range);
});
