import { type Address, type Hex, pad, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  type AcrossDeposit,
  findAcrossDeposit,
} from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { builtTerms } from "../../../src/tracking/deposits/track-deposit-delivery.ts";
import { deposited, fundsDeposited, receiptOf } from "../../support/across/logs.ts";
import {
  deployments,
  HANDLER,
  USDC_1,
  USDC_42161,
  USER,
  WETH_1,
  WETH_42161,
} from "../../support/across/stage.ts";
import { REF } from "../../support/deposits/fixtures.ts";

const origin = deployments.get(1);
const destination = deployments.get(42161);
if (origin === undefined || destination === undefined) throw new Error("no deployment");

const word = (address: Address): Hex => pad(address).toLowerCase() as Hex;
const STRANGER = pad("0x05");
const DAI_1: Address = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const PAID = 100_250_000n;

/** A transfer of LI.FI over Across: 100.25 USDC, of which LI.FI keeps 0.25, and a delivery of 99.9 to the user. */
const plain = { depositor: word(USER), recipient: word(USER), message: "0x" } as const;
const own = fundsDeposited(plain);

/** Returns the number of the transfer that is taken for the user's. */
function taken(
  events: Parameters<typeof receiptOf>[0],
  of: {
    provider?: string;
    fromToken?: Address;
    toToken?: Address;
    amount?: bigint;
    toChainId?: number;
    chain?: typeof origin;
  } = {},
): bigint | null {
  const { provider = "lifi", fromToken = USDC_1, toToken = USDC_42161, amount = PAID } = of;
  const row = { ref: REF, provider, moveToken: toToken, destinationCall: false };
  const found = findAcrossDeposit(receiptOf(events), {
    ...{ origin: of.chain ?? origin, destination, toChainId: of.toChainId ?? 42161 },
    sender: { account: USER, amount },
    built: builtTerms(row, { fromToken, least: deposited.outputAmount.toString() }),
  } as Parameters<typeof findAcrossDeposit>[1]);
  return found?.depositId ?? null;
}

describe("of the transfers in the source transaction of a route of LI.FI over Across", () => {
  test("the one that was built is taken", () => {
    expect(taken([own])).toBe(77n);
  });

  test.each<[string, Partial<AcrossDeposit>]>([
    ["would be refunded to another account", { depositor: STRANGER }],
    ["is delivered to another account", { recipient: STRANGER }],
    ["takes a worthless token", { inputToken: STRANGER }],
    ["takes a worthless token, of the paid amount", { inputToken: STRANGER, inputAmount: PAID }],
    ["takes another asset, of the paid amount", { inputToken: word(WETH_1), inputAmount: PAID }],
    ["takes hardly anything, so that nobody delivers it", { inputAmount: 1n }],
    ["takes less than it promises", { inputAmount: deposited.outputAmount - 1n }],
    ["delivers another token", { outputToken: word(WETH_42161) }],
    ["delivers less than was built", { outputAmount: deposited.outputAmount - 1n }],
    ["goes to another chain", { destinationChainId: 10 }],
    ["is delivered to the handler with a message of its own", { recipient: word(HANDLER), message: "0x12" }],
  ])("none is that %s", (_what, change) => {
    const foreign = fundsDeposited({ ...plain, depositId: 5n, ...change });
    expect(taken([foreign])).toBeNull();
    for (const events of [
      [foreign, own],
      [own, foreign],
      [foreign, own, foreign],
    ])
      expect(taken(events)).toBe(77n);
  });

  test("none is taken while two may be meant", () => {
    expect(taken([own, fundsDeposited({ ...plain, depositId: 5n })])).toBeNull();
  });

  test("the one with the paid amount is taken of several of the user", () => {
    const other = fundsDeposited({ ...plain, depositId: 5n, inputAmount: 3n * PAID });
    expect(taken([other, fundsDeposited({ ...plain, inputAmount: PAID })])).toBe(77n);
  });

  test("one may take another token of the asset after a swap, whose amount says nothing of the paid one", () => {
    const swapped = { fromToken: DAI_1 };
    expect(taken([own], swapped)).toBe(77n);
    const equal = fundsDeposited({ ...plain, depositId: 5n, inputAmount: PAID });
    expect(taken([own, equal], swapped)).toBeNull();
  });

  test("one may take an unlisted token only if it was paid", () => {
    const unlisted: Address = "0x00000000000000000000000000000000000000a5";
    const [input, output] = [word(unlisted), pad("0xa6")];
    const event = fundsDeposited({ ...plain, inputToken: input, outputToken: output });
    const toToken: Address = "0x00000000000000000000000000000000000000a6";
    expect(taken([event], { fromToken: unlisted, toToken })).toBe(77n);
    expect(taken([event], { toToken })).toBeNull();
  });

  test("one takes the wrapped token of a native payment", () => {
    const weth = { ...plain, inputToken: word(WETH_1), outputToken: word(WETH_42161) };
    const native = { fromToken: zeroAddress, toToken: zeroAddress } as const;
    expect(taken([fundsDeposited(weth)], native)).toBe(77n);
    expect(taken([fundsDeposited({ ...weth, inputToken: word(USDC_1) })], native)).toBeNull();
  });
});

describe("from a chain without listed tokens", () => {
  const bare = { ...origin, chainId: 4_242, tokens: [], wrappedNative: null };
  const from = (event: Parameters<typeof receiptOf>[0][number], fromToken: Address) =>
    taken([event], { fromToken, chain: bare });

  test("any token may be bridged after a swap, of which nothing is known", () => {
    expect(from(own, DAI_1)).toBe(77n);
    expect(from(fundsDeposited({ ...plain, depositor: STRANGER }), DAI_1)).toBeNull();
  });

  test("the paid token may have other decimals than the delivered one", () => {
    expect(from(fundsDeposited({ ...plain, inputAmount: deposited.outputAmount / 10n }), USDC_1)).toBe(77n);
  });
});

test("a native payment whose wrapped token is unknown is compared by the assets that are bridged", () => {
  const chain = { ...origin, wrappedNative: null };
  const native = { fromToken: zeroAddress, chain } as const;
  expect(taken([own], native)).toBe(77n);
  const worthless = fundsDeposited({ ...plain, depositId: 5n, inputToken: STRANGER, inputAmount: 1n });
  expect(taken([worthless], native)).toBeNull();
  expect(taken([worthless, own], native)).toBe(77n);
});

test("a route of Across itself takes the paid token only", () => {
  expect(taken([own], { provider: "across", amount: deposited.inputAmount })).toBe(77n);
  expect(taken([own], { provider: "across", fromToken: DAI_1 })).toBeNull();
});
