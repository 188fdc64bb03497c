import { getAddress, type Hex, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { wordToAddress } from "../../../src/providers/across/across-calldata.ts";
import type { AcrossDeposit } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { executedOrders } from "../../../src/router/router-codec.ts";
import { fillTransaction, type TokenSymbol } from "../../support/across/bridge.ts";
import {
  deliverTransfer,
  follow,
  intoVault,
  requestIn,
  sendTransfer,
  startWorld,
  type World,
} from "../../support/across/journey.ts";
import {
  AMOUNT,
  DELIVERED,
  expectNothingLeft,
  held,
  sendTransferInto,
  shares,
} from "../../support/across/ledger.ts";
import { USER } from "../../support/across/stage.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test.each<TokenSymbol>(["USDC", "USDT"])(
  "%s becomes shares of the vault, to the last unit",
  async (symbol) => {
    const { txHash, deposited, built } = await sendTransferInto(world, { symbol });
    expect(built.toAmount).toBe(DELIVERED);
    expect(deposited.outputAmount).toBe(DELIVERED);
    expect(await follow(world, txHash)).toMatchObject({ phase: "bridging", amountReceived: null });

    const fill = await deliverTransfer(world, deposited);
    expect(executedOrders(fill.logs)[0]?.args).toMatchObject({ amountIn: DELIVERED, amountOut: DELIVERED });
    expect([await shares(world, symbol), await held(world, symbol)]).toEqual([DELIVERED, 0n]);
    expect(await held(world, symbol, world.target.vaults[symbol])).toBe(DELIVERED);
    await expectNothingLeft(world, symbol);
    expect(await follow(world, txHash)).toEqual({
      phase: "delivered",
      substatus: "COMPLETED",
      destinationTxHash: fill.transactionHash,
      refundTxHash: null,
      amountReceived: DELIVERED,
      explorerLink: null,
      proof: {
        delivery: {
          amount: DELIVERED,
          logs: { first: expect.any(Number), last: expect.any(Number) },
          matchedBy: "id",
        },
        taken: {
          token: getAddress(wordToAddress(deposited.inputToken)),
          amount: deposited.inputAmount,
          by: built.transaction.to,
          deadline: deposited.fillDeadline,
          refundable: false,
        },
      },
      unread: false,
    });
  },
);

test("a native deposit is wrapped by the bridge and becomes shares", async () => {
  const amount = 10n ** 18n;
  const call = intoVault(world, { symbol: "WETH" });
  const request = requestIn(world, { symbol: "WETH", amount, call, native: true });
  const { built, deposited } = await sendTransfer(world, request);
  expect(built).toMatchObject({ spender: null, transaction: { value: amount } });
  await deliverTransfer(world, deposited);
  expect(await shares(world, "WETH")).toBe(999_000_000_000_000_000n);
  await expectNothingLeft(world, "WETH");
});

test("a failed destination call pays the whole token amount to the user", async () => {
  const before = await held(world, "USDC");
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC", minShares: AMOUNT });
  const fill = await deliverTransfer(world, deposited);
  expect(executedOrders(fill.logs)).toEqual([]);
  expect((await held(world, "USDC")) - before).toBe(DELIVERED);
  await expectNothingLeft(world, "USDC");
  expect(await follow(world, txHash)).toMatchObject({
    phase: "delivered",
    substatus: "PARTIAL",
    amountReceived: DELIVERED,
  });
});

test("a delivery without a call pays the token to the user", async () => {
  const before = await held(world, "USDC");
  const request = requestIn(world, { symbol: "USDC", amount: AMOUNT, call: null });
  const { txHash, deposited } = await sendTransfer(world, request);
  expect(deposited.message).toBe("0x");
  await deliverTransfer(world, deposited);
  expect((await held(world, "USDC")) - before).toBe(DELIVERED);
  expect(await follow(world, txHash)).toMatchObject({ phase: "delivered", substatus: "COMPLETED" });
});

test("a delivery without a call pays wrapped native money, not native", async () => {
  const amount = 10n ** 18n;
  const { node } = world.target.chain;
  const native = await node.getBalance({ address: USER });
  const request = requestIn(world, { symbol: "WETH", amount, call: null, native: true });
  const { txHash, deposited, built } = await sendTransfer(world, request);
  await deliverTransfer(world, deposited);
  expect(built.executor).toBeNull();
  expect(await held(world, "WETH")).toBe(999_000_000_000_000_000n);
  expect(await node.getBalance({ address: USER })).toBe(native);
  expect(await follow(world, txHash)).toMatchObject({ phase: "delivered", substatus: "COMPLETED" });
});

test("wrapped native money delivered without the handler arrives as native money", async () => {
  const { node } = world.target.chain;
  const before = [await node.getBalance({ address: USER }), await held(world, "WETH")] as const;
  const request = requestIn(world, { symbol: "WETH", amount: 10n ** 18n, call: null, native: true });
  const { deposited } = await sendTransfer(world, request);
  const plain: AcrossDeposit = { ...deposited, recipient: deposited.depositor, message: "0x" };
  await deliverTransfer(world, plain);
  const delivered = deposited.outputAmount;
  expect([await node.getBalance({ address: USER }), await held(world, "WETH")]).toEqual([
    before[0] + delivered,
    before[1],
  ]);
});

test("after the fill deadline no relayer can fill and status() is refunding", async () => {
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  const { node } = world.target.chain;
  await node.increaseTime({ seconds: 22_000 });
  await node.mine({ blocks: 1 });
  expect(await follow(world, txHash)).toMatchObject({
    phase: "refunding",
    substatus: "REFUND_IN_PROGRESS",
  });
  const late = fillTransaction(deposited, world.target.deployment.spokePool);
  await expect(send(world.target.chain, { ...late, gas: 1_000_000n })).rejects.toThrow("reverted");
});

test("status() is unknown for a transaction without deposit and for an unknown transaction", async () => {
  const { transactionHash } = await send(world.source.chain, { to: USER, value: 1n });
  const strange: Hex = numberToHex(5, { size: 32 });
  for (const txHash of [transactionHash, strange])
    expect(await follow(world, txHash)).toMatchObject({ phase: "unknown", substatus: null });
});
