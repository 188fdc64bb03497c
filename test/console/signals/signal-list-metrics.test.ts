import { describe, expect, test } from "vitest";
import { describeMetric } from "../../../src/console/signals/signal-list-metrics.ts";

describe("describeMetric()", () => {
  test.each([
    ["net_flow", "-183400000000", "USDC", 6, "Net flow", "−183,400 USDC"],
    ["amount", "1500000", "USDC", 6, "Amount", "1.5 USDC"],
    ["amount", "1500000000000000000", "DAI (0x1234…abcd)", 18, "Amount", "1.5 DAI (0x1234…abcd)"],
    ["share_of_total_assets", "0.1834", "fraction", 0, "Share of the vault", "18.34 %"],
    ["share_price", "1059322000000000000", "1e18", 18, "Share price", "1.059322"],
    ["unchanged_for", "172800", "seconds", 0, "Unchanged for", "2 days"],
  ])("shows %s of %s %s with %i decimals in its unit", (label, value, unit, decimals, name, text) => {
    const shown = { label: name, value: text, change: null };
    expect(describeMetric({ label, value, unit, decimals, change: null })).toEqual(shown);
  });

  test.each([
    ["share_price", "1000000000000000000", "1e18", 18, "-0.05", "−5.00 %"],
    ["total_assets", "1000000", "USDC", 6, "0.25", "+25.00 %"],
    ["withdrawable", "1000000", "USDC", 6, "-0.4", "−40.00 percentage points"],
    ["apy_1d", "0.01", "fraction", 0, "-0.02", "−2.00 percentage points"],
  ])("shows the change of %s", (label, value, unit, decimals, change, text) => {
    expect(describeMetric({ label, value, unit, decimals, change })?.change).toBe(text);
  });

  test.each([
    ["whose decimals are unknown", { label: "amount", value: "5", unit: "USDC", decimals: null }],
    ["that it does not know", { label: "new_figure", value: "5", unit: "fraction", decimals: 0 }],
    ["that is no number", { label: "amount", value: "5.5", unit: "USDC", decimals: 6 }],
  ])("leaves out a figure %s", (_name, metric) => {
    expect(describeMetric({ ...metric, change: null })).toBeNull();
  });
});
