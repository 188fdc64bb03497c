import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, maxUint256 } from "viem";
import { describe, expect, test } from "vitest";
import { handlerAbi, instructionsParameters } from "../../../src/providers/across/across-abi.ts";
import {
  decodeBalanceCall,
  decodeInstructions,
  encodeAcrossDelivery,
  encodeAcrossDeposit,
  type HandlerCall,
} from "../../../src/providers/across/across-calldata.ts";
import { findDepositDifferences } from "../../../src/providers/across/verify-across-deposit.ts";
import {
  call,
  HANDLER,
  ROUTER,
  requestOf,
  routeOf,
  SPOKE_1,
  USDC_1,
  USDC_42161,
  USER,
} from "../../support/across/stage.ts";

const request = requestOf();
const route = routeOf(request);
const THIEF: Address = "0x6666666666666666666666666666666666666666";

test("encodeAcrossDelivery() clears the allowance, approves the delivered balance and makes the call", () => {
  const { recipient, message } = encodeAcrossDelivery(request, route);
  const { calls, fallbackRecipient } = decodeInstructions(message);
  expect([recipient, fallbackRecipient]).toEqual([HANDLER, USER]);
  const approve = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [ROUTER, amount] });
  expect(calls[0]).toEqual({ target: USDC_42161, callData: approve(0n), value: 0n });
  expect(decodeBalanceCall(calls[1]?.callData ?? "0x")).toEqual({
    target: USDC_42161,
    callData: approve(0n),
    value: 0n,
    replacement: [{ token: USDC_42161, offset: 36n }],
  });
  expect(calls[2]).toEqual({ target: ROUTER, callData: call.data, value: 0n });
  expect(calls).toHaveLength(3);
});

interface Crafted {
  calls: readonly HandlerCall[];
  fallbackRecipient: Address;
}

/** What verify says to a transfer with this message in the place of ours. */
function judge(craft: (honest: Crafted) => Crafted): string[] {
  const terms = {
    outputAmount: 99_900_000n,
    quoteTimestamp: 1_900_000_000,
    fillDeadline: 1_900_007_200,
    exclusiveRelayer: HANDLER,
    exclusivityParameter: 0,
    estimatedSeconds: 3,
  };
  const honest = decodeInstructions(encodeAcrossDelivery(request, route).message);
  const message = encodeAbiParameters(instructionsParameters, [craft(honest)]);
  const expected = { request, route, terms, integratorId: null };
  const data = encodeAcrossDeposit({ ...expected, delivery: { recipient: HANDLER, message } });
  return findDepositDifferences({ to: SPOKE_1, data, value: 0n }, expected);
}

const approveOf = (spender: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });

interface Approval {
  target: Address;
  callData: Hex;
  value: bigint;
  replacement: { token: Address; offset: bigint }[];
}
const honestApproval: Approval = {
  target: USDC_42161,
  callData: approveOf(ROUTER, 0n),
  value: 0n,
  replacement: [{ token: USDC_42161, offset: 36n }],
};

function withApproval(change: Partial<Approval>) {
  const { target, callData, value, replacement } = { ...honestApproval, ...change };
  const args = [target, callData, value, replacement] as const;
  const data = encodeFunctionData({ abi: handlerAbi(), functionName: "makeCallWithBalance", args });
  return replaceCall(1, { callData: data });
}

function replaceCall(index: number, change: Partial<HandlerCall>) {
  return (honest: Crafted): Crafted => ({
    ...honest,
    calls: honest.calls.map((item, at) => (at === index ? { ...item, ...change } : item)),
  });
}

const extra: HandlerCall = { target: USDC_42161, callData: approveOf(THIEF, maxUint256), value: 0n };

describe("findDepositDifferences() with a crafted message", () => {
  test("accepts the expected message", () => {
    expect(judge((honest) => honest)).toEqual([]);
    expect(judge(withApproval({}))).toEqual([]);
  });

  test.each<[string, (honest: Crafted) => Crafted, string[]]>([
    [
      "a zero fallback recipient",
      (m) => ({ ...m, fallbackRecipient: "0x0000000000000000000000000000000000000000" }),
      ["fallbackRecipient"],
    ],
    ["another fallback recipient", (m) => ({ ...m, fallbackRecipient: THIEF }), ["fallbackRecipient"]],
    ["no calls", (m) => ({ ...m, calls: [] }), ["calls"]],
    ["one call less", (m) => ({ ...m, calls: m.calls.slice(0, 2) }), ["calls"]],
    ["one call more", (m) => ({ ...m, calls: [...m.calls, extra] }), ["calls"]],
    ["native money with a call", replaceCall(2, { value: 1n }), ["callValues"]],
    ["another target", replaceCall(2, { target: THIEF }), ["callTarget"]],
    ["other calldata", replaceCall(2, { callData: "0xfeedc0de" }), ["callData"]],
    ["a cleared allowance of another token", replaceCall(0, { target: USDC_1 }), ["clear"]],
    ["a theft in place of the clearing", replaceCall(0, extra), ["clear"]],
    ["a cleared allowance of another spender", replaceCall(0, { callData: approveOf(THIEF, 0n) }), ["clear"]],
    ["another approver", replaceCall(1, { target: THIEF }), ["approver"]],
    ["an approval of another token", withApproval({ target: USDC_1 }), ["approvedToken"]],
    ["an approval with native money", withApproval({ value: 1n }), ["approvedToken"]],
    ["an approval of another spender", withApproval({ callData: approveOf(THIEF, 0n) }), ["approval"]],
    ["an approval of a fixed amount", withApproval({ callData: approveOf(ROUTER, 1n) }), ["approval"]],
    [
      "the balance of another token",
      withApproval({ replacement: [{ token: USDC_1, offset: 36n }] }),
      ["approvedAmount"],
    ],
    [
      "another offset of the balance",
      withApproval({ replacement: [{ token: USDC_42161, offset: 4n }] }),
      ["approvedAmount"],
    ],
    ["no balance", withApproval({ replacement: [] }), ["approvedAmount"]],
    [
      "two balances",
      withApproval({ replacement: [...honestApproval.replacement, ...honestApproval.replacement] }),
      ["approvedAmount"],
    ],
  ])("refuses %s", (_, craft, differences) => {
    expect(judge(craft)).toEqual(differences);
  });

  test("refuses an approval that is not a balance call", () => {
    expect(judge(replaceCall(1, { callData: approveOf(ROUTER, 1n) }))).not.toEqual([]);
  });
});
