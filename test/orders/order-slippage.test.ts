import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_UINT256, PARTS_PER_BILLION } from "../../src/lib/amount.ts";
import { allowedLoss, minimumShares, priceIsSafe, slippageLeft } from "../../src/orders/order-slippage.ts";

const aSlippage = fc.double({ min: 1e-12, max: 0.5, noNaN: true });
const shares = fc.bigInt(1n, MAX_UINT256);
/** A slippage of at most nine decimals, exactly, in parts per billion. */
const exactParts = fc.integer({ min: 1, max: 500_000_000 });

describe("allowedLoss()", () => {
  test.each<[number, bigint]>([
    [0.5, 5_000_000n],
    [0.03, 5_000_000n],
    [0.005000001, 5_000_000n],
    [0.005, 5_000_000n],
    [0.004999999, 4_999_999n],
    [0.001, 1_000_000n],
    [0.000000001, 1n],
    [0.0000000001, 0n],
  ])("of a direct deposit with slippage %s is %s parts per billion, at most 0.5 %", (slippage, loss) => {
    expect(allowedLoss(slippage, false)).toBe(loss);
  });

  test("returns the whole slippage of a routed deposit", () => {
    fc.assert(
      fc.property(exactParts, (parts) => {
        expect(allowedLoss(parts / 1e9, true)).toBe(BigInt(parts));
      }),
    );
  });

  test("never exceeds the requested slippage", () => {
    fc.assert(
      fc.property(exactParts, fc.boolean(), (parts, moves) => {
        expect(allowedLoss(parts / 1e9, moves) <= BigInt(parts)).toBe(true);
      }),
    );
    // More decimals than parts: what is lost in writing is lost to the user's favour.
    expect(allowedLoss(0.0299999999, true)).toBe(29_999_999n);
    expect(allowedLoss(0.0049999999, false)).toBe(4_999_999n);
  });
});

describe("minimumShares()", () => {
  test.each<[bigint, bigint, bigint]>([
    [100_000n, 5_000_000n, 99_500n],
    [100_001n, 5_000_000n, 99_500n],
    [199n, 5_000_000n, 198n],
    [200n, 5_000_000n, 199n],
    [1n, 5_000_000n, 1n],
    [1n, 0n, 1n],
    [0n, 0n, 1n],
    [MAX_UINT256, 0n, MAX_UINT256],
  ])("of %s previewed shares with a loss of %s is %s", (preview, loss, floor) => {
    expect(minimumShares(preview, loss)).toBe(floor);
  });

  test("stays between the preview less 0.5 % slippage and the preview", () => {
    fc.assert(
      fc.property(shares, aSlippage, (preview, slippage) => {
        const floor = minimumShares(preview, allowedLoss(slippage, false));
        expect(floor >= 1n && floor <= preview).toBe(true);
        expect(floor >= (preview * 995n) / 1000n).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("returns floor(preview × (1 − slippage)) exactly", () => {
    fc.assert(
      fc.property(shares, exactParts, (preview, parts) => {
        const exact = preview * (PARTS_PER_BILLION - BigInt(parts));
        const floor = minimumShares(preview, allowedLoss(parts / 1e9, true));
        fc.pre(exact >= PARTS_PER_BILLION);
        expect(floor * PARTS_PER_BILLION <= exact && (floor + 1n) * PARTS_PER_BILLION > exact).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("rises with the preview and falls with the slippage", () => {
    fc.assert(
      fc.property(shares, shares, exactParts, exactParts, (a, b, p, q) => {
        const [fewer, more] = a < b ? [a, b] : [b, a];
        const [tight, loose] = [BigInt(Math.min(p, q)), BigInt(Math.max(p, q))];
        expect(minimumShares(fewer, tight) <= minimumShares(more, tight)).toBe(true);
        expect(minimumShares(a, loose) <= minimumShares(a, tight)).toBe(true);
      }),
    );
  });

  test("is at least one share", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1_000n), fc.bigInt(0n, PARTS_PER_BILLION), (preview, loss) => {
        expect(minimumShares(preview, loss) >= 1n).toBe(true);
      }),
    );
  });
});

describe("priceIsSafe()", () => {
  const deposit = { amount: 1_000_000n, shares: 1_000_000n, slippage: 0.03, assetDecimals: 6 };
  /** Shares that are worth so many parts in a million of what is paid. */
  const worth = (parts: bigint, change = {}) =>
    priceIsSafe({ ...deposit, price: { assets: parts, shares: 1_000_000n }, ...change });

  test.each<[number, bigint, boolean]>([
    // The slippage is what may be lost …
    [0.03, 970_000n, true],
    [0.03, 969_998n, false],
    [0.02, 980_000n, true],
    [0.02, 979_998n, false],
    // … but never more than three percent, and half a percent is always allowed.
    [0.5, 970_000n, true],
    [0.5, 969_998n, false],
    [0.001, 995_000n, true],
    [0.001, 994_998n, false],
    // Shares worth more than they cost are fine.
    [0.001, 2_000_000n, true],
    [0.03, 0n, false],
  ])("with slippage %s and shares worth %s millionths: %s", (slippage, parts, safe) => {
    expect(worth(parts, { slippage })).toBe(safe);
  });

  test("ignores one smallest unit of rounding only from six decimals on", () => {
    expect([worth(969_999n), worth(969_998n)]).toEqual([true, false]);
    expect(worth(969_999n, { assetDecimals: 18 })).toBe(true);
    expect(worth(969_999n, { assetDecimals: 5 })).toBe(false);
  });

  /**
   * The first-depositor attack (share price inflation): one unit deposited, 1,000 USDC donated,
   * then 999 USDC come. What each implementation previews, and its convertToAssets of one whole share.
   */
  test.each<[string, number, number, boolean]>([
    ["OpenZeppelin, offset 0", 0, 6, false],
    ["solady's default", 0, 6, false],
    ["OpenZeppelin, offset 6", 6, 12, true],
    ["OpenZeppelin, offset 12", 12, 18, true],
  ])("in an inflation attack, %s", (_implementation, offset, shareDecimals, safe) => {
    const virtual = 10n ** BigInt(offset);
    const [assets, supply] = [1n + 1_000_000_000n, virtual];
    const toShares = (amount: bigint) => (amount * (supply + virtual)) / (assets + 1n);
    const toAssets = (held: bigint) => (held * (assets + 1n)) / (supply + virtual);
    const amount = 999_000_000n;
    const oneShare = 10n ** BigInt(shareDecimals);
    const preview = toShares(amount);
    const price = { assets: toAssets(oneShare), shares: oneShare };
    const judged = priceIsSafe({ amount, shares: preview, price, slippage: 0.5, assetDecimals: 6 });
    expect(judged).toBe(safe);
  });

  test("refuses zero shares (inflation attack)", () => {
    const price = { assets: 1_000_000_001n * 10n ** 6n, shares: 10n ** 6n };
    expect(priceIsSafe({ amount: 999_000_000n, shares: 0n, price, slippage: 0.5, assetDecimals: 6 })).toBe(
      false,
    );
  });

  test.each([
    ["an entry fee of 1 %", 990_000n, 0.03, true],
    ["an entry fee of 1 % to who allows less", 990_000n, 0.005, false],
    ["a premium of 5 %", 950_000n, 0.5, false],
  ])("judges %s", (_what, parts, slippage, safe) => {
    expect(worth(parts, { slippage })).toBe(safe);
  });

  test("never accepts a loss above 3 % and one unit", () => {
    const inputs = fc.record({
      amount: fc.bigInt(1n, 10n ** 30n),
      shares: fc.bigInt(0n, 10n ** 30n),
      assets: fc.bigInt(0n, 10n ** 30n),
      sample: fc.bigInt(1n, 10n ** 24n),
      slippage: aSlippage,
      assetDecimals: fc.integer({ min: 0, max: 18 }),
    });
    fc.assert(
      fc.property(inputs, ({ assets, sample, ...rest }) => {
        if (!priceIsSafe({ ...rest, price: { assets, shares: sample } })) return;
        // worth + 1 ≥ 97 % of the amount rounded down, in exact numbers.
        expect((rest.shares * assets + 2n * sample) * 100n > rest.amount * 97n * sample).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("accepts shares at the share price, rounded down", () => {
    const inputs = fc.record({
      amount: fc.bigInt(1_000n, 10n ** 27n),
      totalAssets: fc.bigInt(1n, 10n ** 27n),
      totalSupply: fc.bigInt(1n, 10n ** 27n),
    });
    fc.assert(
      fc.property(inputs, ({ amount, totalAssets, totalSupply }) => {
        const minted = (amount * totalSupply) / totalAssets;
        // One share's worth of rounding may be a real loss where shares are coarse: that is not this case.
        fc.pre(minted >= 1_000n && (10n ** 18n * totalAssets) / totalSupply >= 1_000n);
        const price = { assets: (10n ** 18n * totalAssets) / totalSupply, shares: 10n ** 18n };
        expect(priceIsSafe({ amount, shares: minted, price, slippage: 0.001, assetDecimals: 6 })).toBe(true);
      }),
    );
  });
});

describe("slippageLeft()", () => {
  const left = (slippage: number, paid: bigint) => slippageLeft(slippage, { promised: 1_000_000n, paid });

  test("leaves what the first step did not lose, so that both together lose no more than the tolerance", () => {
    expect(left(0.01, 1_000_000n)).toBe(0.01);
    expect(left(0.01, 1_100_000n)).toBe(0.01);
    expect(995_000 * (1 - left(0.01, 995_000n))).toBeCloseTo(990_000, 3);
  });

  test("leaves a thousandth at least, and no more than the tolerance", () => {
    expect([left(0.005, 995_000n), left(0.005, 900_000n), left(0.005, 0n)]).toEqual([0.001, 0.001, 0.005]);
    expect(left(0.0005, 900_000n)).toBe(0.0005);
  });
});
