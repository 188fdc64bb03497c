import { describe, expect, test } from "vitest";
import { buildTwoStep } from "../../src/deposits/two-step-deposit.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import { createRoutedOrder, option, PAID, PAID_AMOUNT } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, type SimulatedEffects, sharesFor } from "../support/deposits/simulated-chain.ts";

const { toAmountMin } = option;
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

  test("refuses a swap that delivers less than promised", async () => {
    const { ctx, attempt } = await swap(toAmountMin - 1n);
    await expect(buildTwoStep(ctx, attempt)).rejects.toMatchObject({ code: "price_unsafe" });
  });
});
