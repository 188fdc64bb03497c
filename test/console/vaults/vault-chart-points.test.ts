import { expect, test } from "vitest";
import { toChartPoints } from "../../../src/console/vaults/vault-chart-points.ts";

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
