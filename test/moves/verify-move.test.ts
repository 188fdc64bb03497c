import { type Address, encodeFunctionData, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { toRouterCall } from "../../src/deposits/deposit-calldata.ts";
import { type ExpectedMove, verifyMove } from "../../src/moves/verify-move.ts";
import { orderDeadline } from "../../src/orders/order-floors.ts";
import { providerStep } from "../../src/orders/order-provider-step.ts";
import { decodeKyberSwap, kyberReceiverOffset } from "../../src/providers/kyber/kyber-calldata.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import {
  decodeRouterCall,
  encodeRouterCall,
  type RouterCall,
  type RouterOrder,
  type RouterStep,
  routerBridgeOutput,
} from "../../src/router/router-codec.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { redeemStep } from "../../src/withdrawals/exit-calldata.ts";
import { intentOf, OTHER, USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { encodeFields, honestFields, swapRequest } from "../support/kyber/stage.ts";
import {
  clientOf,
  exitOf,
  exitWayOf,
  expectedWithdrawalOf,
  HELD,
  home,
  orderOf,
  READ_AT,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

const INTO: Address = "0x1111111111111111111111111111111111111111";
const PROVIDER: Address = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
/** A token between the swaps of a route. */
const BETWEEN: Address = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const LEAST = 90n * 10n ** 18n;
const SWAPPED = WORTH - 12_502n;

/** A move into a vault of a token, with a swap before the deposit where the tokens differ. */
function moving(asset: Vault["asset"] = vault.asset): { asked: ExpectedMove; built: RouterCall } {
  const into: Vault = { ...vault, address: INTO, shareToken: INTO, entryPoint: INTO, spender: INTO, asset };
  const to = { client: clientOf(home), chainId: home.chainId, token: asset.address };
  const order = orderOf({ shares: HELD, to });
  const swaps = asset.address !== USDC;
  const exit = exitOf(order, { way: exitWayOf(order, { pays: !swaps }), minAssets: SWAPPED });
  const request = swapRequest({
    ...{ fromChainId: home.chainId, toChainId: home.chainId, fromToken: USDC, toToken: asset.address },
    ...{ amount: SWAPPED, user: USER },
  });
  const data = encodeFields(honestFields(request, { minReturnAmount: 5n }));
  const decoded = decodeKyberSwap(data);
  if (decoded === null) throw new Error("no swap");
  const asStep = { receiverOffset: kyberReceiverOffset(decoded), leftovers: swaps ? [BETWEEN] : [] };
  const route: NonNullable<ExpectedMove["quote"]> = {
    ...{ transaction: { to: PROVIDER, data, value: 0n }, spender: PROVIDER, asStep },
    ...{ toAmount: 6n, toAmountMin: 5n },
  };
  const swap = providerStep(USDC, { route, asStep, amount: SWAPPED });
  const intent = intentOf({ vault: into, token: asset, amount: WORTH });
  const deposit = toRouterCall(intent, { minIn: WORTH, minShares: LEAST, deadline: orderDeadline(READ_AT) });
  const [paysIn] = deposit.steps;
  if (paysIn === undefined) throw new Error("no deposit");
  const demanded = { ...paysIn, needToken: asset.address, needAmount: SWAPPED };
  const built: RouterCall = {
    order: { ...deposit.order, tokenIn: VAULT, amountIn: HELD, minIn: HELD },
    steps: [redeemStep(exit), ...(swaps ? [swap, paysIn] : [demanded])],
    sweep: [USDC, ...asStep.leftovers],
  };
  const quote = swaps ? route : null;
  const asked = {
    ...expectedWithdrawalOf(exit),
    least: LEAST,
    into,
    deposited: asset.address,
    leastIn: SWAPPED,
    quote,
    paid: WORTH,
  };
  return { asked, built };
}

function fieldOf(
  { asked, built }: ReturnType<typeof moving>,
  change: (call: RouterCall) => RouterCall = (call) => call,
): string | null {
  const data = encodeRouterCall(change(decodeRouterCall(encodeRouterCall(built))));
  try {
    verifyMove(asked, { target: depositRouterAddress, value: 0n, data });
    return null;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    expect(code).toBe("upstream_rejected");
    return message.replace("the encoded call differs from the request in ", "");
  }
}
const order = (part: Partial<RouterOrder>) => (call: RouterCall) => ({
  ...call,
  order: { ...call.order, ...part },
});
const step = (at: number, part: Partial<RouterStep>) => (call: RouterCall) => {
  const last = at < 0 ? call.steps.length + at : at;
  return { ...call, steps: call.steps.map((one, index) => (index === last ? { ...one, ...part } : one)) };
};
const weth = { address: WETH, symbol: "WETH", decimals: 18 };
const depositAbi = parseAbi(["function deposit(uint256 assets, address receiver)"]);
const into = (receiver: Address) =>
  encodeFunctionData({ abi: depositAbi, functionName: "deposit", args: [WORTH, receiver] });

describe.each([
  ["of the same asset", () => moving()],
  ["of another asset, with a swap", () => moving(weth)],
] as const)("verifyMove() into a vault %s", (_name, stage) => {
  test("passes what was built", () => {
    expect(fieldOf(stage())).toBe(null);
  });

  test.each<[string, Partial<RouterOrder>]>([
    ["receiver", { receiver: OTHER }],
    ["refundTo", { refundTo: OTHER }],
    ["tokenIn", { tokenIn: USDC }],
    ["amountIn", { amountIn: HELD * 2n }],
    ["minIn", { minIn: 1n }],
    ["tokenOut", { tokenOut: OTHER }],
    ["tokenOut", { tokenOut: routerBridgeOutput }],
    ["tokenOut", { tokenOut: USDC }],
    ["minOut", { minOut: LEAST - 1n }],
    ["value", { nativeFee: 1n }],
    ["deadline", { deadline: 2n ** 64n }],
    ["ref", { ref: `0x${"ab".repeat(32)}` }],
  ])("refuses another %s of the order", (field, part) => {
    expect(fieldOf(stage(), order(part))).toBe(field);
  });

  test.each<[string, Partial<RouterStep>]>([
    ["step target", { target: OTHER }],
    ["step target", { target: VAULT }],
    ["step spender", { spender: OTHER }],
    ["step approveToken", { approveToken: VAULT }],
    ["step value", { value: 1n }],
    ["step patches", { patches: [] }],
    ["step receiver", { data: into(OTHER) }],
    ["step receiver", { data: into(PROVIDER) }],
  ])("refuses a deposit with another %s", (field, part) => {
    expect(fieldOf(stage(), step(-1, part))).toBe(field);
  });

  test("refuses another redemption, and steps that are added or left out", () => {
    expect(fieldOf(stage(), step(0, { target: OTHER }))).toBe("target");
    expect(fieldOf(stage(), step(0, { patches: [] }))).toBe("step shares");
    expect(fieldOf(stage(), (call) => ({ ...call, steps: call.steps.slice(0, -1) }))).toBe("steps");
    expect(fieldOf(stage(), (call) => ({ ...call, steps: [...call.steps, ...call.steps.slice(0, 1)] }))).toBe(
      "steps",
    );
    expect(fieldOf(stage(), (call) => ({ ...call, sweep: [] }))).toBe("sweep");
  });
});

test.each<[string, Partial<RouterStep>]>([
  ["a lower minimum", { needAmount: SWAPPED - 1n }],
  ["no minimum", { needToken: zeroAddress, needAmount: 0n }],
  ["a minimum of another token", { needToken: VAULT }],
])("verifyMove() refuses a deposit with %s of what the old vault paid", (_what, part) => {
  expect(fieldOf(moving(), step(-1, part))).toBe("step needAmount");
});

test.each([[BETWEEN], [USDC]])("verifyMove() refuses an order that returns only %s", (token) => {
  expect(fieldOf(moving(weth), (call) => ({ ...call, sweep: [token] }))).toBe("sweep");
});

test("verifyMove() passes no demand of a deposit whose swap demands its own", () => {
  expect(fieldOf(moving(weth), step(-1, { needToken: WETH, needAmount: 1n }))).toBe("step needAmount");
});

test.each<[string, Partial<RouterStep>]>([
  ["step target", { target: OTHER }],
  ["step spender", { spender: OTHER }],
  ["step needAmount", { needAmount: 1n }],
  ["step needToken", { needToken: VAULT }],
  ["transfer data", { data: "0x12345678" }],
  ["step receiver", { patches: [] }],
])("verifyMove() refuses a swap with another %s", (field, part) => {
  expect(fieldOf(moving(weth), step(1, part))).toBe(field);
});
