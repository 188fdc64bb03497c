import { type Hex, numberToHex, toFunctionSelector, toHex } from "viem";
import { expect, test } from "vitest";
import { prepareClaim } from "../../src/orders/prepare-order-claim.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { transferLog } from "../support/deposits/logs.ts";

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

/** Prepares a call that changes the balance that is read from 100 to `after` in the simulation, with these logs. */
async function claimThat(after: bigint | null, logs: readonly object[], pays: { paysBack?: true } = {}) {
  const request = async () => {
    const balance = (value: bigint | null) => ({
      status: "0x1",
      returnData: value === null ? "0x" : toHex(value, { size: 32 }),
      gasUsed: "0x1",
    });
    const made = { status: "0x1", returnData: "0x", gasUsed: "0x1", logs };
    return [
      { number: "0x5", timestamp: numberToHex(HEAD_TIME), calls: [balance(100n), made, balance(after)] },
    ];
  };
  const ctx = testContext({
    clients: [{ ...contractsClient(() => ({ ok: false, data: "0x" })), request }],
  });
  const call = { target: VAULT, data: "0x12345678", ...pays } as const;
  return prepareClaim(ctx, { vault, user: USER, call, headTime: HEAD_TIME });
}

const paid = (token: typeof USDC) => {
  const { address, topics, data } = transferLog({ token, to: USER, value: 7n });
  return { address, topics, data, logIndex: "0x0" };
};
const minted = paid(vault.shareToken);

test("prepareClaim() warns of a claim that does not show what it brings", async () => {
  const { next, refusal } = await claimThat(null, []);
  expect(refusal).toBeNull();
  expect(next?.warnings).toMatchObject([{ code: "received_unknown" }]);
});

test("prepareClaim() offers a claim that brings shares", async () => {
  const { next, refusal } = await claimThat(107n, [minted]);
  expect({ kind: next?.kind, refusal }).toEqual({ kind: "claim", refusal: null });
});

test.each([
  ["brings nothing", 100n, [], "zero_shares"],
  ["takes shares", 93n, [], "price_unsafe"],
  ["raises the balance without a transfer", 107n, [], "zero_shares"],
] as const)("prepareClaim() offers no claim that %s", async (_, after, logs, code) => {
  const { next, refusal } = await claimThat(after, logs);
  expect({ next, code: refusal?.code }).toEqual({ next: null, code });
});

test("prepareClaim() offers a claim that pays assets of a cancelled request back", async () => {
  const back = { paysBack: true } as const;
  const { next, refusal } = await claimThat(107n, [paid(USDC)], back);
  expect({ kind: next?.kind, refusal }).toEqual({ kind: "claim", refusal: null });
  expect((await claimThat(107n, [minted], back)).refusal).toEqual({
    code: "zero_shares",
    detail: `${vault.name} would give no assets for this request now`,
  });
});
