import { describe, expect, test } from "vitest";
import { toTransactionRequest, toWalletCall } from "../../src/orders/order-wallet-calls.ts";
import { VAULT } from "../support/deposits/fixtures.ts";

describe("toTransactionRequest() and toWalletCall()", () => {
  test("write calldata in lower case", () => {
    const call = { target: VAULT, data: "0xAb5425c6FF", value: 1n } as const;
    expect(toTransactionRequest(call, { chainId: 1, gasUsed: 1n }).data).toBe("0xab5425c6ff");
    expect(toWalletCall(call, 1)).toEqual({ to: VAULT, data: "0xab5425c6ff", value: "0x1", chain_id: "0x1" });
  });
});
