import { decodeFunctionData, encodeErrorResult, erc20Abi, maxUint256, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { buildOneStep } from "../../src/deposits/one-step-deposit.ts";
import { leastOutput } from "../../src/orders/order-floors.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { decodeRouterCall } from "../../src/router/router-codec.ts";
import { USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import {
  createRoutedOrder,
  DIAMOND,
  EXECUTOR,
  option,
  PAID,
  PAID_AMOUNT,
  SPENDER,
} from "../support/deposits/routed-fixtures.ts";
import {
  balanceKey,
  type SentCall,
  type SimulatedEffects,
  sharesFor,
} from "../support/deposits/simulated-chain.ts";

const { toAmount, toAmountMin } = option;
const shares = sharesFor(toAmount);
/** Three percent less than the shares for what is expected, less a part per billion for the rounding of the parts. */
const minShares = (shares * 970_000_001n) / 1_000_000_000n;
/** The bridge's part of three percent, less a unit for its rounding. */
const minIn = 97_487_437n;
const ofUser = {
  paid: balanceKey(PAID, USER),
  shares: balanceKey(VAULT, USER),
  usdc: balanceKey(USDC, USER),
};
const paysAll = { [ofUser.paid]: -PAID_AMOUNT };
const approved = ({ to, data }: SentCall) => {
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
  return [to.toLowerCase(), functionName, ...(args ?? [])];
};
const OutputBelowMinimum = parseAbi(["error OutputBelowMinimum(uint256 received, uint256 minimum)"]);

describe("buildOneStep() across chains", () => {
  const atSource: SimulatedEffects = { rises: paysAll };
  const atVault: SimulatedEffects = { rises: { [ofUser.shares]: shares } };

  test("encodes the bridge's part of the slippage as minimum input, all of it in the minimum shares", async () => {
    const { ctx, attempt, asked } = await createRoutedOrder({ atSource, atVault });
    await buildOneStep(ctx, attempt);
    const [request] = asked;
    expect(request).toMatchObject({ user: USER, amount: PAID_AMOUNT, bridges: ["bridge"] });
    expect(request?.call).toMatchObject({ target: depositRouterAddress, minIn });
    const { order, steps } = decodeRouterCall(request?.call?.data ?? "0x");
    expect(order).toMatchObject({ amountIn: maxUint256, minIn, minOut: 0n });
    expect(leastOutput(order, minIn) - minShares).toBeOneOf([0n, 1n]);
    // Of more that arrives, the vault may take half a percent.
    expect(leastOutput(order, toAmount)).toBeGreaterThanOrEqual((shares * 995n) / 1000n);
    expect(order).toMatchObject({ tokenIn: USDC, receiver: USER, refundTo: USER });
    expect(steps).toMatchObject([
      { target: VAULT, approveToken: USDC, spender: VAULT, patches: [{ offset: 4n, token: USDC }] },
    ]);
  });

  test("asks the provider to keep the bridge's part of the slippage", async () => {
    const { ctx, attempt, asked } = await createRoutedOrder({ atSource, atVault });
    await buildOneStep(ctx, attempt);
    expect(asked[0]?.slippage).toBe(25_125_628n);
  });

  test("asks for less where the offer is below its fair value", async () => {
    const made = { toAmountMin: 99_200_000n };
    const { ctx, attempt, asked } = await createRoutedOrder({
      atSource,
      atVault,
      made,
      fairOutput: 102_000_000n,
    });
    await buildOneStep(ctx, attempt);
    // 102 less 3.3 %, of which the vault may take 0.5 %.
    expect(asked[0]?.slippage).toBe(8_703_510n);
  });

  test("refuses an offer that no tolerance makes fair", async () => {
    const { ctx, attempt } = await createRoutedOrder({ atSource, atVault, fairOutput: 103_000_000n });
    const refused = { code: "price_unsafe", members: { subject: "route" } };
    await expect(buildOneStep(ctx, attempt)).rejects.toMatchObject(refused);
  });

  test("raises the minimum shares in the provider's calldata to what the simulation minted", async () => {
    const more = (shares * 110n) / 100n;
    const world = await createRoutedOrder({
      atSource,
      atVault: { rises: { [ofUser.shares]: more } },
      embeds: true,
    });
    const built = await buildOneStep(world.ctx, world.attempt);
    if (built.end.kind !== "one_step") throw new Error("two steps");
    const { minShares: floor } = built.end.floors;
    expect(floor).toBeGreaterThanOrEqual((more * 97n) / 100n);
    const sent = world.asked[0]?.call?.data.slice(2) ?? "";
    const data = built.route.transaction.data.slice(2);
    expect(data).toHaveLength(sent.length + 2 * "12345678".length);
    const { order } = decodeRouterCall(`0x${data.slice(8, -8)}`);
    expect(leastOutput(order, order.minIn)).toBe(floor);
    expect(built.source.calls.at(-1)?.data).toBe(built.route.transaction.data);
  });

  test("reads the allowance of the provider's spender", async () => {
    const { ctx, attempt, source } = await createRoutedOrder({ atSource, atVault });
    const { source: paid } = await buildOneStep(ctx, attempt);
    const [approve, transfer] = source.sent[0] ?? [];
    expect(approve && approved(approve)).toEqual([PAID.toLowerCase(), "approve", SPENDER, PAID_AMOUNT]);
    expect(transfer).toMatchObject({ from: USER, to: DIAMOND, data: "0x12345678" });
    expect(paid.calls).toHaveLength(2);
  });

  test("simulates the destination call with the guaranteed and the expected amount from the executor", async () => {
    const { ctx, attempt, destination } = await createRoutedOrder({ atSource, atVault });
    const built = await buildOneStep(ctx, attempt);
    const amounts = destination.sent.map((calls) => approved(calls.at(-2) as SentCall).at(-1));
    expect(amounts).toEqual([toAmountMin, toAmount]);
    for (const calls of destination.sent)
      expect(calls.at(-1)).toMatchObject({ from: EXECUTOR, to: depositRouterAddress });
    expect(built.end).toMatchObject({ kind: "one_step", shares, delivery: { shares } });
  });

  const refused: readonly [string, string, Parameters<typeof createRoutedOrder>[0]][] = [
    [
      "takes more than was asked",
      "upstream_rejected",
      { atSource: { rises: { [ofUser.paid]: -PAID_AMOUNT - 1n } } },
    ],
    ["reverts", "would_revert", { atSource: { revert: "0x" } }],
    ["makes no call", "upstream_rejected", { made: { executor: null } }],
    ["leaves the vault too little gas", "no_route", { atVault: { ...atVault, gasUsed: 1_000_001n } }],
    [
      "would mint no shares",
      "zero_shares",
      { atVault: { revert: encodeErrorResult({ abi: OutputBelowMinimum, args: [0n, minShares] }) } },
    ],
    [
      "would mint fewer shares than promised",
      "price_unsafe",
      {
        atVault: {
          revert: encodeErrorResult({ abi: OutputBelowMinimum, args: [minShares - 1n, minShares] }),
        },
      },
    ],
  ];

  test.each(refused)("refuses a transfer that %s: %s", async (_what, code, world) => {
    const { ctx, attempt } = await createRoutedOrder({ atSource, atVault, ...world });
    await expect(buildOneStep(ctx, attempt)).rejects.toMatchObject({ code });
  });

  test("does not call the guaranteed amount too much where the vault takes it, but not the expected one", async () => {
    const reverts = { atSource, atVault: { revert: "0x" } } as const;
    const codeFor = async (maxDeposit: bigint): Promise<string> => {
      const { ctx, attempt } = await createRoutedOrder({ ...reverts, answers: { maxDeposit } });
      return buildOneStep(ctx, attempt).then(
        () => "none",
        ({ code }: { code: string }) => code,
      );
    };
    expect(await codeFor(toAmount - 1n)).toBe("would_revert");
    expect(await codeFor(toAmountMin - 1n)).toBe("above_maximum");
  });

  test("accepts a deposit that needs exactly the bridge's gas", async () => {
    const { ctx, attempt } = await createRoutedOrder({
      atSource,
      atVault: { ...atVault, gasUsed: 1_000_000n },
    });
    expect((await buildOneStep(ctx, attempt)).end).toMatchObject({ delivery: { gasUsed: 1_000_000n } });
  });
});

describe("buildOneStep() on one chain", () => {
  const swap = (gained: bigint) =>
    createRoutedOrder({ oneChain: true, atSource: { rises: { ...paysAll, [ofUser.shares]: gained } } });
  const least = sharesFor(toAmountMin);

  test("returns the user's simulated rise in shares", async () => {
    const { ctx, attempt } = await swap(least);
    const built = await buildOneStep(ctx, attempt);
    expect(built.end).toMatchObject({ kind: "one_step", shares: least, delivery: null });
  });

  test("refuses shares for less than the transaction guarantees", async () => {
    const { ctx, attempt } = await swap(least - sharesFor(1n));
    await expect(buildOneStep(ctx, attempt)).rejects.toMatchObject({ code: "price_unsafe" });
  });

  test("refuses fewer shares than the minimum", async () => {
    const { ctx, attempt } = await swap((shares * 97n) / 100n - 1n);
    await expect(buildOneStep(ctx, attempt)).rejects.toMatchObject({ code: "upstream_rejected" });
  });
});
