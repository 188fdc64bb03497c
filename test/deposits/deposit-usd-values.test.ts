import { size, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import {
  builtGasCost,
  priceImpact,
  quotedGasCost,
  readDepositFees,
  requestDepositPrices,
  valueDeposit,
} from "../../src/deposits/deposit-usd-values.ts";
import { buildOneStep } from "../../src/deposits/one-step-deposit.ts";
import type { PreparedDeposit } from "../../src/deposits/prepared-deposit.ts";
import { buildTwoStep } from "../../src/deposits/two-step-deposit.ts";
import type { AuthorizationFacts } from "../../src/orders/authorization/authorization-facts.ts";
import { planAuthorization, signedCalldata } from "../../src/orders/authorization/planned-authorization.ts";
import { type Prices, priceKey, type TokenPrice } from "../../src/prices/price.ts";
import { callOnlyStep, encodeRouterCall } from "../../src/router/router-codec.ts";
import { intentOf, USER, VAULT } from "../support/deposits/fixtures.ts";
import { createRoutedOrder, option, PAID_AMOUNT } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor } from "../support/deposits/simulated-chain.ts";
import { ETHER, feedPriceOf } from "../support/prices/fake-feeds.ts";

const USD = 10n ** 18n;
/** What Permit2 needs to know of an account: nothing. */
const unread: AuthorizationFacts = {
  ...{ token: null, hasAuthorizations: false, permitNonce: null, permit2Allowance: null, account: null },
};
const GWEI = 10n ** 9n;

async function prepared(ends: "one_step" | "two_step"): Promise<PreparedDeposit> {
  const least = ends === "one_step" ? option.toAmount : option.toAmountMin;
  const shares = { [balanceKey(VAULT, USER)]: sharesFor(least) };
  const caller = ends === "one_step" ? "router" : "user";
  const world = await createRoutedOrder({ caller, atVault: { rises: shares } });
  const built = await (ends === "one_step" ? buildOneStep : buildTwoStep)(world.ctx, world.attempt);
  const ranking = { quotes: [option], decidedBy: null };
  const routed = {
    ...built,
    token: world.attempt.token,
    fromDecimals: 18,
    ranking,
    reasons: [],
    warnings: [],
    authorization: null,
  };
  return { kind: "routed", order: world.attempt.order, routed };
}

/** Prices of what is paid, what arrives, and the native currencies of both chains. */
function pricesOf({ order }: PreparedDeposit, asset: bigint): Prices {
  const { from, vault } = order;
  const entries: [string, TokenPrice][] = [
    [priceKey({ chainId: from.chainId, token: from.token }), feedPriceOf(USD)],
    [priceKey({ chainId: vault.chainId, token: vault.asset.address }), feedPriceOf(asset)],
    [priceKey({ chainId: from.chainId, token: ETHER }), feedPriceOf(2_000n * USD)],
    [priceKey({ chainId: vault.chainId, token: ETHER }), feedPriceOf(1_000n * USD)],
  ];
  return new Map(entries);
}

describe("valueDeposit()", () => {
  test("values the payment and what arrives at our prices", async () => {
    const one = await prepared("one_step");
    expect(valueDeposit(one, pricesOf(one, USD / 2n))).toEqual({
      paid: (PAID_AMOUNT * USD) / 10n ** 18n,
      arrives: 50n * USD,
    });
  });

  test("is null for what has no price, and for a payment of unknown decimals", async () => {
    const one = await prepared("one_step");
    expect(valueDeposit(one, new Map())).toEqual({ paid: null, arrives: null });
    if (one.kind === "direct") throw new Error("direct");
    const odd = { ...one, routed: { ...one.routed, fromDecimals: null } };
    expect(valueDeposit(odd, pricesOf(odd, USD)).paid).toBeNull();
  });
});

test("valueDeposit() does not value a move's deposit at the price of the shares that pay for it", async () => {
  const intent = intentOf({ token: { address: VAULT, symbol: "", decimals: 18 } });
  const { vault } = intent;
  const order = { from: { chainId: vault.chainId, token: VAULT, amount: 2n * 10n ** 18n }, vault };
  const direct = { intent, depositAmount: 3_000_000n };
  const move = { kind: "direct", quoteType: "move", order, direct } as unknown as PreparedDeposit;
  const shares = { chainId: vault.chainId, token: VAULT };
  const prices: Prices = new Map([[priceKey(shares), feedPriceOf(USD)]]);
  expect(valueDeposit(move, prices)).toEqual({ paid: 2n * USD, arrives: null });
});

describe("priceImpact()", () => {
  const of = (paid: bigint | null, arrives: bigint | null) => priceImpact({ paid, arrives });

  test("is the lost part of what is paid, rounded up", () => {
    expect([
      of(200n, 199n),
      of(100n, 100n),
      of(80n, 100n),
      of(100n, 0n),
      of(10n ** 6n, 10n ** 6n - 1n),
    ]).toEqual(["0.0050", "0.0000", "-0.2500", "1.0000", "0.0001"]);
  });

  test("is null without both values", () => {
    expect([of(null, 1n), of(1n, null), of(0n, 1n)]).toEqual([null, null, null]);
  });
});

describe("gas costs", () => {
  const fees = (chainIds: readonly number[]) =>
    new Map(chainIds.map((chainId) => [chainId, { gasPrice: GWEI, dataFeePerByte: 0n }] as const));

  test("builtGasCost() is the source transaction's gas at the price of the native currency", async () => {
    const one = await prepared("one_step");
    if (one.kind === "direct") throw new Error("direct");
    const market = { fees: fees([one.order.from.chainId]), prices: pricesOf(one, USD) };
    const micros = (one.routed.source.gasUsed * GWEI * 2_000n) / 10n ** 12n;
    expect(Number(builtGasCost(one, market)) * 1e6).toBeCloseTo(Number(micros), 0);
    expect([
      builtGasCost(one, { ...market, fees: new Map() }),
      builtGasCost(one, { ...market, prices: new Map() }),
    ]).toEqual([null, null]);
  });

  test("builtGasCost() adds the second transaction's gas on the vault's chain", async () => {
    const two = await prepared("two_step");
    const { from, vault } = two.order;
    const prices = pricesOf(two, USD);
    const both = builtGasCost(two, { fees: fees([from.chainId, vault.chainId]), prices });
    expect(builtGasCost(two, { fees: fees([from.chainId]), prices })).toBeNull();
    if (two.kind === "direct" || two.routed.end.kind !== "two_step") throw new Error("not two steps");
    const gas = two.routed.source.gasUsed * 2_000n + two.routed.end.deposit.simulated.gasUsed * 1_000n;
    expect(Number(both) * 1e6).toBeCloseTo(Number((gas * GWEI) / 10n ** 12n), 0);
  });

  test("builtGasCost() pays for the bytes of the transaction that is sent", async () => {
    const one = await prepared("one_step");
    if (one.kind === "direct") throw new Error("direct");
    const { chainId, token, amount } = one.order.from;
    const { to, data } = one.routed.route.transaction;
    const authorization = planAuthorization({
      kind: "permit2",
      ...{ facts: unread, owner: USER, submitter: USER, chainId },
      data: encodeRouterCall({
        order: {
          ...{ tokenIn: token, amountIn: amount, minIn: amount, nativeFee: 0n, tokenOut: VAULT },
          ...{ receiver: USER, minOut: 1n, minOutPerIn: 0n, deadline: 1n, direct: false, refundTo: USER },
          ...{ ref: zeroHash, partnerId: zeroHash, partnerType: 0 },
        },
        steps: [callOnlyStep({ target: to, value: 0n, data })],
        sweep: [],
      }),
    });
    const sent = signedCalldata(authorization, `0x${"11".repeat(65)}`);
    const perByte = { gasPrice: 0n, dataFeePerByte: 1_000n * GWEI };
    const market = { fees: new Map([[chainId, perByte]]), prices: pricesOf(one, USD) };
    const costOf = (bytes: number) => (BigInt(bytes + 120) * 1_000n * GWEI * 2_000n) / 10n ** 12n;
    const micros = (of: PreparedDeposit) => Number(builtGasCost(of, market)) * 1e6;
    expect(micros(one)).toBeCloseTo(Number(costOf(size(data))), -4);
    const signed: PreparedDeposit = { ...one, routed: { ...one.routed, authorization } };
    expect(micros(signed)).toBeCloseTo(Number(costOf(size(sent))), -4);
    expect(size(sent)).toBeGreaterThan(size(data) + 700);
  });

  test("quotedGasCost() values the provider's units of gas, and is null without them", async () => {
    const one = await prepared("one_step");
    const { chainId } = one.order.from;
    const market = { fees: fees([chainId]), prices: pricesOf(one, USD), chainId };
    expect(quotedGasCost({ gas: 100_000n }, market)).toBe("0.20");
    expect(quotedGasCost({ gas: null }, market)).toBeNull();
  });

  test("readDepositFees() has no fees of chains that cannot be read", async () => {
    const { ctx, attempt } = await createRoutedOrder({});
    const { chainId } = attempt.order.from;
    expect(await readDepositFees(ctx, [chainId, chainId, 5])).toEqual(
      new Map([
        [chainId, null],
        [5, null],
      ]),
    );
  });
});

test("requestDepositPrices() asks for both sides and both native currencies once", async () => {
  const { ctx, attempt } = await createRoutedOrder({});
  requestDepositPrices(ctx, { order: attempt.order, kind: "routed" });
  const { from, vault } = attempt.order;
  const asked = [...ctx.prices.book.market.keys()];
  expect(asked).toEqual(
    expect.arrayContaining([
      priceKey({ chainId: from.chainId, token: from.token }),
      priceKey({ chainId: from.chainId, token: ETHER }),
      priceKey({ chainId: vault.chainId, token: vault.asset.address }),
      priceKey({ chainId: vault.chainId, token: ETHER }),
    ]),
  );
  expect(new Set(ctx.prices.book.market.values()).size).toBe(1);
});
