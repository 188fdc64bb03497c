import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { nextStep } from "../deposits/next-deposit-step.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import { currentState, statusOf } from "../tracking/deposits/deposit-state-machine.ts";
import { pollAfter, readDepositSteps } from "../tracking/deposits/tracked-deposit-steps.ts";
import type { FoundTransaction } from "./status-transaction-match.ts";
import { depositSides, untrackedSides } from "./status-transfer-sides.ts";
import type { UntrackedStatus } from "./status-untracked-transaction.ts";

/** A deposit's steps, and its next transaction or the reason why there is none. */
type DepositActions = Pick<NonNullable<TransferStatus["deposit"]>, "next" | "next_refusal" | "steps">;

/**
 * Converts a tracked deposit to the transfer status that the API returns, with its steps and its next transaction, if
 * any, newly built and simulated, or the reason why that was not possible. Throws `store_unavailable`.
 */
export async function toTransferStatus(ctx: Context, row: DepositRow): Promise<TransferStatus> {
  const state = currentState(row, ctx.now());
  const { next, refusal: next_refusal } = await nextStep(ctx, row);
  const steps = await readDepositSteps(ctx, { row, state, next });
  return statusOfRow(ctx, { row, actions: { next, next_refusal, steps } });
}

/**
 * Converts a deposit to a transfer status without steps or a next transaction. Use it for a transaction that offers the
 * user nothing to continue, such as a replay. Throws `store_unavailable`.
 */
export function toStatusWithoutSteps(ctx: Context, row: DepositRow): Promise<TransferStatus> {
  return statusOfRow(ctx, { row, actions: { next: null, next_refusal: null, steps: [] } });
}

async function statusOfRow(
  ctx: Context,
  { row, actions }: { row: DepositRow; actions: DepositActions },
): Promise<TransferStatus> {
  const state = currentState(row, ctx.now());
  return {
    ...statusOf(state, row.substatus),
    ...(await depositSides(ctx, row)),
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    deposit: { tracking_id: row.trackingId, state, shares: row.shares, ...actions },
    withdrawal: null,
    poll_after_ms: pollAfter(state, actions.steps),
  };
}

/** Recommended time before the next read of a transaction without a deposit, by its status, in milliseconds. */
const UNTRACKED_POLL_MS: Readonly<Record<string, number>> = { NOT_FOUND: 3_000, PENDING: 5_000 };
/** Recommended time before the next read of a transaction with a final status, in milliseconds. */
const DONE_POLL_MS = 60_000;

/**
 * Converts the classification of a transaction that belongs to no recorded deposit or withdrawal to the transfer status
 * that the API returns. Throws `store_unavailable`.
 */
export async function toUntrackedStatus(
  ctx: Context,
  { found, verdict }: { found: FoundTransaction; verdict: UntrackedStatus },
): Promise<TransferStatus> {
  const absent = verdict.status === "NOT_FOUND" || verdict.status === "INVALID";
  return {
    status: verdict.status,
    substatus: verdict.substatus,
    ...(await untrackedSides(ctx, { found, verdict: absent ? null : verdict })),
    bridge: null,
    router_explorer: null,
    deposit: null,
    withdrawal: null,
    poll_after_ms: UNTRACKED_POLL_MS[verdict.status] ?? DONE_POLL_MS,
  };
}
