import { type Address, concatHex, encodeFunctionData, erc20Abi, type Hex, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { MAX_UINT256 } from "../../src/lib/amount.ts";
import type { UserCall } from "../../src/orders/order-wallet-calls.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import {
  decodeRouterCall,
  encodeRouterCall,
  type RouterCall,
  type RouterOrder,
  type RouterStep,
  routerBridgeOutput,
  routerSelf,
} from "../../src/router/router-codec.ts";
import { encodeExit } from "../../src/withdrawals/exit-calldata.ts";
import { type ExpectedWithdrawal, verifyWithdrawal } from "../../src/withdrawals/verify-withdrawal.ts";
import { OTHER, USDC, USER, VAULT, type vault, WETH, wethVault } from "../support/deposits/fixtures.ts";
import {
  exitOf,
  exitWayOf,
  expectedWithdrawalOf,
  familyVault,
  HELD,
  MIN_ASSETS,
  orderOf,
  PARAMETER_ADDRESS,
} from "../support/withdrawals/fixtures.ts";

/** The field named in the refusal of a call; null when it passed. */
function refusedField(asked: ExpectedWithdrawal, call: UserCall): string | null {
  try {
    verifyWithdrawal(asked, call);
    return null;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    expect(code).toBe("upstream_rejected");
    return message.replace("the encoded call differs from the request in ", "");
  }
}

const all = exitOf(orderOf());
const part = exitOf(orderOf({ shares: 7n * 10n ** 18n }));
const toNative = exitOf(orderOf({ vault: wethVault, to: { ...orderOf().to, token: zeroAddress } }), {
  way: exitWayOf(orderOf({ vault: wethVault })),
});
const routed = [
  ["of all shares", all],
  ["of some shares", part],
  ["for native money", toNative],
] as const;

/** The built order of a redemption, changed after it was encoded. */
function tampered(exit: typeof all, change: (call: RouterCall) => RouterCall): UserCall {
  const call = encodeExit(exit);
  return { ...call, data: encodeRouterCall(change(decodeRouterCall(call.data))) };
}
const withOrder = (exit: typeof all, part: Partial<RouterOrder>) =>
  tampered(exit, (call) => ({ ...call, order: { ...call.order, ...part } }));
const withStep = (exit: typeof all, part: Partial<RouterStep>) =>
  tampered(exit, (call) => ({
    ...call,
    steps: call.steps.map((step, index) => (index === 0 ? { ...step, ...part } : step)),
  }));

describe.each(routed)("verifyWithdrawal() of a redemption %s through the Router", (_name, exit) => {
  test("passes what was built", () => {
    expect(refusedField(expectedWithdrawalOf(exit), encodeExit(exit))).toBe(null);
  });

  test.each<[string, Partial<RouterOrder>]>([
    ["receiver", { receiver: OTHER }],
    ["refundTo", { refundTo: OTHER }],
    ["tokenIn", { tokenIn: OTHER }],
    ["tokenIn", { tokenIn: zeroAddress }],
    ["amountIn", { amountIn: HELD + 1n }],
    ["amountIn", { amountIn: 1n }],
    ["minIn", { minIn: 1n }],
    ["minIn", { minIn: HELD * 2n }],
    ["tokenOut", { tokenOut: OTHER }],
    ["tokenOut", { tokenOut: routerBridgeOutput }],
    ["minOut", { minOut: MIN_ASSETS - 1n }],
    ["minOut", { minOut: 0n }],
    ["deadline", { deadline: MAX_UINT256 }],
    ["deadline", { deadline: 0n }],
    ["direct", { direct: true }],
    ["nativeFee", { nativeFee: 1n }],
    ["ref", { ref: `0x${"12".repeat(32)}` }],
    ["partnerId", { partnerId: `0x${"12".repeat(32)}` }],
    ["partnerType", { partnerType: 2 }],
  ])("refuses another %s in the calldata", (field, change) => {
    expect(refusedField(expectedWithdrawalOf(exit), withOrder(exit, change))).toBe(field);
  });

  test.each<[string, Partial<RouterStep>]>([
    ["target", { target: OTHER }],
    ["target", { target: USDC }],
    ["target", { target: depositRouterAddress }],
    ["data", { data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [OTHER, 1n] }) }],
    ["data", { data: "0x" }],
    ["step value", { value: 1n }],
    ["step needToken", { needToken: USDC, needAmount: 1n }],
    ["step spender", { approveToken: USDC, spender: OTHER }],
    ["step spender", { approveToken: VAULT, spender: OTHER }],
    ["step spender", { approveToken: OTHER, spender: VAULT }],
    ["step shares", { patches: [] }],
  ])("refuses a redemption with another %s", (field, change) => {
    expect(refusedField(expectedWithdrawalOf(exit), withStep(exit, change))).toBe(field);
  });

  test("refuses an executor that is not the owner and the receiver of the redemption", () => {
    const { patches = [] } = decodeRouterCall(encodeExit(exit).data).steps[0] ?? {};
    const self = patches.filter(({ token }) => token === routerSelf);
    expect(self).toHaveLength(2);
    for (const left of self) {
      const fewer = patches.filter((patch) => patch !== left);
      expect(refusedField(expectedWithdrawalOf(exit), withStep(exit, { patches: fewer }))).toBe(
        "step receiver",
      );
      const moved = fewer.concat({ ...left, token: USDC });
      expect(refusedField(expectedWithdrawalOf(exit), withStep(exit, { patches: moved }))).toBe(
        "step receiver",
      );
    }
    const scaled = patches.map((patch) => (patch.token === routerSelf ? patch : { ...patch, div: 2n }));
    expect(refusedField(expectedWithdrawalOf(exit), withStep(exit, { patches: scaled }))).toBe("step shares");
  });

  test("refuses steps that were added, repeated or left out", () => {
    const changes = [
      (call: RouterCall) => ({ ...call, steps: [] }),
      (call: RouterCall) => ({ ...call, steps: [...call.steps, ...call.steps] }),
      (call: RouterCall) => ({ ...call, steps: [...call.steps, ...call.steps.slice(0, 1), ...call.steps] }),
    ];
    for (const change of changes)
      expect(refusedField(expectedWithdrawalOf(exit), tampered(exit, change))).toBe("steps");
  });

  test("refuses another contract, native money and other encodings", () => {
    const call = encodeExit(exit);
    expect(refusedField(expectedWithdrawalOf(exit), { ...call, target: OTHER })).toBe("data");
    expect(refusedField(expectedWithdrawalOf(exit), { ...call, target: VAULT })).toBe("data");
    expect(refusedField(expectedWithdrawalOf(exit), { ...call, value: 1n })).toBe("value");
    for (const data of ["0x", "0x12", concatHex([call.data, "0x00"]), call.data.slice(0, -2)] as Hex[])
      expect(refusedField(expectedWithdrawalOf(exit), { ...call, data })).toBe("data");
  });
});

test("a floor per share holds for any number of shares", () => {
  const { minOutPerIn } = decodeRouterCall(encodeExit(all).data).order;
  expect((HELD * minOutPerIn) / 10n ** 27n).toBeGreaterThanOrEqual(MIN_ASSETS - 1n);
  expect(refusedField(expectedWithdrawalOf(all), withOrder(all, { minOutPerIn: minOutPerIn - 1n }))).toBe(
    "minOutPerIn",
  );
  expect(refusedField(expectedWithdrawalOf(all), withOrder(all, { minOutPerIn: 0n }))).toBe("amountIn");
  const coarse = exitOf(all.order, { shares: 10n ** 36n, minAssets: 10n ** 6n });
  const asked = { ...expectedWithdrawalOf(coarse), held: coarse.shares };
  expect(refusedField(asked, withOrder(coarse, { amountIn: MAX_UINT256 }))).toBe("amountIn");
});

test("native money comes from the wrapped token alone, and its rest returns to the user", () => {
  const asked = expectedWithdrawalOf(toNative);
  const unwrapping = (change: Partial<RouterStep>) =>
    tampered(toNative, (call) => ({
      ...call,
      steps: [...call.steps.slice(0, 1), { ...call.steps[1], ...change } as RouterStep],
    }));
  expect(refusedField(asked, unwrapping({ target: OTHER }))).toBe("step target");
  expect(refusedField(asked, unwrapping({ data: "0xd0e30db0" }))).toBe("step data");
  expect(refusedField(asked, unwrapping({ approveToken: WETH, spender: OTHER }))).toBe("step spender");
  expect(refusedField(asked, unwrapping({ patches: [] }))).toBe("step patches");
  expect(refusedField(asked, unwrapping({ value: 1n }))).toBe("step value");
  expect(refusedField(asked, unwrapping({ needToken: WETH, needAmount: 1n }))).toBe("step value");
  expect(refusedField(asked, withOrder(toNative, { tokenOut: WETH }))).toBe("tokenOut");
  expect(
    refusedField(
      asked,
      tampered(toNative, (call) => ({ ...call, sweep: [] })),
    ),
  ).toBe("sweep");
});

test("a first step whose token is exchanged later may pay any token of the row, and no other", () => {
  const asked = { ...expectedWithdrawalOf(all), pays: false };
  expect(refusedField(asked, encodeExit(all))).toBe(null);
  expect(refusedField(asked, withOrder(all, { tokenOut: WETH }))).toBe("tokenOut");
});

test("an executor neither requests nor redeems for another token", () => {
  const abi = parseAbi(["function requestRedeem(uint256 shares, address controller, address owner)"]);
  const data = encodeFunctionData({
    abi,
    functionName: "requestRedeem",
    args: [0n, zeroAddress, zeroAddress],
  });
  expect(refusedField(expectedWithdrawalOf(all), withStep(all, { data }))).toBe("mode");
  const params = {
    redemption_vault: PARAMETER_ADDRESS,
    redeem_tokens: `${USDC.toLowerCase()}/6/USDC`,
    redeem_via: "router",
  };
  const order = orderOf({ vault: familyVault("midas", params) });
  const midas = exitOf(order);
  expect(refusedField(expectedWithdrawalOf(midas), encodeExit(midas))).toBe(null);
  const instant = parseAbi(["function redeemInstant(address, uint256, uint256)"]);
  const args = [WETH, 0n, MIN_ASSETS * 10n ** 12n] as const;
  const other = encodeFunctionData({ abi: instant, functionName: "redeemInstant", args });
  expect(refusedField(expectedWithdrawalOf(midas), withStep(midas, { data: other }))).toBe("step token");
});

const redeem4626 = parseAbi(["function redeem(uint256 shares, address receiver, address owner)"]);
const redeem4 = parseAbi(["function redeem(uint256, address, address, uint256)"]);

describe("verifyWithdrawal() of the vault's own call", () => {
  const own = (of: Parameters<typeof orderOf>[0] = {}, way: Parameters<typeof exitWayOf>[1] = {}) => {
    const order = orderOf(of);
    return exitOf(order, { way: exitWayOf(order, { via: "user", ...way }) });
  };
  const exit = own();
  const call = (args: readonly [bigint, Address, Address]): UserCall => ({
    ...{ target: VAULT, value: 0n },
    data: encodeFunctionData({ abi: redeem4626, functionName: "redeem", args }),
  });

  test("passes only the user's shares, all of them, for the user", () => {
    expect(refusedField(expectedWithdrawalOf(exit), encodeExit(exit))).toBe(null);
    expect(refusedField(expectedWithdrawalOf(exit), call([HELD, USER, USER]))).toBe(null);
    expect(refusedField(expectedWithdrawalOf(exit), call([HELD, OTHER, USER]))).toBe("receiver");
    expect(refusedField(expectedWithdrawalOf(exit), call([HELD, USER, OTHER]))).toBe("owner");
    expect(refusedField(expectedWithdrawalOf(exit), call([HELD + 1n, USER, USER]))).toBe("shares");
    expect(refusedField(expectedWithdrawalOf(exit), { ...call([HELD, USER, USER]), target: OTHER })).toBe(
      "target",
    );
    expect(refusedField(expectedWithdrawalOf(exit), { ...call([HELD, USER, USER]), target: USDC })).toBe(
      "target",
    );
  });

  test("refuses bytes after the words, and bits before an address", () => {
    const { data } = call([HELD, USER, USER]);
    expect(refusedField(expectedWithdrawalOf(exit), { ...call([HELD, USER, USER]), data: `${data}00` })).toBe(
      "data",
    );
    const dirty = `${data.slice(0, 74)}01${data.slice(76)}` as Hex;
    expect(refusedField(expectedWithdrawalOf(exit), { ...call([HELD, USER, USER]), data: dirty })).toBe(
      "receiver",
    );
  });

  const calls4 = (limit: bigint): UserCall => ({
    ...{ target: VAULT, value: 0n },
    data: encodeFunctionData({ abi: redeem4, functionName: "redeem", args: [HELD, USER, USER, limit] }),
  });

  test("reads the last word of the same function by family: a minimum for Fluid, a loss for Yearn", () => {
    const fluid = expectedWithdrawalOf(own({ vault: familyVault("fluid") }));
    expect(refusedField(fluid, calls4(MIN_ASSETS))).toBe(null);
    expect(refusedField(fluid, calls4(MIN_ASSETS - 1n))).toBe("minAssets");
    const yearn = expectedWithdrawalOf(own({ vault: familyVault("yearn_v3") }));
    expect(refusedField(yearn, calls4(50n))).toBe(null);
    expect(refusedField(yearn, calls4(51n))).toBe("maxLoss");
    expect(refusedField(yearn, calls4(10_000n))).toBe("maxLoss");
    expect(refusedField(expectedWithdrawalOf(exit), calls4(50n))).toBe("data");
  });

  test.each([
    [6, MIN_ASSETS * 10n ** 12n],
    [20, (MIN_ASSETS + 99n) / 100n],
  ])("compares a minimum that counts in 18 decimals, of a token with %i", (decimals, minimum) => {
    const midas = familyVault("midas", {
      redemption_vault: PARAMETER_ADDRESS,
      redeem_tokens: `${USDC.toLowerCase()}/${decimals}/USDC`,
      interface: "standard",
    });
    const abi = parseAbi(["function redeemInstant(address, uint256, uint256)"]);
    const asked = expectedWithdrawalOf(own({ vault: midas }, { spender: PARAMETER_ADDRESS }));
    const instant = (token: Address, least: bigint): UserCall => ({
      ...{ target: PARAMETER_ADDRESS, value: 0n },
      data: encodeFunctionData({ abi, functionName: "redeemInstant", args: [token, HELD, least] }),
    });
    expect(refusedField(asked, instant(USDC, minimum))).toBe(null);
    expect(refusedField(asked, instant(USDC, minimum - 1n))).toBe("minAssets");
    expect(refusedField(asked, instant(WETH, minimum))).toBe("token");
    expect(refusedField(asked, { ...instant(USDC, minimum), target: VAULT })).toBe("target");
  });

  test("keeps redemptions and requests apart", () => {
    const abi = parseAbi(["function requestRedeem(uint256 shares, address controller, address owner)"]);
    const request = (args: readonly [bigint, Address, Address]): UserCall => ({
      ...{ target: VAULT, value: 0n },
      data: encodeFunctionData({ abi, functionName: "requestRedeem", args }),
    });
    const lagoon = own({ vault: familyVault("lagoon") }, { mode: "request" });
    const asked = { ...expectedWithdrawalOf(lagoon), least: 1n };
    expect(refusedField(asked, request([HELD, USER, USER]))).toBe(null);
    expect(refusedField(asked, request([HELD, OTHER, USER]))).toBe("receiver");
    expect(refusedField(asked, request([HELD, USER, OTHER]))).toBe("owner");
    expect(refusedField(asked, call([HELD, USER, USER]))).toBe("mode");
    expect(refusedField(expectedWithdrawalOf(exit), request([HELD, USER, USER]))).toBe("mode");
    expect(refusedField(asked, encodeExit(all))).toBe("mode");
  });
});

describe("verifyWithdrawal() when a family encodes something else than what was asked for", () => {
  const lying = (
    change: (request: { owner: Address; receiver: Address | null; shares: bigint }) => object,
  ) => {
    const honest = orderOf();
    const exits = {
      ...honest.exits,
      encode: (of: typeof vault, request: Parameters<typeof honest.exits.encode>[1]) =>
        honest.exits.encode(of, { ...request, ...change(request) }),
    };
    const order = orderOf({ exits });
    return exitOf(order, { way: exitWayOf(order, { via: "user" }) });
  };

  test.each([
    ["receiver", () => ({ receiver: OTHER })],
    ["owner", () => ({ caller: OTHER })],
    ["shares", ({ shares }: { shares: bigint }) => ({ shares: shares * 2n })],
  ])("the %s is compared with the request and not with the same encoding", (field, change) => {
    const exit = lying(change);
    expect(refusedField(expectedWithdrawalOf(exit), encodeExit(exit))).toBe(field);
  });

  test("a redemption of somebody else's shares for the executor is refused too", () => {
    const honest = orderOf();
    const exits = {
      ...honest.exits,
      encode: (of: typeof vault, request: Parameters<typeof honest.exits.encode>[1]) =>
        honest.exits.encode(of, { ...request, caller: OTHER, receiver: OTHER }),
    };
    const exit = exitOf(orderOf({ exits }));
    expect(refusedField(expectedWithdrawalOf(exit), encodeExit(exit))).toBe("step receiver");
  });
});

test("verifyWithdrawal() takes a plain redemption for a request only where the family queues in it", () => {
  const asRequest = (adapter: string) => {
    const order = orderOf({ vault: familyVault(adapter), mode: "request" });
    const way = exitWayOf(order, { via: "user", mode: "request" });
    const exit = exitOf(order, { way });
    return refusedField(
      expectedWithdrawalOf(exit),
      encodeExit({ ...exit, way: { ...way, mode: "instant" } }),
    );
  };
  expect(asRequest("mellow_lrt")).toBe(null);
  expect(asRequest("euler")).toBe("mode");
});
