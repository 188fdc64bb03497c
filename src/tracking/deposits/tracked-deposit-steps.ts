import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { builtSecondLeg } from "../../orders/order-asked-approvals.ts";
import {
  type LegFacts,
  type StepLeg,
  type StepPlan,
  toLegSteps,
  toRequestStep,
} from "../../orders/order-steps.ts";
import { readStepState } from "../../orders/read-order-step-state.ts";
import type { DepositState, NextStep } from "../../schemas/deposit-schema.ts";
import type { Step, StepState, TokenRef } from "../../schemas/step-schema.ts";
import { findToken } from "../../vaults/find-vault-token.ts";
import { isClaimed } from "./deposit-state-machine.ts";
import { confirmedOn } from "./deposit-transaction-reader.ts";

/** A deposit with its current state and the user's next transaction, or null if there is none. */
interface SteppedDeposit {
  row: DepositRow;
  state: DepositState;
  next: NextStep | null;
}

/** A deposit with what its second step depends on. */
interface PlannedDeposit extends SteppedDeposit {
  plan: StepPlan;
  delivered: TokenRef | null;
  asked: readonly string[];
}

/**
 * Returns the user's steps for a deposit in order, each with its state. If the allowance cannot be read, that of the
 * build decides; if no readable plan is stored, the first step has no transaction. Throws `store_unavailable`.
 */
export async function readDepositSteps(ctx: Context, deposit: SteppedDeposit): Promise<Step[]> {
  const { row, state, next } = deposit;
  const column = REPORTED_COLUMN[state];
  const chainId = column === "sourceTxHash" ? row.fromChainId : row.vaultChainId;
  const read = await readStepState(ctx, {
    row,
    awaited: column === undefined ? null : { column, chainId },
    earlier: [row.sourceTxHash, row.destinationTxHash, row.depositTxHash],
    ...(next?.kind === "claim" && { isOver: confirmedOn(ctx, row.vaultChainId) }),
    second: next?.kind === "deposit" ? next : null,
    isFirstRequired: (current) => sourceState(current, state) === "required",
    planOf: (current) => planOfRow(ctx, current),
  });
  return toDepositSteps({ ...deposit, ...read, delivered: await deliveredToken(ctx, row, read.plan) });
}

/**
 * Returns the token of a partial deposit's second step, which its plan does not have because the bridge was to make the
 * deposit; null for other deposits. Throws `store_unavailable`.
 */
async function deliveredToken(ctx: Context, row: DepositRow, plan: StepPlan): Promise<TokenRef | null> {
  if (row.state !== "partial" || plan.destination !== null || row.moveToken === null) return null;
  return findToken(ctx, { chainId: row.vaultChainId, address: row.moveToken });
}

/** Column of the transaction that each state waits for. */
const REPORTED_COLUMN: Readonly<
  Partial<Record<DepositState, "sourceTxHash" | "depositTxHash" | "claimTxHash">>
> = {
  built: "sourceTxHash",
  awaiting_deposit: "depositTxHash",
  partial: "depositTxHash",
  claimable: "claimTxHash",
};

/**
 * Returns the steps of a deposit in order, each transaction after its approvals or the signature that replaces them.
 * `allowance`, for the first transaction, is in the token's smallest unit, or null if unknown or not needed. `delivered`
 * is the token of a second step that the plan does not have; `asked` as in `builtSecondLeg`. Pure.
 */
export function toDepositSteps(deposit: PlannedDeposit & { allowance: bigint | null }): Step[] {
  const { row, state, next, plan, allowance } = deposit;
  const second = secondLeg(deposit);
  // The step of a request is not over before the vault has sent the shares, unless a claim follows it.
  const sends = plan.unclaimed === true && state === "requested";
  const source = {
    state: sends && second === null ? "waiting" : sourceState(row, state),
    txHash: row.sourceTxHash,
    allowance,
    approvalsWait: false,
  } as const;
  const claim = next?.kind === "claim" ? next.transaction_request : null;
  const settles = plan.settles || state === "requested" || state === "claimable";
  const claims = claim !== null || (settles && plan.unclaimed !== true);
  return [
    ...toLegSteps(plan.source, source),
    ...(second === null
      ? []
      : toLegSteps(second.leg, sends ? { ...second.facts, state: "waiting" } : second.facts)),
    ...(claims
      ? [
          toRequestStep({
            purpose: "claim",
            chainId: row.vaultChainId,
            token: null,
            request: claim,
            state: claimState(row, { state, ready: claim !== null }),
            txHash: row.claimTxHash,
          }),
        ]
      : []),
  ];
}

/** Returns the state of the first transaction. */
function sourceState(row: DepositRow, state: DepositState): StepState {
  switch (state) {
    case "built":
      return row.sourceTxHash === null ? "required" : "waiting";
    case "expired":
    case "abandoned":
      return "skipped";
    case "submitted":
      return "waiting";
    case "bridging":
      return row.twoStep ? "done" : "waiting";
    case "failed":
      return row.requestId === null && row.shares === null ? "skipped" : "done";
    default:
      return "done";
  }
}

/**
 * Returns the second step, on the vault's chain, with its state, or null if the deposit has none. A one-step deposit
 * gets a second step if its bridge delivered the token to the user instead of depositing it.
 */
function secondLeg({
  row,
  state,
  next,
  plan,
  delivered,
  asked,
}: PlannedDeposit): { leg: StepLeg; facts: LegFacts } | null {
  const ready = next?.kind === "deposit" ? next : null;
  const facts = secondFacts(row, { state, ready });
  const planned = plan.destination ?? unplannedLeg(row, { ready, delivered });
  if (planned === null) return null;
  const amount = row.deliveredAmount ?? planned.amount;
  if (ready === null) return { leg: { ...planned, amount }, facts };
  // Of a rebasing token, it takes what was credited.
  const taken = ready.approval?.amount ?? amount;
  const { leg, allowance } = builtSecondLeg(planned, { ready, amount: taken, asked });
  return { leg, facts: { ...facts, allowance } };
}

/** Returns the leg of a second step that the plan does not have, or null while the user neither can nor did send it. */
function unplannedLeg(
  row: DepositRow,
  { ready, delivered }: { ready: NextStep | null; delivered: TokenRef | null },
): StepLeg | null {
  if (delivered === null || (ready === null && row.depositTxHash === null)) return null;
  return {
    slot: "destination",
    purpose: "deposit",
    chainId: row.vaultChainId,
    token: delivered,
    amount: row.deliveredAmount,
    spender: null,
    allowed: true,
    reset: false,
    transaction: null,
  };
}

function secondFacts(
  row: DepositRow,
  { state, ready }: { state: DepositState; ready: NextStep | null },
): LegFacts {
  const facts = { txHash: row.depositTxHash, allowance: null };
  const as = (own: StepState, approvalsWait = false): LegFacts => ({ ...facts, state: own, approvalsWait });
  switch (state) {
    case "requested":
    case "claimable":
    case "completed":
      return as("done");
    case "awaiting_deposit":
    case "partial":
      if (row.shares !== null) return as("done");
      if (row.depositTxHash !== null) return as("waiting");
      return ready === null ? as("waiting", true) : as("required");
    case "built":
    case "submitted":
    case "bridging":
      return as("waiting", true);
    case "failed":
      return as(row.shares === null ? "skipped" : "done");
    default:
      return as("skipped");
  }
}

function claimState(row: DepositRow, { state, ready }: { state: DepositState; ready: boolean }): StepState {
  if (state === "completed" || isClaimed(row)) return row.claimTxHash === null ? "skipped" : "done";
  if (["expired", "abandoned", "partial", "refunded", "failed"].includes(state)) return "skipped";
  return ready && row.claimTxHash === null ? "required" : "waiting";
}

/** Returns a plan for a deposit without a readable stored one. Its transactions are unknown. */
async function planOfRow(ctx: Context, row: DepositRow): Promise<StepPlan> {
  const paid = await findToken(ctx, { chainId: row.fromChainId, address: row.fromToken });
  const common = { spender: null, allowed: true, reset: false, transaction: null };
  const source: StepLeg = {
    ...common,
    slot: "source",
    purpose: row.twoStep ? "transfer" : "deposit",
    chainId: row.fromChainId,
    token: paid,
    amount: row.fromAmount,
  };
  if (!row.twoStep || row.moveToken === null) return { source, destination: null, settles: false };
  const token = await findToken(ctx, { chainId: row.vaultChainId, address: row.moveToken });
  const amount = row.deliveredAmount ?? row.moveExpected;
  const second = { ...common, slot: "destination", purpose: "deposit", chainId: row.vaultChainId } as const;
  return { source, destination: { ...second, token, amount }, settles: false };
}

/** Recommended interval between two reads of a deposit, in milliseconds, by what the deposit waits for. */
const POLL_MS = { user: 3_000, chain: 3_000, bridge: 5_000, vault: 60_000, nothing: 60_000 } as const;

/**
 * Returns the recommended time before fetching a deposit with these steps again, in milliseconds: 3,000 while the user
 * or a chain must act, also in `partial`, 5,000 for a bridge, and 60,000 otherwise.
 */
export function pollAfter(state: DepositState, steps: readonly Step[]): number {
  switch (state) {
    case "built":
    case "awaiting_deposit":
    case "claimable":
      return POLL_MS.user;
    case "submitted":
      return POLL_MS.chain;
    case "bridging":
      return POLL_MS.bridge;
    case "requested":
      return POLL_MS.vault;
    case "partial":
      return steps.some(isUnderWay) ? POLL_MS.user : POLL_MS.nothing;
    default:
      return POLL_MS.nothing;
  }
}

/** Returns true for a step that the user must do, or whose transaction is not confirmed yet. */
const isUnderWay = ({ state, tx_hash }: Step): boolean =>
  state === "required" || (state === "waiting" && tx_hash !== null);
