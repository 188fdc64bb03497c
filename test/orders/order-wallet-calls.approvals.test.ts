import { decodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { encodeApprovals } from "../../src/orders/order-wallet-calls.ts";
import { OTHER, USDC } from "../support/deposits/fixtures.ts";

describe("encodeApprovals()", () => {
  const approval = { token: USDC, spender: OTHER, amount: 5n };
  const amounts = (reset: boolean) =>
    encodeApprovals({ ...approval, reset }).map(({ target, value, data }) => {
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
      return [target, value, functionName, args];
    });

  test("approves exactly the amount for exactly the spender", () => {
    expect(amounts(false)).toEqual([[USDC, 0n, "approve", [OTHER, 5n]]]);
  });

  test("resets an existing allowance to zero first when asked", () => {
    expect(amounts(true)).toEqual([
      [USDC, 0n, "approve", [OTHER, 0n]],
      [USDC, 0n, "approve", [OTHER, 5n]],
    ]);
  });

  test("returns no approval for native money", () => {
    expect(encodeApprovals({ ...approval, token: zeroAddress, reset: true })).toEqual([]);
  });
});
