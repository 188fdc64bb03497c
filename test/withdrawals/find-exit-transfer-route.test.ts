import { type Address, decodeFunctionData, erc20Abi, type Hex, keccak256, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall, routerSelf } from "../../src/router/router-codec.ts";
import { prepareTransfer, requestedToken } from "../../src/withdrawals/find-exit-transfer-route.ts";
import { OTHER, USDC, USER, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { home } from "../support/withdrawals/fixtures.ts";
import { createWithdrawalFixture, EXCHANGE, fairWeth, swapDesk } from "../support/withdrawals/withdrawing.ts";

const ARRIVED = 101_000_000n;
const { chainId } = home;

/** Prepares the swap of what arrived, on a chain where the account holds this much and gains that. */
async function transfer(
  of: {
    held?: bigint;
    gained?: bigint;
    toChain?: number;
    price?: (usdc: bigint) => bigint;
    slippage?: number;
    /** What the swap takes besides, and who receives it. */
    takes?: bigint;
    receiver?: Address;
    /** Part of the approval that is spent, and what was approved before. */
    spends?: bigint;
    standing?: bigint;
    /** True if only the Router may make the swap. */
    required?: true;
  } = {},
) {
  const { ctx } = await createWithdrawalFixture({
    answers: { balanceOf: of.held ?? ARRIVED, allowance: of.standing ?? 0n },
    effects: () => ({
      rises: {
        [balanceKey(WETH, USER)]: of.gained ?? fairWeth(ARRIVED),
        [balanceKey(USDC, USER)]: -(of.takes ?? ARRIVED),
      },
      ...(of.spends === undefined ? {} : { spends: of.spends }),
    }),
  });
  const { receiver: dstReceiver } = of;
  const desk = swapDesk(ctx, {
    ...(of.price !== undefined && { price: of.price }),
    ...(dstReceiver !== undefined && { fields: { dstReceiver } }),
    ...(of.required && { made: { asStep: { receiverOffset: 164, leftovers: [], required: of.required } } }),
  });
  return prepareTransfer(desk.ctx, {
    ...{ user: USER, from: { chainId, token: USDC, amount: ARRIVED } },
    ...{
      to: { chainId: of.toChain ?? chainId, token: WETH },
      slippage: of.slippage ?? 0.03,
      ...{ preferredBridge: null },
    },
  });
}

describe("prepareTransfer()", () => {
  test("approves exactly the amount to the provider and swaps it to the user", async () => {
    const made = await transfer();
    expect(made).toMatchObject({
      ...{ target: EXCHANGE, provider: "desk", bridge: null, tool: "desk", balanceSufficient: true },
      ...{ toAmount: fairWeth(ARRIVED), toAmountMin: (fairWeth(ARRIVED) * 99n) / 100n },
      approval: { token_address: USDC, spender_address: EXCHANGE, amount: ARRIVED.toString() },
    });
    expect(made.calls).toHaveLength(2);
    expect(made.transaction_request).toMatchObject({ to: EXCHANGE, chain_id: chainId });
  });

  test("sends a swap that counts what others pay the user only within a Router order", async () => {
    const made = await transfer({ required: true });
    expect(made).toMatchObject({
      ...{
        target: depositRouterAddress,
        provider: "desk",
        transaction_request: { to: depositRouterAddress },
      },
      approval: { token_address: USDC, spender_address: depositRouterAddress, amount: ARRIVED.toString() },
    });
    const { data } = made.transaction_request;
    expect(made.dataHash).toBe(keccak256(data as Hex));
    const { order, steps } = decodeRouterCall(data as Hex);
    expect(order).toMatchObject({
      ...{ tokenIn: USDC, amountIn: ARRIVED, minIn: ARRIVED, direct: false, ref: zeroHash },
      ...{ tokenOut: WETH, minOut: made.toAmountMin, receiver: USER, refundTo: USER },
    });
    expect(steps).toMatchObject([
      { target: EXCHANGE, spender: EXCHANGE, needAmount: ARRIVED, patches: [{ token: routerSelf }] },
    ]);
  });

  test("approves what is missing, over an earlier allowance, and nothing more", async () => {
    const args = (made: Awaited<ReturnType<typeof transfer>>) =>
      made.calls
        .slice(0, -1)
        .map(({ data }) => decodeFunctionData({ abi: erc20Abi, data: data as Hex }).args);
    expect(args(await transfer({ standing: 7n }))).toEqual([
      [EXCHANGE, 0n],
      [EXCHANGE, ARRIVED],
    ]);
    expect(args(await transfer({ standing: ARRIVED }))).toEqual([]);
  });

  test("is prepared for an account that spent a part, which is said", async () => {
    expect(await transfer({ held: ARRIVED - 1n })).toMatchObject({ balanceSufficient: false });
  });

  test.each<[string, Parameters<typeof transfer>[0], string]>([
    ["an unfair offer", { price: (usdc) => fairWeth(usdc) / 2n }, "price_unsafe"],
    ["a swap that takes a unit more", { takes: ARRIVED + 1n }, "upstream_rejected"],
    ["a swap that pays another account", { receiver: OTHER }, "upstream_rejected"],
    ["a swap that leaves a unit of its approval", { spends: ARRIVED - 1n }, "upstream_rejected"],
    ["a swap that takes less than a larger approval", { spends: 0n, standing: 7n }, "upstream_rejected"],
    ["a delivery below the promise", { gained: fairWeth(ARRIVED) / 2n }, "price_unsafe"],
    ["a chain that is not served", { toChain: 999_999 }, "chain_unsupported"],
  ])("refuses %s", async (_name, of, code) => {
    await expect(transfer(of)).rejects.toMatchObject({ code });
  });
});

describe("requestedToken()", () => {
  test("names the native currency as the chain does, and a token as it calls itself", async () => {
    const { ctx } = await createWithdrawalFixture();
    const native = home.native;
    expect(await requestedToken(ctx, { chainId, token: zeroAddress })).toEqual({
      ...{ address: zeroAddress, symbol: native.symbol, decimals: native.decimals },
    });
    expect(await requestedToken(ctx, { chainId, token: WETH })).toEqual({
      ...{ address: WETH, symbol: "WETH", decimals: 18 },
    });
  });

  test("refuses an address that is no token, by its address", async () => {
    const { ctx } = await createWithdrawalFixture({ answers: { decimals: undefined, symbol: undefined } });
    await expect(requestedToken(ctx, { chainId, token: EXCHANGE })).rejects.toMatchObject({
      code: "token_unsupported",
      message: `${EXCHANGE} is not a token on chain ${chainId}: GET /v1/tokens?chain_id=${chainId} lists tokens`,
    });
  });
});
