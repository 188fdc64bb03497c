import fc from "fast-check";
import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { SuggestedFees } from "../../../src/providers/across/across-schemas.ts";
import { acceptTerms, inOutputUnits } from "../../../src/providers/across/quote-checks.ts";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { call, failureOf, feesBody, requestOf, routeOf, WETH_1 } from "../../support/across/stage.ts";

const NOW = 1_900_000_000;
const RELAYER: Address = "0x394311A6Aaa0D8E3411D8b62DE4578D41322d1bD";
const request = requestOf();

type Fees = ReturnType<typeof SuggestedFees.parse>;

function judge(change: Partial<Fees>, asked: TransferRequest = request) {
  const fees = { ...SuggestedFees.parse(feesBody(asked, NOW)), ...change };
  return acceptTerms(fees, { request: asked, route: routeOf(asked), now: NOW });
}

const verdict = (change: Partial<Fees>, asked?: TransferRequest) =>
  failureOf(Promise.resolve().then(() => judge(change, asked))).then(({ code, reasons }) => [
    code,
    ...reasons,
  ]);

test("takes an honest price as it is", () => {
  expect(judge({ estimatedFillTimeSec: 2.1 })).toEqual({
    outputAmount: 99_900_000n,
    quoteTimestamp: NOW - 60,
    fillDeadline: NOW + 7_140,
    exclusiveRelayer: zeroAddress,
    exclusivityParameter: 0,
    estimatedSeconds: 3,
  });
});

const { inputToken, outputToken } = SuggestedFees.parse(feesBody(request, NOW));
const lies: [string, Partial<Fees>][] = [
  ["another SpokePool", { spokePoolAddress: RELAYER }],
  [
    "the destination's SpokePool as the source's",
    { spokePoolAddress: routeOf(request).destination.spokePool },
  ],
  ["another destination SpokePool", { destinationSpokePoolAddress: RELAYER }],
  ["another input token", { inputToken: { ...inputToken, address: WETH_1 } }],
  ["an input of other decimals", { inputToken: { ...inputToken, decimals: 18 } }],
  ["another source chain", { inputToken: { ...inputToken, chainId: 10 } }],
  ["another output token", { outputToken: { ...outputToken, address: WETH_1 } }],
  ["an output of other decimals", { outputToken: { ...outputToken, decimals: 18 } }],
  ["another destination chain", { outputToken: { ...outputToken, chainId: 10 } }],
  ["more than was paid", { outputAmount: 100_000_001n }],
  ["a huge output", { outputAmount: 2n ** 256n - 1n }],
  ["a quote from the future", { timestamp: NOW + 1 }],
  ["a quote of half an hour ago", { timestamp: NOW - 1_801 }],
  ["a quote of 1970", { timestamp: 0 }],
  ["a deadline that has passed", { fillDeadline: NOW - 1 }],
  ["a deadline too near", { fillDeadline: NOW + 599 }],
  ["a deadline too far", { fillDeadline: NOW + 21_601 }],
  ["no deadline at all", { fillDeadline: 2 ** 32 - 1 }],
  ["an exclusivity for nobody", { exclusivityDeadline: 60 }],
  ["a long exclusivity as offset", { exclusiveRelayer: RELAYER, exclusivityDeadline: 901 }],
  ["the longest offset there is", { exclusiveRelayer: RELAYER, exclusivityDeadline: 31_536_000 }],
  ["a long exclusivity as time", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 901 }],
];
test.each(lies)("refuses %s", async (_, change) => {
  expect(await verdict(change)).toEqual(["upstream_rejected"]);
});

test.each<[string, Partial<Fees>]>([
  ["the whole amount", { outputAmount: 100_000_000n }],
  ["the last second of a quote", { timestamp: NOW - 1_800 }],
  ["this very second", { timestamp: NOW }],
  ["the nearest deadline", { fillDeadline: NOW + 600 }],
  ["the farthest deadline", { fillDeadline: NOW + 21_600 }],
  ["a relayer without exclusivity", { exclusiveRelayer: RELAYER }],
  ["an exclusivity as offset", { exclusiveRelayer: RELAYER, exclusivityDeadline: 900 }],
  ["an exclusivity as time", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 900 }],
  ["the first exclusivity that is a time", { exclusiveRelayer: RELAYER, exclusivityDeadline: 31_536_001 }],
  ["an exclusivity that is over", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW - 60 }],
  ["the least and the most it moves", { limits: { minDeposit: 100_000_000n, maxDeposit: 100_000_000n } }],
  ["what slippage and call just allow", { outputAmount: 97_000_000n }],
])("takes %s", (_, change) => {
  const accepted = judge(change);
  if (change.exclusiveRelayer !== undefined) expect(accepted.exclusiveRelayer).toBe(RELAYER);
  if (change.outputAmount !== undefined) expect(accepted.outputAmount).toBe(change.outputAmount);
});

const limits = { minDeposit: 1n, maxDeposit: 10n ** 30n };
test.each<[string, Partial<Fees>, string]>([
  ["an amount it calls too low", { isAmountTooLow: true }, "amount_too_low"],
  ["an amount below its limit", { limits: { ...limits, minDeposit: 100_000_001n } }, "amount_too_low"],
  ["an amount above its limit", { limits: { ...limits, maxDeposit: 99_999_999n } }, "amount_too_high"],
  ["one unit less than allowed", { outputAmount: 96_999_999n }, "slippage"],
  ["nothing delivered", { outputAmount: 0n }, "slippage"],
])("has no route for %s", async (_, change, reason) => {
  expect(await verdict(change)).toEqual(["no_route", reason]);
});

describe("the least that is accepted", () => {
  test("is what the call needs, where that is more than the slippage allows", async () => {
    const asked = requestOf({ slippage: 500_000_000n, call: { ...call, minIn: 99_000_000n } });
    expect(judge({ outputAmount: 99_000_000n }, asked).outputAmount).toBe(99_000_000n);
    expect(await verdict({ outputAmount: 98_999_999n }, asked)).toEqual(["no_route", "slippage"]);
  });

  test("is never nothing, whatever the slippage", async () => {
    const asked = requestOf({ amount: 1n, slippage: 500_000_000n, call: null });
    const open = { limits, timestamp: NOW };
    expect(await verdict({ ...open, outputAmount: 0n }, asked)).toEqual(["no_route", "slippage"]);
  });

  test("holds for every amount and slippage", () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const slippages = fc.bigInt({ min: 1n, max: 500_000_000n });
    const wide = { minDeposit: 0n, maxDeposit: 2n ** 256n - 1n };
    fc.assert(
      fc.property(
        positive,
        slippages,
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
        (amount, slippage, out) => {
          const asked = requestOf({ amount, slippage, call: null });
          const outputAmount = out % (2n * amount);
          const lost = (amount - outputAmount) * 1_000_000_000n;
          const allowed =
            outputAmount > 0n && outputAmount <= amount && lost <= amount * slippage + 999_999_999n;
          const accept = () => judge({ outputAmount, limits: wide }, asked);
          if (allowed) expect(accept().outputAmount).toBe(outputAmount);
          else expect(accept).toThrow();
        },
      ),
    );
  });
});

test("the equivalent follows both tokens' decimals and rounds down", () => {
  const route = routeOf(request);
  const to = (decimals: number) => ({ ...route, output: { ...route.output, decimals } });
  expect(inOutputUnits({ request, route: to(18) })).toBe(100n * 10n ** 18n);
  expect(inOutputUnits({ request: requestOf({ amount: 1_999_999n }), route: to(0) })).toBe(1n);
});
