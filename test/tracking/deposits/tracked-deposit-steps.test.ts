import { describe, expect, test } from "vitest";
import type { StepPlan } from "../../../src/orders/order-steps.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import type { NextStep } from "../../../src/schemas/deposit-schema.ts";
import { toDepositSteps } from "../../../src/tracking/deposits/tracked-deposit-steps.ts";
import { row, USDC, VAULT } from "../../support/deposits/fixtures.ts";
import { plannedBy } from "../../support/orders/signed-chain.ts";

const PAID = { address: VAULT, symbol: "EURC", decimals: 18 };
const ARRIVED = { address: USDC, symbol: "USDC", decimals: 6 };

describe("the second step of a one-transaction deposit whose bridge delivered the token instead", () => {
  const plan: StepPlan = {
    source: {
      ...{ slot: "source", purpose: "deposit", chainId: 8453, token: PAID, amount: "7", spender: null },
      ...{ allowed: true, reset: false, transaction: null, authorization: plannedBy("erc3009") },
    },
    destination: null,
    settles: false,
  };
  const partial = {
    ...row,
    state: "partial",
    moveToken: USDC.toLowerCase(),
    deliveredAmount: "99000000",
  } as const;
  const request = {
    to: depositRouterAddress,
    data: "0x12",
    value: "0",
    chain_id: row.vaultChainId,
    gas_limit: "1",
  } as const;
  const call = { to: depositRouterAddress, data: "0x12", value: "0x0", chain_id: "0x2105" };
  const next: NextStep = {
    kind: "deposit",
    transaction_request: request,
    approval: { token_address: USDC, spender_address: depositRouterAddress, amount: "99000000" },
    calls: [call, call],
    warnings: [],
  };
  const second = (of: Partial<typeof row>, now: NextStep | null) =>
    toDepositSteps({
      ...{ row: { ...partial, ...of }, state: "partial", next: now },
      ...{ plan, allowance: null, asked: [], delivered: ARRIVED },
    })
      .filter(({ step_id: id }) => id.startsWith("destination."))
      .map(({ step_id: id, state, title, tx_hash: hash }) => [id, state, title, hash]);

  test("is a transaction with its approval, although the first was paid with a signature", () => {
    expect(second({}, next)).toEqual([
      ["destination.approve", "required", "Approve 99 USDC", null],
      ["destination.deposit", "required", "Deposit 99 USDC", null],
    ]);
  });

  test("is there until it has happened, and after it", () => {
    const depositTxHash = `0x${"22".repeat(32)}` as const;
    const sent = ["destination.deposit", "waiting", "Deposit 99 USDC", depositTxHash];
    expect(second({ depositTxHash }, null)).toEqual([sent]);
    expect(second({ depositTxHash, shares: "5" }, null)).toEqual([sent.with(1, "done")]);
    expect(second({}, null)).toEqual([]);
  });

  test("has happened also if the vault gave no shares for it", () => {
    const depositTxHash = `0x${"22".repeat(32)}` as const;
    const failed = { ...partial, state: "failed", shares: "0", depositTxHash } as const;
    const steps = toDepositSteps({
      ...{ row: failed, state: "failed", next: null, plan },
      ...{ allowance: null, asked: [], delivered: ARRIVED },
    });
    expect(steps.at(-1)).toMatchObject({ step_id: "destination.deposit", state: "done" });
  });
});
