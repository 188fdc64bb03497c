import { describe, expect, test } from "vitest";
import {
  describeCapacity,
  describeExitFee,
  describeMinimum,
  sharesToAssets,
} from "../../../src/console/vaults/vault-page-figures.ts";

const asset = { address: "0x00000000000000000000000000000000000000aa", symbol: "USDC", decimals: 6 } as const;

describe("the largest deposit", () => {
  test.each([
    ["an amount, rounded down", { maxDeposit: 1_234_567_899n, paused: false }, "1,234.56 USDC"],
    ["a large amount, shortened", { maxDeposit: 123_456_789_012_345_678n, paused: false }, "123.45B USDC"],
    ["a million, shortened", { maxDeposit: 1_999_999_999_999n, paused: false }, "1.99M USDC"],
    ["nothing", { maxDeposit: 0n, paused: false }, "Full"],
    ["no limit", { maxDeposit: 2n ** 256n - 1n, paused: false }, "No limit"],
    ["an unknown limit", { maxDeposit: null, paused: false }, "Not known"],
    ["a paused vault, whatever its limit is", { maxDeposit: 0n, paused: true }, "Paused"],
  ])("is told for %s", (_name, vault, text) => {
    expect(describeCapacity({ ...vault, asset })).toBe(text);
  });
});

test("the fee of a withdrawal is a percentage, none, or not known, which are not the same", () => {
  expect([0.001, 0, null].map((exitFee) => describeExitFee({ exitFee }))).toEqual([
    "0.10 %",
    "None",
    "Not known",
  ]);
});

test("a minimum is none only where that is known", () => {
  const terms = (minDeposit: bigint | null, noMinimum: boolean) =>
    describeMinimum({ minDeposit, noMinimum, asset });
  expect([terms(null, true), terms(null, false), terms(1_500_000n, false)]).toEqual([
    "none",
    "not known",
    "1.5 USDC",
  ]);
});

test("a shown minimum is accepted by the vault: it is rounded up", () => {
  const shown = [1_000_000n, 1_000_001n, 1n, 999_999_999n].map((minDeposit) =>
    describeMinimum({ minDeposit, noMinimum: false, asset }),
  );
  expect(shown).toEqual(["1 USDC", "1.0001 USDC", "0.0001 USDC", "1,000 USDC"]);
  const whole = { ...asset, decimals: 2 };
  expect(describeMinimum({ minDeposit: 150n, noMinimum: false, asset: whole })).toBe("1.5 USDC");
});

test("shares are worth what the share price says, rounded down", () => {
  const vault = { sharePrice: 1_050_000_000_000_000_000n, asset, shareDecimals: 18 };
  expect(sharesToAssets(vault, 10n ** 18n)).toBe(1_050_000n);
  expect(sharesToAssets(vault, 1n)).toBe(0n);
  expect(sharesToAssets({ ...vault, sharePrice: null }, 1n)).toBeNull();
});
