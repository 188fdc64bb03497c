import { type Hex, toHex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  encodeDepositCall,
  toRouterCall,
  verifyDepositCall,
  verifyRouterCall,
} from "../../src/deposits/deposit-calldata.ts";
import type { DepositIntent } from "../../src/deposits/deposit-intent.ts";
import type { UserCall } from "../../src/orders/order-wallet-calls.ts";
import { encodeRouterCall, type RouterCall, type RouterStep } from "../../src/router/router-codec.ts";
import { floors, intentOf, nativeIntent, OTHER, USDC } from "../support/deposits/fixtures.ts";

const intents: readonly [string, DepositIntent][] = [
  ["of a token", intentOf()],
  ["of native money", nativeIntent],
];
const refusal = expect.objectContaining({ name: "AppError", code: "upstream_rejected" });

function expectRefused(intent: DepositIntent, change: (call: RouterCall) => RouterCall): void {
  const data = encodeRouterCall(change(toRouterCall(intent, floors)));
  const call: UserCall = { ...encodeDepositCall(intent, floors), data };
  expect(() => verifyDepositCall(intent, { call, floors })).toThrow(refusal);
}

describe.each(intents)("verifyDepositCall() of a deposit %s", (_what, intent) => {
  const steps = toRouterCall(intent, floors).steps;
  const changes: readonly [keyof RouterStep, RouterStep[keyof RouterStep]][] = [
    ["target", OTHER],
    ["value", 7n],
    ["approveToken", OTHER],
    ["spender", OTHER],
    ["needToken", OTHER],
    ["needAmount", 7n],
    ["patches", [{ offset: 4n, token: OTHER, mul: 1n, div: 1n }]],
    ["patches", [{ offset: 36n, token: USDC, mul: 1n, div: 1n }]],
    ["patches", [{ offset: 4n, token: USDC, mul: 2n, div: 1n }]],
    ["patches", [{ offset: 4n, token: USDC, mul: 1n, div: 2n }]],
    ["data", "0x12345678"],
  ];

  test.each(changes)("refuses a different %s in any step", (member, value) => {
    for (const index of steps.keys()) {
      expectRefused(intent, (call) => ({
        ...call,
        steps: call.steps.map((step, at) => (at === index ? { ...step, [member]: value } : step)),
      }));
    }
  });

  test("refuses a different order of the steps", () => {
    if (steps.length > 1) expectRefused(intent, (call) => ({ ...call, steps: call.steps.toReversed() }));
  });

  test.each([[[]], [[OTHER]], [[USDC, OTHER]], [[zeroAddress]]])("refuses a different sweep: %j", (sweep) => {
    if (sweep.length === 0 && intent !== nativeIntent) return;
    expectRefused(intent, (call) => ({ ...call, sweep: sweep as `0x${string}`[] }));
  });

  test("refuses any changed, added or removed byte with `upstream_rejected`", () => {
    const call = encodeDepositCall(intent, floors);
    const length = (call.data.length - 2) / 2;
    const refuse = (data: Hex) =>
      expect(() => verifyDepositCall(intent, { call: { ...call, data }, floors })).toThrow(refusal);
    for (let at = 0; at < length; at += 1) {
      const bytes = Buffer.from(call.data.slice(2), "hex");
      bytes[at] = (bytes[at] ?? 0) ^ ((at % 255) + 1);
      refuse(toHex(bytes));
    }
    refuse(`${call.data}00`);
    refuse(`${call.data}${"00".repeat(32)}`);
    refuse(call.data.slice(0, -2) as Hex);
  });
});

describe("verifyDepositCall() with a wrong intent", () => {
  /** Encoded as it was meant, so that only the intent itself can tell. */
  const meant = (change: (call: RouterCall) => RouterCall) => {
    const intent = intentOf();
    const expected = change(toRouterCall(intent, floors));
    return () => verifyRouterCall(intent, { data: encodeRouterCall(expected), expected });
  };
  const deposit = (change: Partial<RouterCall["order"]>) =>
    meant((call) => ({ ...call, order: { ...call.order, ...change } }));
  const step = (change: Partial<RouterStep>) =>
    meant((call) => ({ ...call, steps: call.steps.map((one) => ({ ...one, ...change })) }));
  const refused = (field: string) =>
    expect.objectContaining({
      code: "upstream_rejected",
      message: `the encoded call differs from the request in ${field}`,
    });

  test("refuses a different receiver or refund address", () => {
    expect(deposit({ receiver: OTHER })).toThrow(refused("receiver"));
    expect(deposit({ refundTo: OTHER })).toThrow(refused("refundTo"));
  });

  test("refuses a different target or spender", () => {
    expect(step({ target: OTHER })).toThrow(refused("step target"));
    expect(step({ spender: OTHER })).toThrow(refused("step spender"));
  });

  test("passes the correct call", () => {
    expect(deposit({})).not.toThrow();
  });
});
