import { encodeErrorResult, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { buildTwoStep } from "../../src/deposits/two-step-deposit.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall, routerSelf } from "../../src/router/router-codec.ts";
import { USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import {
  createRoutedOrder,
  DIAMOND,
  option,
  PAID,
  PAID_AMOUNT,
} from "../support/deposits/routed-fixtures.ts";
import { balanceKey, type SimulatedEffects, sharesFor } from "../support/deposits/simulated-chain.ts";
import { rememberRouter } from "../support/withdrawals/withdrawing.ts";

const { toAmountMin } = option;
const stepFailed = encodeErrorResult({ abi: depositRouterAbi, errorName: "StepFailed", args: [0n, "0x"] });
const ofUser = {
  paid: balanceKey(PAID, USER),
  shares: balanceKey(VAULT, USER),
  usdc: balanceKey(USDC, USER),
};
const paysAll = { [ofUser.paid]: -PAID_AMOUNT };

describe("buildTwoStep()", () => {
  const atVault: SimulatedEffects = { rises: { [ofUser.shares]: sharesFor(toAmountMin) } };

  test("prepares a deposit of the guaranteed amount", async () => {
    const { ctx, attempt, asked } = await createRoutedOrder({
      ends: "two_step",
      caller: "user",
      atSource: { rises: paysAll },
      atVault,
    });
    const { end } = await buildTwoStep(ctx, attempt);
    expect(asked[0]).toMatchObject({ call: null, user: USER });
    expect(end).toMatchObject({ kind: "two_step", deposit: { depositAmount: toAmountMin } });
  });

  const swap = (gained: bigint) =>
    createRoutedOrder({
      oneChain: true,
      ends: "two_step",
      caller: "user",
      atSource: { rises: { ...paysAll, [ofUser.usdc]: gained } },
      atVault,
    });

  test("accepts a swap that delivers the promised amount", async () => {
    const { ctx, attempt } = await swap(toAmountMin);
    expect((await buildTwoStep(ctx, attempt)).route).toMatchObject({
      toAmountMin,
    } satisfies Partial<VerifiedTransfer>);
  });

  const ofRouter = async (of: { deployed?: boolean; revert?: Hex } = {}) => {
    const world = await createRoutedOrder({
      ...{ oneChain: true, ends: "two_step", caller: "user" },
      made: { asStep: { receiverOffset: 100, leftovers: [], required: true } },
      atVault: {
        rises: { ...paysAll, [ofUser.usdc]: toAmountMin, [ofUser.shares]: sharesFor(toAmountMin) },
      },
      atRouter: of.revert === undefined ? {} : { revert: of.revert },
    });
    await rememberRouter(world.ctx, of.deployed ?? true);
    return world;
  };

  test("sends a swap that counts what others pay the user only within a Router order", async () => {
    const { ctx, attempt } = await ofRouter();
    const { route, payment, source } = await buildTwoStep(ctx, attempt);
    expect(payment.spender).toBe(depositRouterAddress);
    expect(route).toMatchObject({
      transaction: { to: depositRouterAddress, value: 0n },
      spender: depositRouterAddress,
    });
    expect(source.calls.at(-1)?.target).toBe(depositRouterAddress);
    const { order, steps } = decodeRouterCall(route.transaction.data);
    expect(order).toMatchObject({
      ...{ tokenIn: PAID, amountIn: PAID_AMOUNT, minIn: PAID_AMOUNT, nativeFee: 0n, direct: false },
      ...{ tokenOut: USDC, minOut: toAmountMin, receiver: USER, refundTo: USER, ref: attempt.order.ref },
    });
    expect(steps).toMatchObject([{ target: DIAMOND, patches: [{ offset: 100n, token: routerSelf }] }]);
  });

  test.each([
    ["where there is no Router", { deployed: false }],
    ["that pays nobody but the user", { revert: stepFailed }],
  ])("refuses such a swap %s", async (_name, of) => {
    const { ctx, attempt } = await ofRouter(of);
    await expect(buildTwoStep(ctx, attempt)).rejects.toMatchObject({
      code: "no_route",
      members: { reasons: [{ code: "delivery_unsupported" }] },
    });
  });

  test("refuses a swap that delivers less than promised", async () => {
    const { ctx, attempt } = await swap(toAmountMin - 1n);
    await expect(buildTwoStep(ctx, attempt)).rejects.toMatchObject({ code: "price_unsafe" });
  });
});
