import { describe, expect, test } from "vitest";
import { annualizedGrowth } from "../../src/vaults/vault-growth-rate.ts";

const YEAR = 365 * 86_400;
const E18 = 10n ** 18n;

describe("annualizedGrowth()", () => {
  test.each([
    ["over a year is the growth itself", E18, (E18 * 105n) / 100n, YEAR, 0.05],
    ["compounds shorter spans", E18, (E18 * 101n) / 100n, YEAR / 12, 0.126825],
    ["is negative after a loss", E18, (E18 * 9n) / 10n, YEAR, -0.1],
    ["of no growth is zero", E18, E18, 86_400, 0],
    ["keeps its precision for prices of any size", 10n ** 70n, (10n ** 70n * 105n) / 100n, YEAR, 0.05],
  ])("%s", (_what, before, after, seconds, rate) => {
    expect(annualizedGrowth({ before, after, seconds })).toBe(rate);
  });

  test.each([
    ["no time has passed", E18, E18, 0],
    ["time ran backwards", E18, E18, -5],
    ["there was no price", 0n, E18, 10],
    ["there is no price", E18, 0n, 10],
    ["the growth is beyond a float", 1n, 10n ** 60n, 60],
    ["the growth is beyond a float only when it is rounded", 100n, 685n, 86_400],
  ])("returns null when %s", (_what, before, after, seconds) => {
    expect(annualizedGrowth({ before, after, seconds })).toBeNull();
  });
});
