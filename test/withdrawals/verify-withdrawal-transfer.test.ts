import { type Address, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { MAX_UINT256 } from "../../src/lib/amount.ts";
import type { UserCall } from "../../src/orders/order-wallet-calls.ts";
import { encodeAcrossDeposit } from "../../src/providers/across/across-calldata.ts";
import { decodeKyberSwap, kyberReceiverOffset } from "../../src/providers/kyber/kyber-calldata.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import {
  decodeRouterCall,
  encodeRouterCall,
  type RouterCall,
  type RouterOrder,
  type RouterStep,
  routerSelf,
} from "../../src/router/router-codec.ts";
import { toRoutedOrder } from "../../src/withdrawals/prepare-routed-exit.ts";
import { verifyApprovals } from "../../src/withdrawals/verify-withdrawal-approvals.ts";
import { type ExpectedRoute, verifyRoutedExit } from "../../src/withdrawals/verify-withdrawal-transfer.ts";
import { verifyTransferData } from "../../src/withdrawals/verify-withdrawal-transfer-data.ts";
import { terms } from "../support/across/built.ts";
import { OTHER, USDC, USER, VAULT, WETH } from "../support/deposits/fixtures.ts";
import { encodeFields, honestFields, type SwapFields, swapRequest } from "../support/kyber/stage.ts";
import {
  away,
  clientOf,
  exitOf,
  exitWayOf,
  expectedWithdrawalOf,
  home,
  orderOf,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

/** The provider's contract, which also takes the token. */
const PROVIDER: Address = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
/** A token between the swaps of a route. */
const BETWEEN: Address = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const AMOUNT = WORTH - 12_502n;
const AWAY_USDC: Address = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
const LEAST_OUT = 39_000_000_000_000_000n;

function refused(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    expect(code).toBe("upstream_rejected");
    return message.replace("the encoded call differs from the request in ", "");
  }
}

const quoteOf = (data: Hex, of: Partial<VerifiedTransfer>): ExpectedRoute["quote"] => ({
  ...(of.asStep && { asStep: of.asStep }),
  transaction: { to: PROVIDER, data, value: of.nativeFee ?? 0n },
  spender: PROVIDER,
  ...{ toAmount: of.toAmount ?? 0n, toAmountMin: of.toAmountMin ?? 0n },
});

const swapped = { fromChainId: home.chainId, toChainId: home.chainId, fromToken: USDC, toToken: WETH };
const swapData = (change: Partial<SwapFields> = {}): Hex => {
  const request = swapRequest({ ...swapped, amount: AMOUNT, user: USER });
  return encodeFields(honestFields(request, { minReturnAmount: LEAST_OUT, ...change }));
};

/** A redemption with a swap into WETH, its request and its order as it is built. */
function swapping(data = swapData()) {
  const order = orderOf({
    to: { client: clientOf(home), chainId: home.chainId, token: WETH },
    slippage: 0.03,
  });
  const exit = exitOf(order, { way: exitWayOf(order, { pays: false }), minAssets: AMOUNT });
  const decoded = decodeKyberSwap(data);
  if (decoded === null) throw new Error("no swap");
  const asStep = { receiverOffset: kyberReceiverOffset(decoded), leftovers: [BETWEEN, VAULT] };
  const route = quoteOf(data, { toAmount: (LEAST_OUT * 100n) / 97n, toAmountMin: LEAST_OUT, asStep });
  const plan = { route: route as VerifiedTransfer, asStep, amount: AMOUNT };
  const built = toRoutedOrder(exit, { plan, minOut: LEAST_OUT });
  const asked: ExpectedRoute = { ...expectedWithdrawalOf(exit), least: LEAST_OUT, quote: route, paid: WORTH };
  return { asked, built };
}

const bridgeData = (
  change: Partial<{
    user: Address;
    recipient: Address;
    amount: bigint;
    chain: number;
    from: Address;
    to: Address;
    message: Hex;
  }> = {},
  outputAmount = terms.outputAmount,
): Hex =>
  encodeAcrossDeposit({
    request: {
      ...{ fromChainId: home.chainId, toChainId: change.chain ?? away.chainId },
      ...{ fromToken: USDC, toToken: AWAY_USDC, amount: change.amount ?? AMOUNT, user: change.user ?? USER },
      ...{ slippage: 5_000_000n, call: null, bridges: null },
    },
    route: {
      input: { address: change.from ?? USDC },
      output: { address: change.to ?? AWAY_USDC },
    } as Parameters<typeof encodeAcrossDeposit>[0]["route"],
    terms: { ...terms, outputAmount },
    delivery: { recipient: change.recipient ?? USER, message: change.message ?? "0x" },
    integratorId: null,
  });

/** A redemption with a bridge to the other chain, its request and its order as it is built. */
function bridging(data = bridgeData(), fee = 0n) {
  const order = orderOf({ to: { client: clientOf(away), chainId: away.chainId, token: AWAY_USDC } });
  const exit = exitOf(order, { way: exitWayOf(order, { pays: false }), minAssets: AMOUNT });
  const asStep = { receiverOffset: null, leftovers: [BETWEEN] };
  const figures = { toAmount: 100_000_000n, toAmountMin: terms.outputAmount, nativeFee: fee };
  const route = quoteOf(data, { ...figures, asStep });
  const plan = { route: route as VerifiedTransfer, asStep, amount: AMOUNT };
  const built = toRoutedOrder(exit, { plan, minOut: terms.outputAmount });
  const asked: ExpectedRoute = {
    ...expectedWithdrawalOf(exit),
    least: terms.outputAmount,
    quote: route,
    paid: WORTH,
  };
  return { asked, built };
}

type Staged = ReturnType<typeof swapping>;
const fieldOf = ({ asked, built }: Staged, change: (call: RouterCall) => RouterCall = (call) => call) => {
  // As a wallet receives it: encoded, and decoded again.
  const data = encodeRouterCall(change(decodeRouterCall(encodeRouterCall(built))));
  const value = built.order.nativeFee;
  return refused(() => verifyRoutedExit(asked, { target: depositRouterAddress, value, data }));
};
const order = (part: Partial<RouterOrder>) => (call: RouterCall) => ({
  ...call,
  order: { ...call.order, ...part },
});
const step = (at: number, part: Partial<RouterStep>) => (call: RouterCall) => ({
  ...call,
  steps: call.steps.map((one, index) => (index === at ? { ...one, ...part } : one)),
});

describe.each([
  ["swap", swapping],
  ["bridge", bridging],
] as const)("verifyRoutedExit() of a redemption with a %s", (kind, stage) => {
  test("passes what was built", () => {
    expect(fieldOf(stage())).toBe(null);
  });

  test.each<[string, Partial<RouterOrder>]>([
    ["receiver", { receiver: OTHER }],
    ["refundTo", { refundTo: OTHER }],
    ["tokenIn", { tokenIn: USDC }],
    ["amountIn", { amountIn: 1n }],
    ["minIn", { minIn: 1n }],
    ["deadline", { deadline: 2n ** 64n }],
    ["tokenOut", { tokenOut: OTHER }],
    ["nativeFee", { nativeFee: 1n }],
    ["ref", { ref: `0x${"ab".repeat(32)}` }],
  ])("refuses another %s of the order", (field, part) => {
    expect(fieldOf(stage(), order(part))).toBe(field);
  });

  test.each<[string, Partial<RouterStep>]>([
    ["step target", { target: OTHER }],
    ["step target", { target: USDC }],
    ["step target", { target: VAULT }],
    ["step value", { value: 1n }],
    ["step approveToken", { approveToken: VAULT }],
    ["step approveToken", { approveToken: zeroAddress }],
    ["step spender", { spender: OTHER }],
    ["step needAmount", { needAmount: 0n }],
    ["step needAmount", { needAmount: AMOUNT / 2n }],
    ["step needAmount", { needAmount: WORTH + 1n }],
    ["step needToken", { needToken: OTHER }],
    ["transfer data", { data: "0x12345678" }],
    [
      "transfer data",
      { data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [OTHER, 1n] }) },
    ],
  ])("refuses a transfer with another %s", (field, part) => {
    expect(fieldOf(stage(), step(1, part))).toBe(field);
  });

  test("refuses another contract than the Router, and calldata that no Router call has", () => {
    const { asked, built } = stage();
    const call = {
      target: depositRouterAddress,
      value: built.order.nativeFee,
      data: encodeRouterCall(built),
    };
    expect(refused(() => verifyRoutedExit(asked, { ...call, target: PROVIDER }))).toBe("target");
    expect(refused(() => verifyRoutedExit({ ...asked, mode: "request" }, call))).toBe("mode");
    expect(refused(() => verifyRoutedExit(asked, { ...call, data: `${call.data}00` }))).toBe("data");
    expect(refused(() => verifyRoutedExit(asked, { ...call, value: call.value + 1n }))).toBe("nativeFee");
  });

  test("refuses a redemption at another contract, and steps that are left out or repeated", () => {
    expect(fieldOf(stage(), step(0, { target: OTHER }))).toBe("target");
    expect(fieldOf(stage(), step(0, { approveToken: USDC, spender: OTHER }))).toBe("step spender");
    expect(fieldOf(stage(), (call) => ({ ...call, steps: call.steps.slice(0, 1) }))).toBe("steps");
    expect(fieldOf(stage(), (call) => ({ ...call, steps: [...call.steps, ...call.steps] }))).toBe("steps");
    const reversed = fieldOf(stage(), (call) => ({ ...call, steps: call.steps.toReversed() }));
    expect(reversed).not.toBe(null);
  });

  test("refuses an order that keeps what the swaps leave", () => {
    expect(fieldOf(stage(), (call) => ({ ...call, sweep: call.sweep.slice(1) }))).toBe("sweep");
  });

  test("refuses words that are written over anything but the receiver", () => {
    const self = decodeRouterCall(encodeRouterCall(stage().built)).steps[1]?.patches ?? [];
    expect(self).toHaveLength(kind === "swap" ? 1 : 0);
    const wrong = { offset: 36n, token: VAULT, mul: 1n, div: 1n };
    expect(fieldOf(stage(), step(1, { patches: [...self, wrong] }))).toBe("step receiver");
    expect(fieldOf(stage(), step(1, { patches: [{ ...wrong, token: routerSelf }] }))).toBe("step receiver");
    if (kind === "swap") expect(fieldOf(stage(), step(1, { patches: [] }))).toBe("step receiver");
  });
});

describe("verifyRoutedExit() of a swap's own calldata", () => {
  test.each<[string, Partial<SwapFields>]>([
    ["transfer receiver", { dstReceiver: OTHER }],
    ["transfer token", { srcToken: VAULT }],
    ["transfer toToken", { dstToken: USDC }],
    ["transfer amount", { amount: AMOUNT * 2n }],
    ["transfer minimum", { minReturnAmount: LEAST_OUT - 1n }],
    ["transfer minimum", { minReturnAmount: 0n }],
  ])("refuses another %s", (field, change) => {
    expect(fieldOf(swapping(swapData(change)))).toBe(field);
  });

  test("refuses a floor of the order below the simulated one, and more shares without one per share", () => {
    expect(fieldOf(swapping(), order({ minOut: LEAST_OUT - 1n }))).toBe("minOut");
    for (const built of [swapping(), bridging()])
      expect(fieldOf(built, order({ amountIn: MAX_UINT256 }))).toBe("amountIn");
    const further = { amountIn: MAX_UINT256, minOutPerIn: 10n ** 6n };
    expect(fieldOf(swapping(), order(further))).toBe("minOutPerIn");
    expect(fieldOf(swapping(), order({ direct: true }))).toBe("direct");
  });

  test("refuses a quote on this chain that bridges", () => {
    const { asked } = swapping();
    const { built } = bridging();
    const data = encodeRouterCall({
      ...built,
      order: { ...built.order, tokenOut: WETH, minOut: LEAST_OUT, minOutPerIn: 10n ** 40n },
    });
    const call = { target: depositRouterAddress, value: 0n, data };
    expect(refused(() => verifyRoutedExit(asked, call))).toBe("transfer chain");
  });
});

describe("verifyRoutedExit() of a bridge's own calldata", () => {
  test.each<[string, Parameters<typeof bridgeData>[0]]>([
    ["transfer receiver", { recipient: OTHER }],
    ["transfer refund", { user: OTHER }],
    ["transfer token", { from: VAULT }],
    ["transfer toToken", { to: WETH }],
    ["transfer amount", { amount: AMOUNT - 1n }],
    ["transfer chain", { chain: 42161 }],
    ["transfer chain", { chain: home.chainId }],
    ["transfer data", { message: "0x12" }],
  ])("refuses another %s", (field, change) => {
    expect(fieldOf(bridging(bridgeData(change)))).toBe(field);
  });

  test("refuses less than was quoted", () => {
    expect(fieldOf(bridging(bridgeData({}, terms.outputAmount - 1n)))).toBe("transfer minimum");
  });

  test("passes the bridge's native fee, and no other", () => {
    const staged = bridging(bridgeData(), 5n);
    expect(fieldOf(staged)).toBe(null);
    expect(fieldOf(staged, order({ nativeFee: 6n }))).toBe("nativeFee");
    expect(fieldOf(staged, step(1, { value: 6n }))).toBe("step value");
  });

  test("refuses floors where the Router can measure nothing", () => {
    expect(fieldOf(bridging(), order({ minOut: 1n }))).toBe("minOut");
    expect(fieldOf(bridging(), order({ direct: true }))).toBe("minOut");
  });
});

test("verifyTransferData() lets a bridge name native money by its wrapped form, and a swap not", () => {
  const data = bridgeData({ from: WETH, to: WETH });
  const asked = {
    user: USER,
    from: home,
    to: away,
    token: zeroAddress,
    amount: AMOUNT,
    requested: zeroAddress,
    least: 1n,
  };
  expect(refused(() => verifyTransferData(asked, data))).toBe(null);
  const swap = swapData({ srcToken: WETH, dstToken: USDC });
  expect(refused(() => verifyTransferData({ ...asked, to: home, requested: USDC }, swap))).toBe(
    "transfer token",
  );
});

describe("verifyApprovals()", () => {
  const approve = (spender: Address, amount: bigint, target: Address = VAULT) => ({
    ...{ target, value: 0n },
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] }),
  });
  const last: UserCall = { target: depositRouterAddress, value: 0n, data: "0x" };
  const of = { token: VAULT, spender: depositRouterAddress, amount: 5n };
  const field = (...calls: UserCall[]) => refused(() => verifyApprovals([...calls, last], of));

  test("passes nothing, an approval of the amount, and a reset before it", () => {
    expect(field()).toBe(null);
    expect(field(approve(depositRouterAddress, 5n))).toBe(null);
    expect(field(approve(depositRouterAddress, 0n), approve(depositRouterAddress, 5n))).toBe(null);
  });

  test.each([
    ["approval amount", approve(depositRouterAddress, 6n)],
    ["approval amount", approve(depositRouterAddress, 2n ** 256n - 1n)],
    ["approval spender", approve(OTHER, 5n)],
    ["approval token", approve(depositRouterAddress, 5n, USDC)],
    ["approval token", { ...approve(depositRouterAddress, 5n), value: 1n }],
    ["approval data", { ...last, target: VAULT, data: "0xa9059cbb" as Hex }],
    [
      "approval data",
      {
        ...last,
        target: VAULT,
        data: encodeFunctionData({
          abi: erc20Abi,
          functionName: "transfer",
          args: [depositRouterAddress, 5n],
        }),
      },
    ],
  ])("refuses another %s", (name, call) => {
    expect(field(call)).toBe(name);
  });

  test("refuses any approval where the call needs none", () => {
    const calls = [approve(depositRouterAddress, 5n), last];
    expect(refused(() => verifyApprovals(calls, { ...of, spender: null }))).toBe("approval token");
  });
});
