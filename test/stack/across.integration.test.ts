import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { instructionsParameters } from "../../src/providers/across/across-abi.ts";
import {
  type BridgedStack,
  DELIVERY_POLLING,
  give,
  held,
  newUser,
  relayerOf,
  startBridged,
} from "../support/stack/bridged.ts";
import { clearFaults } from "../support/stack/harness.ts";
import { approveAndSend, intoVault, moveOf, openProviders } from "../support/stack/providers.ts";

const usd = (whole: bigint) => whole * 10n ** 6n;
let stack: BridgedStack;
let opened: ReturnType<typeof openProviders>;
let user: Address;

beforeAll(async () => {
  stack = await startBridged();
  opened = openProviders(stack);
  user = await newUser(stack);
});
afterAll(() => stack.close());

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function ask(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(`${stack.hub.across}/api${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const usdcRoute = () => ({
  inputToken: stack.one.tokens.USDC,
  outputToken: stack.two.tokens.USDC,
  originChainId: "31337",
  destinationChainId: "31338",
  amount: "100000000",
});
const fees = (changes: Record<string, string> = {}, init?: RequestInit) =>
  ask(`/suggested-fees?${new URLSearchParams({ ...usdcRoute(), ...changes })}`, init);

describe("Across emulator: GET /suggested-fees", () => {
  test("returns the API's fields, and the fees add up to the amount", async () => {
    const { status, body } = await fees();
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toMatchInlineSnapshot(`
      [
        "capitalFeePct",
        "capitalFeeTotal",
        "destinationSpokePoolAddress",
        "estimatedFillTimeSec",
        "exclusiveRelayer",
        "exclusivityDeadline",
        "fillDeadline",
        "id",
        "inputToken",
        "isAmountTooLow",
        "limits",
        "lpFee",
        "lpFeePct",
        "outputAmount",
        "outputToken",
        "quoteBlock",
        "relayFeePct",
        "relayFeeTotal",
        "relayGasFeePct",
        "relayGasFeeTotal",
        "relayerCapitalFee",
        "relayerGasFee",
        "spokePoolAddress",
        "timestamp",
        "totalRelayFee",
      ]
    `);
    const { outputAmount, relayFeeTotal } = body as { outputAmount: string; relayFeeTotal: string };
    expect(BigInt(outputAmount) + BigInt(relayFeeTotal)).toBe(100_000_000n);
  });

  test("rejects invalid parameters, amounts and routes with Across' error codes", async () => {
    const shares = stack.two.tokens.FEE;
    const refusals = await Promise.all([
      fees({ amount: "1" }),
      fees({ amount: "9000000000000" }),
      fees({ outputToken: stack.two.tokens.USDT }),
      fees({ inputToken: shares }),
      fees({ destinationChainId: "1" }),
      fees({ amount: "1.5" }),
      fees({ message: "0x12", recipient: user }),
      fees({ message: "0x123", recipient: user }),
      ask("/suggested-fees?amount=5"),
      fees({}, { method: "PUT" }),
    ]);
    const told = refusals.map(({ status, body }) => [status, body["code"], body["param"]]);
    expect(told).toEqual([
      [400, "AMOUNT_TOO_LOW", undefined],
      [400, "AMOUNT_TOO_HIGH", undefined],
      [400, "ROUTE_NOT_ENABLED", undefined],
      [400, "INVALID_PARAM", "inputToken"],
      [400, "INVALID_PARAM", "destinationChainId"],
      [400, "INVALID_PARAM", "amount"],
      [400, "INVALID_PARAM", "recipient"],
      [400, "INVALID_PARAM", "message"],
      [400, "MISSING_PARAM", undefined],
      [405, "INVALID_METHOD", undefined],
    ]);
    expect(refusals.every(({ body }) => body["type"] === "AcrossApiError")).toBe(true);
    const low = await fees({ amount: "1", skipAmountLimit: "true" });
    expect(low).toMatchObject({ status: 200, body: { isAmountTooLow: true, outputAmount: "0" } });
  });

  test("simulates the message on the destination chain and rejects one that reverts the fill", async () => {
    const recipient = stack.two.bridging.multicallHandler;
    const good = callMessage(stack.two.tokens.USDC, { spend: usd(1n), fallback: zeroAddress });
    const bad = (fallback: Address) => callMessage(stack.two.tokens.USDC, { spend: usd(1_000n), fallback });
    expect((await fees({ recipient, message: good })).status).toBe(200);
    const posted = { method: "POST", body: JSON.stringify({ message: bad(zeroAddress) }) };
    const failed = await fees({ recipient }, posted);
    expect(failed).toMatchObject({
      status: 400,
      body: { code: "SIMULATION_ERROR", transaction: { to: stack.two.bridging.spokePool } },
    });
    expect((await fees({ recipient, message: bad(user) })).status).toBe(200);
  });
});

/** A message whose call transfers some of the token to an unused address. */
function callMessage(token: Address, { spend, fallback }: { spend: bigint; fallback: Address }): Hex {
  const sink: Address = "0x000000000000000000000000000000000000c0de";
  const callData = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [sink, spend] });
  const calls = [{ target: token, callData, value: 0n }];
  return encodeAbiParameters(instructionsParameters, [{ calls, fallbackRecipient: fallback }]);
}

describe("Across emulator: limits, routes and deposit status", () => {
  test("returns the limits and the routes that quotes use", async () => {
    const limits = await ask(`/limits?${new URLSearchParams(usdcRoute())}`);
    expect(limits.body).toMatchObject({ minDeposit: "169800", maxDeposit: "2000000000000" });
    const { body } = await ask("/available-routes?originChainId=31337");
    const routes = body as unknown as Record<string, unknown>[];
    expect(routes.map(({ originTokenSymbol }) => originTokenSymbol)).toEqual([
      "ETH",
      "USDC",
      "USDT",
      "WETH",
      "WBTC",
    ]);
    expect(routes.filter(({ isNative }) => isNative)).toMatchObject([{ originToken: stack.one.tokens.WETH }]);
  });

  test("answers 404 DepositNotFoundException for an unknown deposit and 400 without a hash", async () => {
    const unknown = await ask(`/deposit/status?depositTxnRef=0x${"34".repeat(32)}`);
    expect(unknown).toMatchObject({ status: 404, body: { error: "DepositNotFoundException" } });
    expect(await ask("/deposit/status")).toMatchObject({ status: 400, body: { error: "ValidationError" } });
  });
});

describe("Across provider on the emulator", () => {
  const cases = [
    { from: "WETH", to: "WETH", vault: "Remote WETH", amount: 10n ** 17n },
    { from: "ETH", to: "WETH", vault: "Remote Prime WETH", amount: 10n ** 17n },
    { from: "USDT", to: "USDT", vault: "Remote USDT", amount: usd(80n) },
  ] as const;

  test.each(cases)(
    "deposits $from into $vault in one transaction, and the status finds it by hash and id",
    async ({ from, to, vault, amount }) => {
      const { one, two } = stack;
      const owner = await newUser(stack);
      if (from !== "ETH") await give(one, { user: owner, symbol: from, amount });
      const call = intoVault(two, { vault, user: owner, minIn: (amount * 98n) / 100n });
      const fromToken = from === "ETH" ? zeroAddress : one.tokens[from];
      const fields = { fromToken, toToken: two.tokens[to], amount, user: owner, call };
      const request = moveOf(one, two, fields);
      const move = await opened.across.build(opened.scope, request);
      const txHash = await approveAndSend(one, { move, request });
      await expect.poll(() => held(two, [owner, vault]), DELIVERY_POLLING).toBeGreaterThan(0n);
      const filled = { status: "filled", actionsSucceeded: true, originChainId: 31337 };
      const path = `/deposit/status?depositTxnRef=${txHash}`;
      await expect.poll(() => ask(path), DELIVERY_POLLING).toMatchObject({ body: filled });
      const status = await ask(path);
      const { depositId } = status.body as { depositId: string };
      const byId = await ask(`/deposit/status?originChainId=31337&depositId=${depositId}`);
      expect(byId.body).toEqual(status.body);
    },
  );
});

describe("Across provider: native token without a destination call", () => {
  test("delivers wrapped native tokens to the user", async () => {
    const { one, two } = stack;
    const owner = await newUser(stack);
    const tokens = { fromToken: zeroAddress, toToken: two.tokens.WETH };
    const request = moveOf(one, two, { ...tokens, amount: 10n ** 17n, user: owner });
    const move = await opened.across.build(opened.scope, request);
    await approveAndSend(one, { move, request });
    await expect.poll(() => held(two, [owner, "WETH"]), DELIVERY_POLLING).toBe(move.toAmountMin);
  });

  test("refunds wrapped native tokens on the source chain", async () => {
    const { one, two } = stack;
    await relayerOf(stack.hub.across, { mode: "refund" });
    const owner = await newUser(stack);
    const tokens = { fromToken: zeroAddress, toToken: two.tokens.WETH };
    const request = moveOf(one, two, { ...tokens, amount: 10n ** 17n, user: owner });
    await approveAndSend(one, { move: await opened.across.build(opened.scope, request), request });
    await expect.poll(() => held(one, [owner, "WETH"]), DELIVERY_POLLING).toBe(10n ** 17n);
    await clearFaults(stack.hub.across);
  });
});
