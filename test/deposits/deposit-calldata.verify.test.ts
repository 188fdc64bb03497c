import fc from "fast-check";
import { type Hex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { encodeDepositCall, toRouterCall, verifyDepositCall } from "../../src/deposits/deposit-calldata.ts";
import type { DepositIntent } from "../../src/deposits/deposit-intent.ts";
import type { UserCall } from "../../src/orders/order-wallet-calls.ts";
import { encodeRouterCall, type RouterCall, type RouterOrder } from "../../src/router/router-codec.ts";
import {
  directIntent,
  floors,
  intentOf,
  nativeIntent,
  OTHER,
  USDC,
  USER,
  VAULT,
} from "../support/deposits/fixtures.ts";

const intents: readonly [string, DepositIntent][] = [
  ["of a token through the Router", intentOf()],
  ["of native money through the Router", nativeIntent],
  ["into the vault itself", directIntent],
];
const floorsOf = (intent: DepositIntent) =>
  intent.entry.via === "user" ? { ...floors, minShares: null } : floors;
const built = (intent: DepositIntent) => encodeDepositCall(intent, floorsOf(intent));
const verify = (intent: DepositIntent, call: UserCall) =>
  verifyDepositCall(intent, { call, floors: floorsOf(intent) });

/** The field named in the refusal of a call; null when it passed. */
function refusedField(intent: DepositIntent, call: UserCall): string | null {
  try {
    verify(intent, call);
    return null;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    expect(code).toBe("upstream_rejected");
    return message.replace("the encoded call differs from the request in ", "");
  }
}

/** The Router call of an intent, changed, as its transaction. */
function changed(intent: DepositIntent, change: (call: RouterCall) => RouterCall): UserCall {
  return { ...built(intent), data: encodeRouterCall(change(toRouterCall(intent, floors))) };
}
const withDeposit = (intent: DepositIntent, part: Partial<RouterOrder>): UserCall =>
  changed(intent, (call) => ({ ...call, order: { ...call.order, ...part } }));

describe.each(intents)("verifyDepositCall() of a deposit %s", (_what, intent) => {
  test("passes the built call", () => {
    expect(refusedField(intent, built(intent))).toBe(null);
  });

  test("passes for random intents", () => {
    const asked = fc.record({
      amount: fc.bigInt(1n, 2n ** 255n),
      partnerType: fc.integer({ min: 0, max: 2 }),
      partnerHash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes)),
      ref: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes)),
    });
    fc.assert(
      fc.property(asked, (change) => {
        const own = { ...intent, ...change };
        expect(refusedField(own, built(own))).toBe(null);
      }),
    );
  });

  test("refuses a different value", () => {
    const call = built(intent);
    for (const value of [call.value + 1n, call.value * 2n + 1n, 10n ** 18n - 1n]) {
      expect(refusedField(intent, { ...call, value })).toBe("value");
    }
  });

  test("refuses a different target", () => {
    for (const target of [OTHER, USDC, USER]) {
      expect(refusedField(intent, { ...built(intent), target })).toBe("target");
    }
  });

  test.each<Hex>(["0x", "0x12", "0x6e553f", "nonsense" as Hex])("refuses %s as calldata", (data) => {
    expect(refusedField(intent, { ...built(intent), data })).toBe("data");
  });
});

describe("verifyDepositCall() through the Router", () => {
  const other = { address: OTHER, amount: 7n, bytes32: `0x${"77".repeat(32)}`, small: 1 } as const;
  const fields: readonly [keyof RouterOrder, RouterOrder[keyof RouterOrder]][] = [
    ["tokenIn", other.address],
    ["amountIn", other.amount],
    ["minIn", other.amount],
    ["nativeFee", other.amount],
    ["tokenOut", other.address],
    ["receiver", other.address],
    ["minOut", 1n],
    ["minOutPerIn", 1n],
    ["deadline", other.amount],
    ["direct", false],
    ["refundTo", other.address],
    ["ref", other.bytes32],
    ["partnerId", other.bytes32],
    ["partnerType", other.small],
  ];

  test("compares every field of the order", () => {
    expect(fields.map(([name]) => name)).toEqual(Object.keys(toRouterCall(intentOf(), floors).order));
  });

  test.each(fields)("refuses a different %s and names the field", (field, value) => {
    for (const intent of [intentOf(), nativeIntent]) {
      expect(refusedField(intent, withDeposit(intent, { [field]: value }))).toBe(field);
    }
  });

  test.each(["amountIn", "minIn", "minOut", "deadline"] as const)(
    "refuses %s when it is off by one",
    (field) => {
      const { order } = toRouterCall(intentOf(), floors);
      for (const off of [1n, -1n]) {
        expect(refusedField(intentOf(), withDeposit(intentOf(), { [field]: order[field] + off }))).toBe(
          field,
        );
      }
    },
  );

  test.each(["target", "spender"] as const)("refuses a different %s in the vault's step", (member) => {
    const call = changed(intentOf(), ({ steps, ...rest }) => ({
      ...rest,
      steps: steps.map((step) => ({ ...step, [member]: OTHER })),
    }));
    expect(refusedField(intentOf(), call)).toBe(`step ${member}`);
  });

  test("refuses different calldata in the vault's step", () => {
    const call = changed(intentOf(), ({ steps, ...rest }) => ({
      ...rest,
      steps: steps.map((step) => ({ ...step, data: `${step.data.slice(0, -2)}00` as Hex })),
    }));
    expect(refusedField(intentOf(), call)).toBe("step data");
  });

  test("refuses an added or missing step", () => {
    for (const intent of [intentOf(), nativeIntent]) {
      const more = changed(intent, (call) => ({
        ...call,
        steps: [...call.steps.slice(0, 1), ...call.steps],
      }));
      const fewer = changed(intent, (call) => ({ ...call, steps: call.steps.slice(1) }));
      expect([refusedField(intent, more), refusedField(intent, fewer)]).toEqual(["steps", "steps"]);
    }
  });

  test("refuses a random change of any field", () => {
    const bytes = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((raw) => toHex(raw));
    const anyDeposit = fc.record(
      {
        asset: bytes(20),
        amount: fc.bigInt(0n, 2n ** 256n - 1n),
        minIn: fc.bigInt(0n, 2n ** 256n - 1n),
        shareToken: bytes(20),
        receiver: bytes(20),
        minShares: fc.bigInt(0n, 2n ** 256n - 1n),
        deadline: fc.bigInt(0n, 2n ** 256n - 1n),
        refundTo: bytes(20),
        ref: bytes(32),
        partnerId: bytes(32),
        partnerType: fc.integer({ min: 1, max: 255 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyDeposit, (change) => {
        fc.pre(Object.keys(change).length > 0);
        const field = refusedField(intentOf(), withDeposit(intentOf(), change));
        expect(Object.keys(change)).toContain(field);
      }),
      { numRuns: 300 },
    );
  });
});

describe("verifyDepositCall() by the user", () => {
  test("refuses different calldata", () => {
    const call = built(directIntent);
    const length = (call.data.length - 2) / 2;
    fc.assert(
      fc.property(fc.nat(length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(call.data.slice(2), "hex");
        bytes[at] = (bytes[at] ?? 0) ^ flip;
        expect(refusedField(directIntent, { ...call, data: toHex(bytes) })).toBe("data");
      }),
    );
    expect(refusedField(directIntent, { ...call, data: `${call.data}00` })).toBe("data");
  });

  test("refuses the share token or the Router as target", () => {
    const split = { ...directIntent, vault: { ...directIntent.vault, shareToken: OTHER } };
    expect(refusedField(split, { ...built(split), target: OTHER })).toBe("target");
    expect(refusedField(split, { ...built(split), target: VAULT })).toBe(null);
  });
});
