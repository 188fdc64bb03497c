import { type Hex, numberToHex, toFunctionSelector, toHex } from "viem";
import { expect, test } from "vitest";
import { prepareClaim } from "../../src/orders/prepare-order-claim.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { USER, VAULT, vault } from "../support/deposits/fixtures.ts";

const HEAD_TIME = 1_700_000_000;

/** Prepares a call that reverts with `data` in the simulation. */
async function refusalOf(data: Hex) {
  const request = async () => {
    const read = { status: "0x1", returnData: toHex(7n, { size: 32 }), gasUsed: "0x1" };
    const made = { status: "0x0", returnData: "0x", gasUsed: "0x1", error: { data } };
    return [{ number: "0x5", timestamp: numberToHex(HEAD_TIME), calls: [read, made, read] }];
  };
  const ctx = testContext({
    clients: [{ ...contractsClient(() => ({ ok: false, data: "0x" })), request }],
  });
  const call = { target: VAULT, data: "0x12345678" } as const;
  const { next, refusal } = await prepareClaim(ctx, { vault, user: USER, call, headTime: HEAD_TIME });
  expect(next).toBe(null);
  return refusal;
}

const paused = toFunctionSelector("EnforcedPause()");

test("prepareClaim() explains the revert of a deposit's claim as a deposit's", async () => {
  expect(await refusalOf(paused)).toEqual({
    code: "vault_paused",
    detail: "the claim would revert: EnforcedPause",
  });
  expect(await refusalOf("0x")).toEqual({
    code: "would_revert",
    detail: "the claim would revert: without a reason",
  });
});
