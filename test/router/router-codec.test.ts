import fc from "fast-check";
import {
  type Address,
  encodeErrorResult,
  getAddress,
  type Hex,
  toFunctionSelector,
  toHex,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import {
  callOnlyStep,
  decodeRouterCall,
  decodeRouterError,
  encodeRouterCall,
  executedOrders,
  type RouterCall,
} from "../../src/router/router-codec.ts";
import { OTHER, REF, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import { executedLog, transferLog } from "../support/deposits/logs.ts";

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((raw) => toHex(raw));
const anAddress: fc.Arbitrary<Address> = bytes(20).map((raw) => getAddress(raw));
const aWord = fc.bigInt(0n, 2n ** 256n - 1n);
const aCall: fc.Arbitrary<RouterCall> = fc.record({
  order: fc.record({
    tokenIn: anAddress,
    amountIn: aWord,
    minIn: aWord,
    nativeFee: aWord,
    tokenOut: anAddress,
    receiver: anAddress,
    minOut: aWord,
    minOutPerIn: aWord,
    deadline: aWord,
    direct: fc.boolean(),
    refundTo: anAddress,
    ref: bytes(32),
    partnerId: bytes(32),
    partnerType: fc.integer({ min: 0, max: 255 }),
  }),
  steps: fc.array(
    fc.record({
      target: anAddress,
      value: aWord,
      approveToken: anAddress,
      spender: anAddress,
      needToken: anAddress,
      needAmount: aWord,
      patches: fc.array(fc.record({ offset: aWord, token: anAddress, mul: aWord, div: aWord }), {
        maxLength: 3,
      }),
      data: fc.uint8Array({ maxLength: 100 }).map((raw) => toHex(raw)),
    }),
    { maxLength: 4 },
  ),
  sweep: fc.array(anAddress, { maxLength: 3 }),
});

describe("encodeRouterCall() and decodeRouterCall()", () => {
  test("round-trip every call", () => {
    fc.assert(
      fc.property(aCall, (call) => {
        expect(decodeRouterCall(encodeRouterCall(call))).toEqual(call);
      }),
      { numRuns: 300 },
    );
  });

  test("encode different calls differently", () => {
    fc.assert(
      fc.property(aCall, aCall, (a, b) => {
        const differ = JSON.stringify(a, replaceBig) !== JSON.stringify(b, replaceBig);
        expect(encodeRouterCall(a) !== encodeRouterCall(b)).toBe(differ);
      }),
    );
  });

  test.each<[string, Hex]>([
    ["nothing", "0x"],
    ["another function of the Router's", toFunctionSelector("executorImplementation()")],
    ["another contract's", `0x6e553f65${"00".repeat(64)}`],
    ["the selector alone", toFunctionSelector(depositRouterAbi.filter(isExecute)[0] as never)],
  ])("refuse other calldata: %s", (_what, data) => {
    expect(() => decodeRouterCall(data)).toThrow();
  });

  test("refuse truncated calldata", () => {
    const call = encodeRouterCall({
      order: {
        tokenIn: USDC,
        amountIn: 1n,
        minIn: 1n,
        nativeFee: 0n,
        tokenOut: VAULT,
        receiver: USER,
        minOut: 1n,
        minOutPerIn: 0n,
        deadline: 1n,
        direct: true,
        refundTo: USER,
        ref: REF,
        partnerId: REF,
        partnerType: 0,
      },
      steps: [callOnlyStep({ target: OTHER, value: 1n, data: "0x1234" })],
      sweep: [],
    });
    for (const cut of [2, 64, 128]) {
      expect(() => decodeRouterCall(call.slice(0, -cut - 64) as Hex)).toThrow();
    }
  });

  test("callOnlyStep() neither approves nor patches", () => {
    expect(callOnlyStep({ target: OTHER, value: 5n, data: "0x12" })).toEqual({
      target: OTHER,
      value: 5n,
      data: "0x12",
      approveToken: zeroAddress,
      spender: zeroAddress,
      needToken: zeroAddress,
      needAmount: 0n,
      patches: [],
    });
  });
});

describe("decodeRouterError()", () => {
  const errors = depositRouterAbi.filter((item) => item.type === "error");

  test.each(errors.map((item) => [item.name, item] as const))(
    "%s is read with its arguments",
    (name, item) => {
      const args = item.inputs.map(({ type }) =>
        type === "address" ? OTHER : type === "bytes" ? "0x1234" : 7n,
      );
      const data = encodeErrorResult({ abi: [item], errorName: name, args } as never);
      expect(decodeRouterError(data)).toEqual({ name, args });
    },
  );

  test.each<Hex>(["0x", "0x12345678", "0x1234"])("returns null for %s", (data) => {
    expect(decodeRouterError(data)).toBe(null);
  });
});

describe("executedOrders()", () => {
  test("returns the Router's own OrderExecuted events in order", () => {
    const logs = [
      transferLog(),
      executedLog({ amountOut: 1n }),
      executedLog({ emitter: OTHER }),
      executedLog({ amountOut: 2n }),
    ];
    expect(executedOrders(logs).map(({ args }) => args.amountOut)).toEqual([1n, 2n]);
    expect(executedOrders([executedLog()])[0]?.args).toEqual({
      ref: REF,
      partnerId: `0x${"00".repeat(32)}`,
      receiver: USER,
      payer: USER,
      tokenIn: USDC,
      tokenOut: VAULT,
      amountIn: 100_000_000n,
      amountOut: 99_900_000_000_000_000_000n,
      partnerType: 0,
    });
  });

  test("accepts addresses in any case", () => {
    const lower = executedLog();
    expect(executedOrders([{ ...lower, address: lower.address.toLowerCase() as Address }])).toHaveLength(1);
  });
});

function replaceBig(_key: string, item: unknown): unknown {
  return typeof item === "bigint" ? item.toString() : item;
}

function isExecute(item: (typeof depositRouterAbi)[number]): boolean {
  return item.type === "function" && item.name === "execute";
}
