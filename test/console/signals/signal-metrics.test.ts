import { describe, expect, test } from "vitest";
import { describeMetric } from "../../../src/console/signals/signal-metrics.ts";

const usdc = { symbol: "USDC", decimals: 6 };

describe("describeMetric()", () => {
  test.each([
    [{ label: "net_flow", value: "-183400000000", unit: "USDC" }, "Net flow", "−183,400 USDC"],
    [{ label: "amount", value: "1500000", unit: "USDC" }, "Amount", "1.5 USDC"],
    [{ label: "share_of_total_assets", value: "0.1834", unit: "fraction" }, "Share of the vault", "18.34 %"],
    [{ label: "share_price", value: "1059322000000000000", unit: "1e18" }, "Share price", "1.059322"],
    [{ label: "unchanged_for", value: "172800", unit: "seconds" }, "Unchanged for", "2 days"],
  ])("shows %o in its unit", (metric, label, value) => {
    expect(describeMetric({ ...metric, change: null }, usdc)).toEqual({ label, value, change: null });
  });

  test.each([
    ["share_price", "1000000000000000000", "1e18", "-0.05", "−5.00 %"],
    ["total_assets", "1000000", "USDC", "0.25", "+25.00 %"],
    ["withdrawable", "1000000", "USDC", "-0.4", "−40.00 percentage points"],
    ["apy_1d", "0.01", "fraction", "-0.02", "−2.00 percentage points"],
  ])("shows the change of %s", (label, value, unit, change, text) => {
    expect(describeMetric({ label, value, unit, change }, usdc)?.change).toBe(text);
  });

  test.each([
    [
      "whose decimals are unknown",
      { label: "amount", value: "5", unit: "USDC" },
      { ...usdc, decimals: null },
    ],
    ["of another token", { label: "amount", value: "5", unit: "WETH" }, usdc],
    ["that it does not know", { label: "new_figure", value: "5", unit: "fraction" }, usdc],
    ["that is no number", { label: "amount", value: "5.5", unit: "USDC" }, usdc],
  ] as const)("leaves out a figure %s", (_name, metric, asset) => {
    expect(describeMetric({ ...metric, change: null }, asset)).toBeNull();
  });
});
