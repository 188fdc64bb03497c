import fc from "fast-check";
import { type Address, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { acceptTerms, toOutputUnits } from "../../../src/providers/across/across-quote-checks.ts";
import { SuggestedFees } from "../../../src/providers/across/across-schemas.ts";
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

test("acceptTerms() returns the terms of a faultless quote", () => {
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
const faults: [string, Partial<Fees>][] = [
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
  ["an output above the amount paid", { outputAmount: 100_000_001n }],
  ["a huge output", { outputAmount: 2n ** 256n - 1n }],
  ["a quote from the future", { timestamp: NOW + 1 }],
  ["a quote older than 30 minutes", { timestamp: NOW - 1_801 }],
  ["a quote time of 1970", { timestamp: 0 }],
  ["a fill deadline in the past", { fillDeadline: NOW - 1 }],
  ["a fill deadline too early", { fillDeadline: NOW + 599 }],
  ["a fill deadline too late", { fillDeadline: NOW + 21_601 }],
  ["the largest possible fill deadline", { fillDeadline: 2 ** 32 - 1 }],
  ["an exclusivity without a relayer", { exclusivityDeadline: 60 }],
  ["a too long exclusivity as offset", { exclusiveRelayer: RELAYER, exclusivityDeadline: 901 }],
  ["an exclusivity offset of a year", { exclusiveRelayer: RELAYER, exclusivityDeadline: 31_536_000 }],
  [
    "an exclusivity until the fill deadline",
    { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 600, fillDeadline: NOW + 600 },
  ],
  [
    "a period of exclusivity that may outlast the fill deadline",
    { exclusiveRelayer: RELAYER, exclusivityDeadline: 300, fillDeadline: NOW + 600 },
  ],
  ["a too long exclusivity as unix time", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 901 }],
];
test.each(faults)("acceptTerms() rejects %s", async (_, change) => {
  expect(await verdict(change)).toEqual(["upstream_rejected"]);
});

test.each<[string, Partial<Fees>]>([
  ["an output equal to the amount paid", { outputAmount: 100_000_000n }],
  ["a quote of exactly 30 minutes ago", { timestamp: NOW - 1_800 }],
  ["a quote of this second", { timestamp: NOW }],
  ["the earliest allowed fill deadline", { fillDeadline: NOW + 600 }],
  ["the latest allowed fill deadline", { fillDeadline: NOW + 21_600 }],
  ["a relayer without exclusivity", { exclusiveRelayer: RELAYER }],
  ["an exclusivity as offset", { exclusiveRelayer: RELAYER, exclusivityDeadline: 900 }],
  ["an exclusivity as unix time", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW + 900 }],
  [
    "the smallest exclusivity read as unix time",
    { exclusiveRelayer: RELAYER, exclusivityDeadline: 31_536_001 },
  ],
  ["an exclusivity in the past", { exclusiveRelayer: RELAYER, exclusivityDeadline: NOW - 60 }],
  [
    "an amount equal to both bridge limits",
    { limits: { minDeposit: 100_000_000n, maxDeposit: 100_000_000n } },
  ],
  ["an output equal to the minimum of slippage limit and call", { outputAmount: 97_000_000n }],
])("acceptTerms() accepts %s", (_, change) => {
  const accepted = judge(change);
  if (change.exclusiveRelayer !== undefined) expect(accepted.exclusiveRelayer).toBe(RELAYER);
  if (change.outputAmount !== undefined) expect(accepted.outputAmount).toBe(change.outputAmount);
});

const limits = { minDeposit: 1n, maxDeposit: 10n ** 30n };
test.each<[string, Partial<Fees>, string]>([
  ["an amount that the API calls too low", { isAmountTooLow: true }, "amount_too_low"],
  [
    "an amount below the bridge's limit",
    { limits: { ...limits, minDeposit: 100_000_001n } },
    "amount_too_low",
  ],
  [
    "an amount above the bridge's limit",
    { limits: { ...limits, maxDeposit: 99_999_999n } },
    "amount_too_high",
  ],
  ["an output one unit below the call's minimum input", { outputAmount: call.minIn - 1n }, "slippage"],
  ["an output of zero", { outputAmount: 0n }, "slippage"],
])("acceptTerms() throws no_route for %s", async (_, change, reason) => {
  expect(await verdict(change)).toEqual(["no_route", reason]);
});

describe("the minimum output of acceptTerms()", () => {
  test("is the call's minimum input when that exceeds the slippage limit", async () => {
    const asked = requestOf({ slippage: 500_000_000n, call: { ...call, minIn: 99_000_000n } });
    expect(judge({ outputAmount: 99_000_000n }, asked).outputAmount).toBe(99_000_000n);
    expect(await verdict({ outputAmount: 98_999_999n }, asked)).toEqual(["no_route", "slippage"]);
  });

  test("is never zero, even at 100 % slippage", async () => {
    const asked = requestOf({ amount: 1n, slippage: 500_000_000n, call: null });
    const open = { limits, timestamp: NOW };
    expect(await verdict({ ...open, outputAmount: 0n }, asked)).toEqual(["no_route", "slippage"]);
  });

  test("leaves it to the fairness rules what is fair, for every amount", () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
    const wide = { minDeposit: 0n, maxDeposit: 2n ** 256n - 1n };
    fc.assert(
      fc.property(positive, fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (amount, out) => {
        const asked = requestOf({ amount, call: null });
        const outputAmount = out % (2n * amount);
        const allowed = outputAmount > 0n && outputAmount <= amount;
        const accept = () => judge({ outputAmount, limits: wide }, asked);
        if (allowed) expect(accept().outputAmount).toBe(outputAmount);
        else expect(accept).toThrow();
      }),
    );
  });
});

test("toOutputUnits() converts between the tokens' decimals and rounds down", () => {
  const route = routeOf(request);
  const to = (decimals: number) => ({ ...route, output: { ...route.output, decimals } });
  expect(toOutputUnits({ request, route: to(18) })).toBe(100n * 10n ** 18n);
  expect(toOutputUnits({ request: requestOf({ amount: 1_999_999n }), route: to(0) })).toBe(1n);
});
