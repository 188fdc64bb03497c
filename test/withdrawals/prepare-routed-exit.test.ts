import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { AppError, failure } from "../../src/errors.ts";
import { sleep } from "../../src/lib/timers.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { decodeRouterCall, routerBridgeOutput, routerSelf } from "../../src/router/router-codec.ts";
import { firstPossible } from "../../src/withdrawals/choose-exit.ts";
import { onwardAmount } from "../../src/withdrawals/find-exit-transfer-route.ts";
import { prepareOnward, toRoutedOrder } from "../../src/withdrawals/prepare-routed-exit.ts";
import { OTHER, USDC, USER, VAULT, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import {
  exitOf,
  exitsFor,
  exitWayOf,
  factsOf,
  familyVault,
  HELD,
  home,
  MIN_ASSETS,
  orderOf,
  paying,
  WORTH,
} from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, EXCHANGE, fairWeth, swapDesk } from "../support/withdrawals/withdrawing.ts";

describe("onwardAmount()", () => {
  test("leaves a hundredth of a percent and two units to the user", () => {
    expect(onwardAmount(WORTH)).toBe(WORTH - 12_500n - 2n);
    expect(onwardAmount(3n)).toBe(1n);
  });

  test.each([0n, 1n, 2n])("refuses %s units, of which nothing remains", (paid) => {
    expect(() => onwardAmount(paid)).toThrow(expect.objectContaining({ code: "below_minimum" }));
  });
});

const route: VerifiedTransfer = {
  ...{ provider: "desk", bridge: null, bridgeName: null, bridgeLogo: null, toAmount: 9n, toAmountMin: 9n },
  ...{ declaredFee: 0n, nativeFee: 0n, estimatedSeconds: null, gas: null, supportsCall: false },
  ...{ supportsPlain: true, transaction: { to: EXCHANGE, data: "0xAB12", value: 5n }, spender: null },
  ...{ executor: null, tool: "desk", validSeconds: 60, swaps: true },
};

describe("toRoutedOrder()", () => {
  const plan = (receiverOffset: number | null) => ({
    route,
    ...{ asStep: { receiverOffset, leftovers: [OTHER] }, amount: MIN_ASSETS },
  });
  const exit = exitOf(orderOf({ to: { ...orderOf().to, token: WETH } }));

  test("pays out and measures what a swap gives, from what the vault paid", () => {
    const { order, steps, sweep } = toRoutedOrder(exit, { plan: plan(164), minOut: 9n });
    expect(order).toMatchObject({
      tokenIn: VAULT,
      tokenOut: WETH,
      minOut: 9n,
      nativeFee: 5n,
      receiver: USER,
    });
    expect(order).toMatchObject({ amountIn: HELD, minIn: HELD, minOutPerIn: 0n });
    expect(steps).toHaveLength(2);
    expect(steps[1]).toMatchObject({
      ...{ target: EXCHANGE, data: "0xab12", approveToken: USDC, spender: EXCHANGE, value: 5n },
      ...{ needToken: USDC, needAmount: MIN_ASSETS },
      patches: [{ offset: 164n, token: routerSelf }],
    });
    expect(sweep).toEqual([OTHER]);
  });

  test("demands of a bridge that it takes the amount, for nothing can be measured here", () => {
    const { order, steps, sweep } = toRoutedOrder(exit, { plan: plan(null), minOut: 9n });
    expect(order).toMatchObject({ tokenOut: routerBridgeOutput, minOut: 0n, minOutPerIn: 0n });
    expect(steps[1]).toMatchObject({ needToken: USDC, needAmount: MIN_ASSETS, patches: [] });
    expect(sweep).toEqual([OTHER]);
  });
});

describe("prepareOnward() of a swap", () => {
  const swapped = fairWeth(onwardAmount(WORTH));
  interface Case {
    paid?: bigint;
    gained?: bigint;
    effects?: SimulatedEffects;
    desk?: Parameters<typeof swapDesk>[1];
    oneStep?: boolean;
  }
  /** Withdraws all shares as WETH on a chain that pays and swaps so. */
  async function onward({ paid = WORTH, gained = swapped, effects, desk: change, oneStep }: Case = {}) {
    const world = await createWithdrawalFixture({
      effects: () =>
        effects ?? { rises: { [balanceKey(USDC, USER)]: paid, [balanceKey(WETH, USER)]: gained } },
    });
    const desk = swapDesk(world.ctx, change);
    const client = world.chain.client;
    const to = { client, chainId: home.chainId, token: WETH };
    const order = orderOf({ client, to, slippage: 0.03 });
    const facts = factsOf(order, [
      exitWayOf(order, { pays: false }),
      exitWayOf(order, { via: "user", pays: false }),
    ]);
    const made = await prepareOnward(desk.ctx, {
      order,
      facts,
      mode: "instant",
      ...(oneStep && { oneStep }),
    });
    return { made, asked: desk.asked };
  }
  const codeOf = (of: Case) =>
    onward(of).then(
      () => "none",
      ({ code }: { code: string }) => code,
    );

  test("redeems and swaps in one order, with the simulated output less the slippage as its floor", async () => {
    const { made, asked } = await onward();
    if (made.kind !== "routed") throw new Error(made.kind);
    expect(asked[0]).toMatchObject({ fromToken: USDC, toToken: WETH, amount: onwardAmount(WORTH) });
    const least = (swapped * 99n) / 100n;
    expect(made.exit).toMatchObject({
      toAmount: swapped,
      toAmountMin: least,
      minAssets: onwardAmount(WORTH),
    });
    const { order, steps } = decodeRouterCall(made.exit.call.data);
    expect(order).toMatchObject({ tokenIn: VAULT, tokenOut: WETH, minOut: least, receiver: USER });
    // Of shares that arrive later, nothing would be swapped or bridged, and no minimum of a bridge would count them.
    expect(order).toMatchObject({ amountIn: HELD, minIn: HELD });
    expect(steps.map(({ target }) => target)).toEqual([VAULT, EXCHANGE]);
  });

  test("takes two steps where only the user may call the provider", async () => {
    const { made } = await onward({ desk: { asStep: false } });
    expect(made).toMatchObject({
      kind: "two_step",
      exit: { assets: WORTH },
      transfer: { token: { address: WETH } },
    });
  });

  test("swaps what the simulation shows if that is less than the preview", async () => {
    const paid = (WORTH * 998n) / 1_000n;
    const amount = onwardAmount(paid);
    const { made, asked } = await onward({ paid, gained: fairWeth(amount) });
    if (made.kind !== "routed") throw new Error(made.kind);
    expect(asked.map((request) => request.amount)).toEqual([amount]);
    expect(decodeRouterCall(made.exit.call.data).steps[1]).toMatchObject({ needAmount: amount });
    expect(made.exit).toMatchObject({ assets: paid, toAmount: fairWeth(amount) });
  });

  test.each<[string, Case, string]>([
    [
      "a provider that only the user may call, in one step",
      { desk: { asStep: false }, oneStep: true },
      "no_route",
    ],
    ["a provider that offers too little", { desk: { price: (usdc) => fairWeth(usdc) / 2n } }, "price_unsafe"],
    ["a swap that delivers less than promised", { gained: swapped / 2n }, "price_unsafe"],
    ["a vault that pays too little", { paid: WORTH / 2n }, "price_unsafe"],
    ["an order that reverts", { effects: { revert: "0x" } }, "would_revert"],
    [
      "another contract's calldata",
      { desk: { made: { transaction: { to: EXCHANGE, data: "0x12345678", value: 0n } } } },
      "upstream_rejected",
    ],
  ])("refuses %s", async (_name, of, code) => {
    expect(await codeOf(of)).toBe(code);
  });
});

describe("prepareOnward() of a vault that refuses", () => {
  const world = () => createWithdrawalFixture({ effects: () => ({ revert: "0x" }) });
  const refused = { maxShares: 0n, previewAssets: 0n, paused: true } as const;
  const attempt = async (provides: boolean) => {
    const { ctx, chain } = await world();
    const desk = swapDesk(ctx, provides ? {} : { price: (usdc) => fairWeth(usdc) / 2n });
    const order = orderOf({
      ...{ client: chain.client, slippage: 0.03 },
      to: { client: chain.client, chainId: home.chainId, token: WETH },
    });
    const facts = factsOf(order, [exitWayOf(order, { pays: false, terms: { ...paying, ...refused } })]);
    return prepareOnward(desk.ctx, { order, facts, mode: "instant" });
  };

  test.each([true, false])("says why, whatever a preview or a provider says", async (provides) => {
    await expect(attempt(provides)).rejects.toMatchObject({ code: "exits_paused" });
  });
});

describe("prepareOnward() of a request", () => {
  type Offering = Parameters<typeof swapDesk>[1] | "no provider" | AppError;
  const request = async (
    token: Address,
    { offering = {}, preview = WORTH as bigint | null } = {} as {
      offering?: Offering;
      preview?: bigint | null;
    },
  ) => {
    const effects = { rises: { [balanceKey(VAULT, USER)]: -HELD } };
    // No contract at OTHER has decimals.
    const decimals = new Map<Address, number>([
      [USDC, 6],
      [WETH, 18],
    ]);
    const answers = { decimals: (of: Address) => decimals.get(of) };
    const { ctx: own, chain } = await createWithdrawalFixture({ effects: () => effects, answers });
    const failing = offering instanceof AppError ? { price: () => raise(offering) } : {};
    const ctx = offering === "no provider" ? own : swapDesk(own, { ...offering, ...failing }).ctx;
    const to = { client: chain.client, chainId: home.chainId, token };
    const vault = familyVault("lagoon");
    const order = orderOf({ client: chain.client, to, vault, exits: exitsFor(vault) });
    const terms = { ...paying, previewAssets: preview };
    const way = exitWayOf(order, { via: "user", mode: "request", pays: false, terms });
    return prepareOnward(ctx, { order, facts: factsOf(order, [way]), mode: "request" });
  };
  const raise = (error: Error): never => {
    throw error;
  };

  test("does not wait for providers where the vault refuses", async () => {
    const { ctx, chain } = await createWithdrawalFixture();
    const desk = swapDesk(ctx).ctx;
    const providers = (await desk.providers.all()).map((one) => ({
      ...one,
      quote: () => new Promise<never>(() => undefined),
    }));
    const to = { client: chain.client, chainId: home.chainId, token: WETH };
    const vault = familyVault("lagoon");
    const order = orderOf({ client: chain.client, to, vault, exits: exitsFor(vault) });
    const way = exitWayOf(order, {
      ...{ via: "user", mode: "request", pays: false },
      terms: { ...paying, paused: true },
    });
    const made = prepareOnward(
      { ...desk, providers: { ...desk.providers, all: async () => providers } },
      { order, facts: factsOf(order, [way]), mode: "request" },
    );
    const late = sleep(1_000).then(() => Promise.reject(new Error("too late")));
    await expect(Promise.race([made, late])).rejects.toMatchObject({ code: "exits_paused" });
  });

  const down = failure("upstream_timeout", "the provider did not answer");
  /** The chain of these tests returns no logs. */
  const unlogged = { code: "request_unverified" };

  test("leaves the second step of a later payment open", async () => {
    const made = await request(WETH);
    expect(made).toMatchObject({ kind: "two_step", transfer: null });
    expect(made.exit.exit.warnings).toMatchObject([unlogged]);
  });

  test("refuses a token that its payment can never become", async () => {
    await expect(request(OTHER)).rejects.toMatchObject({ code: "token_unsupported" });
  });

  test.each<[string, Offering, string]>([
    ["no provider takes", "no provider", "no_route"],
    ["every provider takes for half its value", { price: (usdc) => fairWeth(usdc) / 2n }, "price_unsafe"],
  ])("refuses a payment that %s today, and says what to do", async (_name, offering, code) => {
    const refused = request(WETH, { offering });
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(/withdraw to USDC on the vault's chain, and swap or bridge that/);
    // Another mode would need the same way.
    const made = (mode: string): Promise<unknown> => (mode === "request" ? refused : Promise.resolve(mode));
    await expect(firstPossible(["request", "instant"], made)).rejects.toMatchObject({ code });
  });

  test.each<[string, Parameters<typeof request>[1]]>([
    ["no provider answers", { offering: down }],
    ["the vault does not say what it will pay", { preview: null }],
  ])("warns that the way is unknown where %s", async (_name, of) => {
    const { exit } = await request(WETH, of);
    expect(exit.exit.warnings).toMatchObject([unlogged, { code: "route_unknown" }]);
  });
});
