import { describe, expect, test } from "vitest";
import type { StepLeg, StepPlan } from "../../src/orders/order-steps.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import type { NextStep } from "../../src/schemas/deposit-schema.ts";
import type { WithdrawalNextStep } from "../../src/schemas/withdrawal-schema.ts";
import { readDepositSteps } from "../../src/tracking/deposits/tracked-deposit-steps.ts";
import { readWithdrawalSteps } from "../../src/withdrawals/withdrawal-steps.ts";
import { row as depositRow, USDC, VAULT, vault } from "../support/deposits/fixtures.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import { createWithdrawalFixture, EXCHANGE, fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const { chainId } = vault;
const AMOUNT = "101000000";
const USDC_TOKEN = { address: USDC, symbol: "USDC", decimals: 6 };
const leg = { chainId, token: USDC_TOKEN, amount: AMOUNT, spender: null, reset: false, transaction: null };
const source: StepLeg = { ...leg, slot: "source", purpose: "transfer", allowed: true };
const destination: StepLeg = { ...leg, slot: "destination", purpose: "deposit", allowed: false };
const plan: StepPlan = { source, destination, settles: false };

const request = { to: VAULT, data: "0x12", value: "0", chain_id: chainId, gas_limit: null } as const;
const CALL = { to: VAULT, data: "0x12", value: "0x0", chain_id: "0x7a69" } as const;
const approvalFor = (spender_address: string) => ({ token_address: USDC, spender_address, amount: AMOUNT });

/** A second step as it is built now: with the approvals that are still needed, of an allowance for `spender`. */
interface Built {
  approvals: number;
  spender?: string;
  stored?: object | null;
  sent?: boolean;
}

/** The directions, with what each shows of a second step's approvals, and how often it stores something. */
const directions = {
  deposit: async ({ approvals, spender = depositRouterAddress, stored = plan, sent = false }: Built) => {
    const { ctx } = await createWithdrawalFixture({});
    const db = fixedDatabase(() => (stored === null ? [] : [{ plan: stored }]));
    const state = "awaiting_deposit" as const;
    const calls = Array.from({ length: approvals + 1 }, () => CALL);
    const next: NextStep = {
      ...{
        kind: "deposit",
        transaction_request: request,
        approval: approvalFor(spender),
        calls,
        warnings: [],
      },
    };
    const row = {
      ...depositRow,
      state,
      twoStep: true,
      moveToken: USDC.toLowerCase(),
      deliveredAmount: AMOUNT,
    };
    const steps = await readDepositSteps(
      { ...ctx, db },
      { row: { ...row, ...(sent && { depositTxHash: `0x${"22".repeat(32)}` }) }, state, next },
    );
    return shown(steps, db.written.length);
  },
  withdrawal: async ({ approvals, spender = EXCHANGE, stored = plan, sent = false }: Built) => {
    const { ctx } = await createWithdrawalFixture({});
    const db = fixedDatabase(() => (stored === null ? [] : [{ plan: stored }]));
    const state = "awaiting_transfer" as const;
    const calls = Array.from({ length: approvals + 1 }, () => CALL);
    const next: WithdrawalNextStep = {
      ...{
        kind: "transfer",
        transaction_request: request,
        approval: approvalFor(spender),
        calls,
        warnings: [],
      },
      warnings: [],
    };
    const row = { ...withdrawalRow, state, twoStep: true, assets: AMOUNT };
    const steps = await readWithdrawalSteps(
      { ...ctx, db },
      { row: { ...row, ...(sent && { depositTxHash: `0x${"22".repeat(32)}` }) }, state, next },
    );
    return shown(steps, db.written.length);
  },
};

function shown(steps: readonly { step_id: string; state: string }[], notes: number) {
  const states = steps.flatMap(({ step_id: id, state }) =>
    id.startsWith("destination.") ? [`${id.replace("destination.", "")}: ${state}`] : [],
  );
  return { states, notes };
}

describe.each([
  ["deposit", depositRouterAddress, "deposit"],
  ["withdrawal", EXCHANGE, "deposit"],
] as const)("of the second step of a %s", (direction, spender, last) => {
  const read = directions[direction];
  const asked = { ...plan, asked: [spender.toLowerCase()] };

  test("an approval that was asked for and is not needed any more is done", async () => {
    expect(await read({ approvals: 0, stored: asked })).toEqual({
      states: ["approve: done", `${last}: required`],
      notes: 0,
    });
    const sent = await read({ approvals: 0, stored: asked, sent: true });
    expect(sent.states).toEqual(["approve: done", `${last}: waiting`]);
  });

  test("an approval that was never asked for is skipped", async () => {
    const skipped = { states: ["approve: skipped", `${last}: required`], notes: 0 };
    expect(await read({ approvals: 0 })).toEqual(skipped);
    const other = { ...plan, asked: ["0x00000000000000000000000000000000000000f9"] };
    expect(await read({ approvals: 0, stored: other })).toEqual(skipped);
  });

  test("an approval that is needed is required, and it is stored once that it was asked for", async () => {
    const required = ["approve: required", `${last}: required`];
    expect(await read({ approvals: 1 })).toEqual({ states: required, notes: 1 });
    expect(await read({ approvals: 1, stored: asked })).toEqual({ states: required, notes: 0 });
    const [reset] = (await read({ approvals: 2 })).states;
    expect(reset).toBe("approve_reset: required");
  });

  test("without a readable plan, nothing is stored, and what is not needed is skipped", async () => {
    const none = await read({ approvals: 1, stored: null });
    expect(none.notes).toBe(0);
    const broken = { ...plan, asked: "all" };
    expect((await read({ approvals: 0, stored: broken })).states[0]).toBe("approve: skipped");
  });
});
