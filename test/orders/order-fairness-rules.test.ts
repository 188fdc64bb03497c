import { describe, expect, test } from "vitest";
import {
  type FairnessCase,
  fairnessRules,
  findUnfairness,
  toleranceOf,
} from "../../src/orders/order-fairness-rules.ts";
import { splitSlippage } from "../../src/orders/order-floors.ts";
import type { TransferQuote, VerifiedTransfer } from "../../src/providers/provider.ts";

const slippage = 30_000_000n;
const option: TransferQuote = {
  provider: "one",
  bridge: "bridge",
  bridgeName: null,
  bridgeLogo: null,
  toAmount: 1_000_000n,
  toAmountMin: 980_000n,
  declaredFee: 0n,
  nativeFee: 0n,
  estimatedSeconds: null,
  gas: null,
  supportsCall: true,
  supportsPlain: true,
};
const built: VerifiedTransfer = {
  ...option,
  transaction: { to: "0x00000000000000000000000000000000000000aA", data: "0x", value: 0n },
  spender: null,
  executor: null,
  tool: "tool",
  validSeconds: 60,
  swaps: true,
};
const fair: NonNullable<FairnessCase["fair"]> = {
  basis: "price",
  output: 1_000_000n,
  feeOnTop: 0n,
  threeDollars: 0n,
  band: slippage,
  excess: slippage,
};
const offer: FairnessCase = {
  relation: "swap",
  fair,
  slippage,
  loss: splitSlippage(slippage),
  option,
  built,
  simulated: { delivered: 990_000n, output: { seen: 500_000n, floor: 485_000n } },
  minIn: 974_874n,
};
const ruleBroken = (change: Partial<FairnessCase>): string | null =>
  findUnfairness({ ...offer, ...change })?.rule ?? null;
const withOption = (change: Partial<TransferQuote>): string | null =>
  ruleBroken({ option: { ...option, ...change }, built: null, simulated: null });
const withBuilt = (change: Partial<VerifiedTransfer>): string | null =>
  ruleBroken({ built: { ...built, ...change }, simulated: null });
const simulated = (delivered: bigint | null, floor = 485_000n): FairnessCase["simulated"] => ({
  delivered,
  output: { seen: 500_000n, floor },
});

describe("findUnfairness()", () => {
  test("finds nothing in a fair offer, in every stage", () => {
    expect(ruleBroken({})).toBeNull();
    expect(ruleBroken({ simulated: null })).toBeNull();
    expect(ruleBroken({ built: null, simulated: null })).toBeNull();
  });

  test.each([
    ["no value is known", ruleBroken({ fair: null }), "value_known"],
    ["assets are bridged as one", withBuilt({ swaps: false }), "swap_between_assets"],
    ["an option is too low", withOption({ toAmount: 969_999n }), "expected_not_low"],
    ["a transaction is too low", withBuilt({ toAmount: 969_999n }), "expected_not_low"],
    ["the simulation is too low", ruleBroken({ simulated: simulated(969_999n) }), "expected_not_low"],
    ["an option is too good", withOption({ toAmount: 1_030_002n }), "expected_not_high"],
    ["a transaction is too good", withBuilt({ toAmount: 1_030_002n }), "expected_not_high"],
    ["no tolerance is left", withOption({ toAmount: 972_000n }), "tolerance_possible"],
    ["too little is guaranteed", withBuilt({ toAmountMin: 971_858n }), "guarantee_fair"],
    [
      "too little is guaranteed to the user",
      ruleBroken({ built: { ...built, toAmountMin: 971_858n }, minIn: null, simulated: null }),
      "guarantee_fair",
    ],
    [
      "less of a fee was built than declared, and the rest is missing",
      ruleBroken({
        option: { ...option, declaredFee: 5_000_000n },
        built: { ...built, toAmountMin: 968_000n },
        simulated: null,
      }),
      "guarantee_fair",
    ],
    ["our own call accepts too little", ruleBroken({ minIn: 971_857n, simulated: null }), "guarantee_fair"],
    ["another provider built it", withBuilt({ provider: "other" }), "built_as_chosen"],
    ["another bridge was built", withBuilt({ bridge: "other" }), "built_as_chosen"],
    ["much less was built than chosen", withBuilt({ toAmount: 989_999n }), "built_as_chosen"],
    ["more is guaranteed than expected", withBuilt({ toAmountMin: 1_000_001n }), "built_as_chosen"],
    [
      "less is simulated than guaranteed",
      ruleBroken({ simulated: simulated(979_999n) }),
      "simulated_as_built",
    ],
    [
      "the floor is below the simulation less the slippage",
      ruleBroken({ simulated: simulated(null, 484_999n) }),
      "floor_follows_simulation",
    ],
  ])("refuses an offer if %s", (_what, broken, rule) => {
    expect(broken).toBe(rule);
  });

  test.each([
    [
      "one asset is bridged without a swap",
      ruleBroken({ relation: "same_asset", built: { ...built, swaps: false } }),
    ],
    ["the least that is fair is guaranteed, but for a unit", withBuilt({ toAmountMin: 971_859n })],
    ["the delivery goes to the user", ruleBroken({ minIn: null })],
    ["its output is exact", withBuilt({ toAmountMin: 1_000_000n })],
    ["as much is simulated as guaranteed", ruleBroken({ simulated: simulated(980_000n) })],
    ["as much is expected as is plausible", withOption({ toAmount: 1_030_001n })],
    ["one percent less was built", withBuilt({ toAmount: 990_000n })],
    ["the band is used to its end", withOption({ toAmount: 975_000n })],
  ])("accepts an offer if %s", (_what, broken) => {
    expect(broken).toBeNull();
  });

  test("takes the band to its end, for an exact output", () => {
    const narrow = { ...fair, band: 10_000_000n };
    const of = (toAmount: bigint) =>
      ruleBroken({
        fair: narrow,
        option: { ...option, toAmount, toAmountMin: toAmount },
        built: null,
        simulated: null,
      });
    expect([of(990_000n), of(989_999n)]).toEqual([null, "expected_not_low"]);
  });

  test("has rules that find nothing where there is nothing to compare", () => {
    const alone = (change: Partial<FairnessCase>) =>
      fairnessRules.flatMap(({ name, findBreach }) =>
        findBreach({ ...offer, ...change }) === null ? [] : [name],
      );
    expect(alone({ fair: null })).toEqual(["value_known", "tolerance_possible"]);
    expect(alone({ built: null })).toEqual([]);
  });

  test("has a name and a case above for every rule", () => {
    expect(new Set(fairnessRules.map(({ name }) => name)).size).toBe(fairnessRules.length);
    expect(fairnessRules).toHaveLength(9);
  });
});

describe("toleranceOf()", () => {
  const of = (change: Partial<TransferQuote>, loss = offer.loss) =>
    toleranceOf({ ...offer, loss, option: { ...option, ...change } });

  test("is the transfer's part of the slippage where the offer is fair", () => {
    expect(of({})).toBe(offer.loss.transfer);
  });

  test("is less where the offer is below its fair value", () => {
    // 967,000 are needed after the vault's half percent: 971,860.
    expect(of({ toAmount: 980_000n })).toBe(8_306_122n);
  });

  test("is null below a tenth of a percent, but for exact outputs", () => {
    expect(of({ toAmount: 972_500n })).toBeNull();
    expect(of({ toAmount: 972_500n, toAmountMin: 972_500n })).toBe(658_097n);
    expect(of({ toAmount: 971_859n, toAmountMin: 971_859n })).toBeNull();
  });

  test("ends at exactly a tenth of a percent, and with an exact output at nothing", () => {
    const scale = 10n ** 9n;
    const rich = {
      ...offer,
      fair: { ...fair, output: fair.output * scale },
      loss: { ...offer.loss, vault: 0n },
    };
    const needed = 967_000n * scale;
    const at = (toAmount: bigint, toAmountMin = 0n) =>
      toleranceOf({ ...rich, option: { ...option, toAmount, toAmountMin } });
    const tenth = (needed * 1_000n) / 999n + 1n;
    expect([at(tenth), at(tenth - 1_000_000n)]).toEqual([1_000_000n, null]);
    expect([at(needed, needed), at(needed - 1n, needed - 1n)]).toEqual([0n, null]);
    expect(toleranceOf({ ...rich, fair: null })).toBeNull();
  });

  test("counts no more of a fee than was declared before", () => {
    const more = { ...built, toAmountMin: 968_000n, declaredFee: 5_000_000n };
    expect(ruleBroken({ built: more, simulated: null })).toBe("guarantee_fair");
    const both = { ...more, toAmountMin: 967_000n };
    const declared = { ...option, declaredFee: 5_000_000n };
    expect(ruleBroken({ option: declared, built: both, simulated: null })).toBeNull();
  });
});
