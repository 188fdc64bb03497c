import { type Address, encodeFunctionData, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchangeAbi } from "#stand-ins/lifi";
import type { TransferRequest } from "../../src/providers/provider.ts";
import { settled } from "../support/e2e/settled.ts";
import {
  approve,
  type BridgedStack,
  DELIVERY_POLLING,
  give,
  held,
  newUser,
  send,
  startBridged,
  tokenOn,
  trySend,
} from "../support/stack/bridged.ts";
import { approveAndSend, intoVault, moveOf, openProviders } from "../support/stack/providers.ts";

const usd = (whole: bigint) => whole * 10n ** 6n;
const TENTH = 10n ** 17n;
let stack: BridgedStack;
let opened: ReturnType<typeof openProviders>;

beforeAll(async () => {
  stack = await startBridged();
  opened = openProviders(stack);
});
afterAll(() => stack.close());

/** Builds with the production provider, which verifies every byte. */
const build = (request: TransferRequest) => opened.lifi.build(opened.scope, request);

describe("LI.FI provider across chains", () => {
  const cases = [
    { name: "USDC", from: "USDC", to: "USDC", amount: usd(250n) },
    { name: "USDT, of which transfer returns nothing", from: "USDT", to: "USDT", amount: usd(250n) },
    { name: "WBTC", from: "WBTC", to: "WBTC", amount: 10n ** 7n },
    { name: "WETH into USDC, swapped before", from: "WETH", to: "USDC", amount: TENTH },
    { name: "native into native", from: "ETH", to: "ETH", amount: TENTH },
    { name: "native into USDT, swapped before", from: "ETH", to: "USDT", amount: TENTH },
  ] as const;

  test.each(cases)("delivers at least the guaranteed minimum: $name", async ({ from, to, amount }) => {
    const { one, two } = stack;
    const user = await newUser(stack);
    if (from !== "ETH") await give(one, { user, symbol: from, amount });
    const before = await held(two, [user, to]);
    const gain = async () => (await held(two, [user, to])) - before;
    const tokens = { fromToken: tokenOn(one, from), toToken: tokenOn(two, to) };
    const request = moveOf(one, two, { ...tokens, amount, user });
    const move = await build(request);
    const txHash = await approveAndSend(one, { move, request });
    const amountReceived = await settled(gain, {
      ...DELIVERY_POLLING,
      wanted: (held) => held >= move.toAmountMin,
    });
    const transfer = { txHash, fromChainId: 31337, toChainId: 31338, tool: move.tool };
    await expect
      .poll(() => opened.lifi.status(opened.scope, transfer), DELIVERY_POLLING)
      .toMatchObject({ phase: "delivered", substatus: "COMPLETED", amountReceived });
  });

  test("makes the destination call: the user gets the shares and no contract keeps tokens", async () => {
    const { one, two } = stack;
    const ways = [
      [one, two, "Remote Prime USDC"],
      [two, one, "Local Prime USDC"],
    ] as const;
    for (const [from, to, vault] of ways) {
      const user = await newUser(stack);
      await give(from, { user, symbol: "USDC", amount: usd(100n) });
      const call = intoVault(to, { vault, user, minIn: usd(97n) });
      const tokens = { fromToken: from.tokens.USDC, toToken: to.tokens.USDC };
      const request = moveOf(from, to, { ...tokens, amount: usd(100n), user, call });
      const move = await build(request);
      expect(move.executor).toBe(to.bridging.executor);
      await approveAndSend(from, { move, request });
      await expect.poll(() => held(to, [user, vault]), DELIVERY_POLLING).toBeGreaterThan(0n);
      for (const owner of [user, to.bridging.executor, to.bridging.receiverAcross])
        expect(await held(to, [owner, "USDC"])).toBe(0n);
    }
  });
});

describe("LI.FI provider: swap before the bridge", () => {
  const slip = (user: Address, bps: bigint) => {
    const data = encodeFunctionData({ abi: exchangeAbi, functionName: "setSlip", args: [bps] });
    return send(stack.one, { user, to: stack.one.bridging.exchange, data });
  };
  const swapped = async () => {
    const user = await newUser(stack);
    const tokens = { fromToken: tokenOn(stack.one, "ETH"), toToken: stack.two.tokens.USDC };
    const request = moveOf(stack.one, stack.two, { ...tokens, amount: TENTH, user });
    return { user, request, move: await build(request) };
  };

  test("delivers less when the price moves within the slippage", async () => {
    const { user, request, move } = await swapped();
    await slip(user, 100n);
    await approveAndSend(stack.one, { move, request });
    await slip(user, 0n);
    const look = () => held(stack.two, [user, "USDC"]);
    const arrived = await settled(look, { ...DELIVERY_POLLING, wanted: (amount) => amount > 0n });
    expect(arrived).toBeLessThan(move.toAmount);
    expect(arrived).toBeGreaterThanOrEqual(move.toAmountMin);
  });

  test("reverts when the price moves beyond the slippage", async () => {
    const { user, request, move } = await swapped();
    await slip(user, 300n);
    await expect(approveAndSend(stack.one, { move, request })).rejects.toThrow("reverted");
    await slip(user, 0n);
  });
});

describe("LI.FI provider on one chain", () => {
  const pairs = [
    ["USDC", "WETH", usd(250n)],
    ["ETH", "USDC", TENTH],
    ["USDT", "ETH", usd(250n)],
    ["WBTC", "USDT", 10n ** 6n],
  ] as const;

  test.each(pairs)("swaps %s into %s", async (from, to, amount) => {
    const { one } = stack;
    const user = await newUser(stack);
    if (from !== "ETH") await give(one, { user, symbol: from, amount });
    const tokens = { fromToken: tokenOn(one, from), toToken: tokenOn(one, to) };
    const request = moveOf(one, one, { ...tokens, amount, user });
    const move = await build(request);
    const before = await held(one, [user, to]);
    const txHash = await approveAndSend(one, { move, request });
    const gain = (await held(one, [user, to])) - before;
    // The user pays gas in native money, some thousandths of the swapped amount.
    const least = to === "ETH" ? (move.toAmountMin * 99n) / 100n : move.toAmountMin;
    expect(gain).toBeGreaterThanOrEqual(least);
    const transfer = { txHash, fromChainId: 31337, toChainId: 31337, tool: move.tool };
    const status = await opened.lifi.status(opened.scope, transfer);
    expect(status).toMatchObject({ phase: "delivered", substatus: "COMPLETED", destinationTxHash: txHash });
  });

  test.each([
    ["USDC", usd(100n), usd(99n)],
    ["WETH", TENTH, usd(240n)],
    ["ETH", TENTH, usd(240n)],
  ] as const)("deposits %s into a USDC vault by the Executor", async (from, amount, minIn) => {
    const { two } = stack;
    const user = await newUser(stack);
    if (from !== "ETH") await give(two, { user, symbol: from, amount });
    const call = intoVault(two, { vault: "Remote USDC", user, minIn });
    const tokens = { fromToken: tokenOn(two, from), toToken: two.tokens.USDC };
    const request = moveOf(two, two, { ...tokens, amount, user, call });
    const move = await build(request);
    expect(move.transaction.to).toBe(two.bridging.executor);
    await approveAndSend(two, { move, request });
    expect(await held(two, [user, "Remote USDC"])).toBeGreaterThan(0n);
    expect(await held(two, [two.bridging.executor, "USDC"])).toBe(0n);
  });

  test("needs an allowance for the ERC20Proxy only", async () => {
    const { two } = stack;
    const user = await newUser(stack);
    const amount = usd(50n);
    await give(two, { user, symbol: "USDC", amount });
    const call = intoVault(two, { vault: "Remote USDC", user, minIn: usd(49n) });
    const token = two.tokens.USDC;
    const move = await build(moveOf(two, two, { fromToken: token, toToken: token, amount, user, call }));
    expect(move.spender).toBe(two.bridging.erc20Proxy);
    await approve(two, { user, token, spender: two.bridging.executor, amount });
    expect((await trySend(two, { user, ...move.transaction })).status).toBe(false);
    expect(await held(two, [user, "USDC"])).toBe(amount);
  });
});

describe("LI.FI emulator: GET /v1/status", () => {
  const ask = async (query: Record<string, string>) => {
    const response = await fetch(`${stack.hub.lifi}/v1/status?${new URLSearchParams(query)}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test("finds a transfer by source hash, destination hash and id, for its bridge only", async () => {
    const user = await newUser(stack);
    const amount = usd(20n);
    await give(stack.one, { user, symbol: "USDC", amount });
    const tokens = { fromToken: stack.one.tokens.USDC, toToken: stack.two.tokens.USDC };
    const request = moveOf(stack.one, stack.two, { ...tokens, amount, user });
    const txHash = await approveAndSend(stack.one, { move: await build(request), request });
    await expect.poll(() => ask({ txHash }), DELIVERY_POLLING).toMatchObject({ body: { status: "DONE" } });
    const { body } = await ask({ txHash, bridge: "across", fromChain: "31337", toChain: "31338" });
    expect(body).toMatchObject({
      sending: { txHash, amount: "20000000", chainId: 31337, token: { symbol: "USDC" } },
      receiving: { chainId: 31338, token: { symbol: "USDC" } },
      fromAddress: user.toLowerCase(),
      tool: "across",
      substatus: "COMPLETED",
      metadata: { integrator: "causeway" },
    });
    const others = [body["transactionId"], (body["receiving"] as { txHash: Hex }).txHash] as string[];
    for (const other of others) expect((await ask({ txHash: other })).body).toEqual(body);
    expect((await ask({ txHash, bridge: "stargateV2" })).body).toMatchObject({ status: "INVALID" });
  });

  test("answers 200 for an unknown transaction, 400 for an invalid hash and FAILED for a revert", async () => {
    expect(await ask({ txHash: `0x${"12".repeat(32)}`, fromChain: "31337" })).toMatchObject({
      status: 200,
      body: { status: "NOT_FOUND" },
    });
    expect(await ask({ txHash: "0x12" })).toMatchObject({ status: 400, body: { code: 1011 } });
    const user = await newUser(stack);
    const amount = usd(20n);
    await give(stack.one, { user, symbol: "USDC", amount });
    const tokens = { fromToken: stack.one.tokens.USDC, toToken: stack.two.tokens.USDC };
    const move = await build(moveOf(stack.one, stack.two, { ...tokens, amount, user }));
    const { transactionHash } = await trySend(stack.one, { user, ...move.transaction });
    expect((await ask({ txHash: transactionHash })).body).toMatchObject({ status: "FAILED" });
  });
});
