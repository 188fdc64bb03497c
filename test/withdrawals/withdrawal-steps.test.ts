import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import type { StepLeg, StepPlan } from "../../src/orders/order-steps.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import type { WithdrawalNextStep, WithdrawalState } from "../../src/schemas/withdrawal-schema.ts";
import {
  pollWithdrawalAfter,
  readWithdrawalSteps,
  toWithdrawalSteps,
} from "../../src/withdrawals/withdrawal-steps.ts";
import { testContext } from "../support/context.ts";
import { USDC, VAULT, vault } from "../support/deposits/fixtures.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import { createWithdrawalFixture, fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const request = { to: VAULT, data: "0x12", value: "0", chain_id: vault.chainId, gas_limit: null } as const;
const shares = { address: VAULT, symbol: "", decimals: 18 };
const usdc = { address: USDC, symbol: "USDC", decimals: 6 };
const source: StepLeg = {
  ...{ slot: "source", purpose: "redeem", chainId: vault.chainId, token: shares, shares_of: vault.name },
  ...{ amount: "100000000000000000000", spender: depositRouterAddress, allowed: false, reset: false },
  transaction: request,
};
const instant: StepPlan = { source, destination: null, settles: false };
const requested: StepPlan = {
  ...instant,
  source: { ...source, purpose: "request", spender: null, allowed: true },
  settles: true,
};
const twoStep: StepPlan = {
  ...instant,
  destination: {
    ...{ slot: "destination", purpose: "transfer", chainId: vault.chainId, token: usdc },
    ...{ amount: "101000000", spender: null, allowed: true, reset: false, transaction: null },
  },
};
const HASH = `0x${"11".repeat(32)}`;
const SOURCE = `0x${"22".repeat(32)}`;

interface Case {
  state: WithdrawalState;
  plan?: StepPlan;
  row?: Partial<typeof withdrawalRow>;
  next?: WithdrawalNextStep["kind"];
  allowance?: bigint | null;
}
const CALL = { to: VAULT, data: "0x12", value: "0x0", chain_id: "0x7a69" } as const;
const nextOf = (kind: WithdrawalNextStep["kind"]): WithdrawalNextStep => ({
  ...{ kind, transaction_request: request, approval: null, calls: [CALL], warnings: [] },
});
/** The steps as `<id>: <state>`. */
const stepsOf = ({ state, plan = instant, row = {}, next, allowance = null }: Case): string[] =>
  toWithdrawalSteps({
    ...{ row: { ...withdrawalRow, state, ...row }, state, plan, allowance, asked: [] },
    next: next === undefined ? null : nextOf(next),
  }).map(({ step_id, state: own }) => `${step_id}: ${own}`);

describe("toWithdrawalSteps() of a redemption at once", () => {
  test.each<[string, Case, string[]]>([
    ["is approved first", { state: "built" }, ["source.approve: required", "source.redeem: required"]],
    [
      "needs no approval again",
      { state: "built", allowance: 100n * 10n ** 18n },
      ["source.approve: done", "source.redeem: required"],
    ],
    [
      "waits once its hash is known",
      { state: "built", row: { sourceTxHash: HASH } },
      ["source.approve: done", "source.redeem: waiting"],
    ],
    ["waits for its block", { state: "submitted" }, ["source.approve: done", "source.redeem: waiting"]],
    ["is done", { state: "completed" }, ["source.approve: done", "source.redeem: done"]],
    ["is over", { state: "expired" }, ["source.approve: skipped", "source.redeem: skipped"]],
    ["failed", { state: "failed" }, ["source.approve: skipped", "source.redeem: skipped"]],
  ])("%s", (_name, of, steps) => {
    expect(stepsOf(of)).toEqual(steps);
  });
});

test("toWithdrawalSteps() names the shares in the step that takes them back, whatever the vault pays", () => {
  const plan: StepPlan = { ...twoStep, source: requested.source, settles: true };
  const row = { ...withdrawalRow, state: "requested" } as const;
  const steps = toWithdrawalSteps({
    ...{ row, state: row.state, plan, allowance: null, asked: [], next: nextOf("cancel") },
  });
  expect(steps.find(({ purpose }) => purpose === "cancel")?.token).toEqual(shares);
  expect(steps.find(({ purpose }) => purpose === "claim")?.token).toEqual(usdc);
});

describe("toWithdrawalSteps() of a request", () => {
  const plan = requested;
  test.each<[string, Case, string[]]>([
    ["asks for the claim later", { state: "built", plan }, ["source.request: required", "claim: waiting"]],
    ["waits for the vault", { state: "requested", plan }, ["source.request: done", "claim: waiting"]],
    ["claims", { state: "claimable", plan, next: "claim" }, ["source.request: done", "claim: required"]],
    [
      "does not claim twice",
      { state: "claimable", plan, next: "claim", row: { claimTxHash: HASH } },
      ["source.request: done", "claim: waiting"],
    ],
    [
      "cancels what expired",
      { state: "requested", plan, next: "cancel" },
      ["source.request: done", "claim: waiting", "cancel: required"],
    ],
    [
      "does not cancel twice",
      { state: "requested", plan, next: "cancel", row: { refundTxHash: HASH } },
      ["source.request: done", "claim: waiting", "cancel: waiting"],
    ],
    [
      "has claimed",
      { state: "completed", plan, row: { claimTxHash: HASH } },
      ["source.request: done", "claim: done"],
    ],
    ["was paid without a claim", { state: "completed", plan }, ["source.request: done", "claim: skipped"]],
    ["was rejected", { state: "rejected", plan }, ["source.request: done", "claim: skipped"]],
  ])("%s", (_name, of, steps) => {
    expect(stepsOf(of)).toEqual(steps);
  });

  test.each<[string, Case, string[]]>([
    ["is sent", { state: "built" }, ["source.request: required"]],
    ["lasts until the vault pays", { state: "requested" }, ["source.request: waiting"]],
    ["is over", { state: "completed", row: { claimTxHash: HASH } }, ["source.request: done"]],
    [
      "is cancelled after its time",
      { state: "requested", next: "cancel" },
      ["source.request: waiting", "cancel: required"],
    ],
    [
      "is claimed by an account that must do so",
      { state: "claimable", next: "claim" },
      ["source.request: done", "claim: required"],
    ],
    ["was rejected", { state: "rejected" }, ["source.request: done"]],
  ])("that the vault pays without a claim %s", (_name, of, steps) => {
    expect(stepsOf({ ...of, plan: { ...requested, unclaimed: true } })).toEqual(steps);
  });

  test("a plain redemption that the vault queued gets a claim", () => {
    expect(stepsOf({ state: "requested" })).toContain("claim: waiting");
  });

  test("a redemption that took the shares and paid nothing was sent", () => {
    expect(stepsOf({ state: "failed", row: { shares: "100" } })).toEqual([
      "source.approve: done",
      "source.redeem: done",
    ]);
  });

  test("a request that expired after it was made is a step that was done", () => {
    const at = withdrawalRow.createdAt.toISOString();
    const history = [...withdrawalRow.history, { state: "requested" as const, at }];
    expect(stepsOf({ state: "failed", plan, row: { history } })[0]).toBe("source.request: done");
  });
});

describe("toWithdrawalSteps() of two steps", () => {
  const plan = twoStep;
  test("the second waits for the vault's payment, and then takes what arrived", () => {
    expect(stepsOf({ state: "submitted", plan }).at(-1)).toBe("destination.transfer: waiting");
    const steps = toWithdrawalSteps({
      ...{ state: "awaiting_transfer", plan, allowance: null, asked: [], next: nextOf("transfer") },
      row: { ...withdrawalRow, state: "awaiting_transfer", assets: "100500000" },
    });
    expect(steps.at(-1)).toMatchObject({
      state: "required",
      amount: "100500000",
      transaction_request: request,
    });
  });

  test("the second approves and takes what a rebasing token credited", () => {
    const next = nextOf("transfer");
    const approval = { token_address: USDC, spender_address: VAULT, amount: "100499998" };
    const steps = toWithdrawalSteps({
      ...{ state: "awaiting_transfer", plan, allowance: null, asked: [] },
      ...{
        row: { ...withdrawalRow, state: "awaiting_transfer", assets: "100500000" },
        next: { ...next, approval },
      },
    });
    expect(steps.at(-1)).toMatchObject({ step_id: "destination.transfer", amount: "100499998" });
  });

  test.each<[WithdrawalState, string]>([
    ["bridging", "destination.transfer: waiting"],
    ["completed", "destination.transfer: done"],
  ])("once it was seen, %s is %s", (state, last) => {
    expect(stepsOf({ state, plan, row: { depositTxHash: HASH, depositProven: true } }).at(-1)).toBe(last);
  });

  test.each<WithdrawalState>(["awaiting_transfer", "bridging", "completed"])(
    "the second has the amount that the vault paid without a transaction to send too, as %s",
    (state) => {
      const row = { ...withdrawalRow, state, assets: "100500000", depositProven: true };
      const steps = toWithdrawalSteps({ row, state, plan, allowance: null, asked: [], next: null });
      expect(steps.at(-1)).toMatchObject({ step_id: "destination.transfer", amount: "100500000" });
    },
  );

  test("the second has no amount once the vault has paid and it is unknown, and the estimate before", () => {
    const amountOf = (state: WithdrawalState, next: WithdrawalNextStep | null = null) =>
      toWithdrawalSteps({
        ...{ state, plan, allowance: null, asked: [], next, row: { ...withdrawalRow, state } },
      }).at(-1)?.amount;
    expect(amountOf("awaiting_transfer", nextOf("transfer"))).toBeNull();
    for (const state of ["awaiting_transfer", "bridging", "completed"] as const)
      expect(amountOf(state)).toBeNull();
    expect(amountOf("requested")).toBe("101000000");
  });

  test.each<WithdrawalState>(["failed", "partial"])("nothing is left to do once it is %s", (state) => {
    expect(stepsOf({ state, plan })).not.toContainEqual(expect.stringMatching(/: (required|waiting)$/));
    expect(stepsOf({ state, plan }).at(-1)).toBe("destination.transfer: skipped");
  });
});

/** Answers of a node that does not know a transaction. */
const NO_TRANSACTION = {
  ...{ eth_getTransactionByHash: null, eth_getTransactionReceipt: null, eth_blockNumber: "0x64" },
};

describe("readWithdrawalSteps()", () => {
  const stepsFrom = async (rows: readonly object[], allowance: unknown = 0n) => {
    const { ctx } = await createWithdrawalFixture({ answers: { allowance } });
    const db = fixedDatabase(() => rows);
    const state = "built" as const;
    return readWithdrawalSteps({ ...ctx, db }, { row: withdrawalRow, state, next: null });
  };

  test("reads the allowance that the first transaction needs", async () => {
    const [approve] = await stepsFrom([{ plan: instant }]);
    expect(approve).toMatchObject({ step_id: "source.approve", state: "required" });
    const [allowed] = await stepsFrom([{ plan: instant }], 100n * 10n ** 18n);
    expect(allowed).toMatchObject({ step_id: "source.approve", state: "done" });
  });

  test("an allowance that cannot be read is not taken for granted", async () => {
    const [approve] = await stepsFrom([{ plan: instant }], undefined);
    expect(approve).toMatchObject({ step_id: "source.approve", state: "required" });
  });

  test.each<WithdrawalState>(["requested", "cooling"])(
    "a reported cancellation of what is %s is awaited",
    async (state) => {
      const stepOf = async (reported: readonly object[], isKnown = true) => {
        const { chain } = await createWithdrawalFixture({});
        const found: Record<string, unknown> = isKnown ? {} : NO_TRANSACTION;
        const ask: ChainClient["ask"] = async (question) =>
          question.method in found
            ? question.read(found[question.method], () => undefined)
            : chain.client.ask(question);
        const ctx = testContext({ clients: [{ ...chain.client, ask }] });
        const db = fixedDatabase(() => [{ plan: requested, ...reported[0] }]);
        const row = { ...withdrawalRow, state, sourceTxHash: SOURCE };
        const steps = await readWithdrawalSteps({ ...ctx, db }, { row, state, next: nextOf("cancel") });
        return steps.at(-1);
      };
      const report = { chainId: vault.chainId, origin: "report", txHash: HASH };
      expect(await stepOf([report])).toMatchObject({ step_id: "cancel", state: "waiting", tx_hash: HASH });
      expect(await stepOf([])).toMatchObject({ step_id: "cancel", state: "required", tx_hash: null });
      // A dropped transaction, or one that never was, must not keep the shares from coming back.
      expect(await stepOf([report], false)).toMatchObject({ step_id: "cancel", state: "required" });
      const earlier = { ...report, txHash: SOURCE };
      expect(await stepOf([earlier])).toMatchObject({ step_id: "cancel", state: "required" });
    },
  );

  test("without a stored plan the row says what there is, without transactions", async () => {
    const steps = await stepsFrom([]);
    expect(steps).toMatchObject([{ step_id: "source.redeem", state: "required", transaction_request: null }]);
  });
});

test.each<[WithdrawalState, WithdrawalNextStep["kind"] | null, number]>([
  ["built", null, 3_000],
  ["claimable", "claim", 3_000],
  ["claimable", null, 3_000],
  ["submitted", null, 3_000],
  ["bridging", null, 5_000],
  ["requested", null, 60_000],
  ["cooling", null, 60_000],
  // The user can take the shares back, and waits for that.
  ["requested", "cancel", 3_000],
  ["cooling", "cancel", 3_000],
  ["completed", null, 60_000],
])("pollWithdrawalAfter(): %s with the next step %s is read again after %i ms", (state, kind, ms) => {
  expect(pollWithdrawalAfter(state, kind === null ? null : nextOf(kind))).toBe(ms);
});
