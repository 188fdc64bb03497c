import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  deliveredFloors,
  exactFloor,
  leastOutput,
  orderDeadline,
  splitSlippage,
  totalLoss,
} from "../../src/orders/order-floors.ts";

const ONE = 1_000_000_000n;

describe("splitSlippage()", () => {
  test.each([
    [30_000_000n, { vault: 5_000_000n, transfer: 25_125_628n }],
    [10_000_000n, { vault: 5_000_000n, transfer: 5_025_125n }],
    [5_000_000n, { vault: 2_500_000n, transfer: 2_506_265n }],
    [1_000_000n, { vault: 500_000n, transfer: 500_250n }],
    [1n, { vault: 0n, transfer: 1n }],
    [500_000_000n, { vault: 5_000_000n, transfer: 497_487_437n }],
  ])("splits %s parts per billion", (slippage, parts) => {
    expect(splitSlippage(slippage)).toEqual(parts);
  });

  test("never loses more than the slippage, nor two parts per billion less", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 500_000_000n }), (slippage) => {
        const total = totalLoss(splitSlippage(slippage));
        expect(total).toBeLessThanOrEqual(slippage);
        expect(total).toBeGreaterThanOrEqual(slippage - 2n);
      }),
    );
  });
});

describe("totalLoss()", () => {
  test.each([
    [0n, 0n, 0n],
    [1n, 0n, 1n],
    [1n, 1n, 1n],
    [500_000_000n, 500_000_000n, 750_000_000n],
  ])("of %s and then %s parts per billion is %s, rounded down", (transfer, vault, total) => {
    expect(totalLoss({ transfer, vault })).toBe(total);
  });
});

test("an order may be executed for fifteen minutes from its block", () => {
  expect(orderDeadline(1_700_000_000)).toBe(1_700_000_900n);
});

describe("leastOutput()", () => {
  test.each([
    [1n, 0n, 1n, 1n],
    [10n ** 27n, 0n, 5n, 5n],
    [10n ** 27n + 1n, 0n, 1n, 2n],
    [10n ** 27n, 7n, 5n, 7n],
  ])("of %s per unit, at least %s, for %s is %s, rounded up", (minOutPerIn, minOut, arrived, least) => {
    expect(leastOutput({ minOut, minOutPerIn }, arrived)).toBe(least);
  });
});

describe("exactFloor()", () => {
  test("rounds down, but never to nothing", () => {
    expect(exactFloor(1_000n, 1_500_000n)).toEqual({ minOut: 998n });
    expect(exactFloor(1n, 500_000_000n)).toEqual({ minOut: 1n });
  });
});

describe("deliveredFloors()", () => {
  const orders = fc.record({
    expected: fc.bigInt({ min: 1n, max: 10n ** 30n }),
    seen: fc.bigInt({ min: 1n, max: 10n ** 30n }),
    slippage: fc.bigInt({ min: 1_000_000n, max: 500_000_000n }),
  });

  test("allows at most the slippage for whatever arrives, and at least half of the vault's part", () => {
    fc.assert(
      fc.property(orders, fc.bigInt({ min: 0n, max: ONE }), ({ expected, seen, slippage }, more) => {
        const loss = splitSlippage(slippage);
        const floors = deliveredFloors({ expected, seen, loss });
        if (floors === null) return;
        const { minIn, least } = floors;
        expect(minIn).toBeLessThanOrEqual(expected);
        expect(leastOutput(floors, minIn)).toBe(least);
        expect(least).toBeGreaterThanOrEqual(exactFloor(seen, slippage).minOut);
        const arrived = minIn + ((expected - minIn) * more) / ONE;
        const honest = (seen * arrived) / expected;
        const kept = (honest * (2n * ONE - loss.vault)) / (2n * ONE);
        const asked = leastOutput(floors, arrived);
        if (floors.minOut === 0n) expect(asked).toBeLessThanOrEqual(kept + 2n);
        expect(asked * expected * ONE).toBeGreaterThanOrEqual(
          seen * (arrived - 1n) * (ONE - loss.vault) - expected * ONE,
        );
      }),
    );
  });

  test("is null where the output per unit is too small to be enforced", () => {
    const loss = splitSlippage(30_000_000n);
    expect(deliveredFloors({ expected: 10n ** 27n, seen: 1_000_000n, loss })).toBeNull();
    expect(deliveredFloors({ expected: 10n ** 27n, seen: 2_000_000n, loss })).not.toBeNull();
    expect(deliveredFloors({ expected: 0n, seen: 1n, loss })).toBeNull();
  });

  test("is in output units per input unit times 10^27, at least 10^6", () => {
    const loss = { transfer: 0n, vault: 0n };
    const of = (expected: bigint, seen: bigint) => deliveredFloors({ expected, seen, loss })?.minOutPerIn;
    expect([of(10n ** 21n, 1n), of(10n ** 21n + 1n, 1n)]).toEqual([10n ** 6n, undefined]);
  });

  test("asks no less per unit than the vault may lose, and more where the minimum input alone would lose more", () => {
    const order = { expected: 10n ** 12n, seen: 10n ** 24n, loss: splitSlippage(30_000_000n) };
    expect(deliveredFloors({ ...order, minIn: 990_000_000_000n })).toEqual({
      ...{ minIn: 990_000_000_000n, minOut: 0n, minOutPerIn: 995n * 10n ** 36n },
      least: 985_050n * 10n ** 18n,
    });
    expect(deliveredFloors(order)).toEqual({
      ...{
        minIn: 974_874_371_999n,
        minOut: 0n,
        minOutPerIn: 995_000_000_883_185_592_656_941_017_208_991_663_818n,
      },
      least: 970_000_001_000_000_000_000_001n,
    });
    const wanted = 970_000_001n * 10n ** 15n;
    expect(deliveredFloors({ ...order, minIn: 971_944_000_000n })).toEqual({
      ...{ minIn: 971_944_000_000n, minOut: wanted, minOutPerIn: 995n * 10n ** 36n, least: wanted },
    });
  });

  test("of a single unit asks for that unit", () => {
    const floors = deliveredFloors({ expected: 1n, seen: 10n ** 12n, loss: splitSlippage(30_000_000n) });
    expect(floors?.minIn).toBe(1n);
  });

  test("keeps a minimum input that is fixed already", () => {
    const loss = splitSlippage(30_000_000n);
    const floors = deliveredFloors({ expected: 1_001_000n, seen: 1_001_000n, loss, minIn: 974_874n });
    expect(floors).toMatchObject({ minIn: 974_874n, minOut: 0n });
    expect(floors?.least).toBeGreaterThanOrEqual(970_970n);
  });

  test("adds an absolute minimum where the amount is too small for the unit of rounding", () => {
    const loss = splitSlippage(2_000_000n);
    const floors = deliveredFloors({ expected: 100n, seen: 100n, loss });
    expect(floors).toMatchObject({ minIn: 99n, minOut: 99n, least: 99n });
  });
});
