import { getAddress, type Hex } from "viem";
import type { Context } from "../context.ts";
import { addReportedHint, selectHints } from "../db/queries/deposit-hint-queries.ts";
import {
  selectWithdrawalsByUser,
  updateWithdrawal,
  type WithdrawalRow,
} from "../db/queries/deposit-queries.ts";
import { selectWithdrawal } from "../db/queries/withdrawal-queries.ts";
import { failure } from "../errors.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { Withdrawal, WithdrawalDetail, WithdrawalState } from "../schemas/withdrawal-schema.ts";
import { createTransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { queueReported } from "../tracking/follow/follow-queue-messages.ts";
import { findSharedSource } from "../tracking/track-equal-orders.ts";
import { trackWithdrawal } from "../tracking/withdrawals/track-withdrawal.ts";
import {
  currentWithdrawalState,
  nextWithdrawalState,
  statusOfWithdrawal,
} from "../tracking/withdrawals/withdrawal-state-machine.ts";
import { nextExitStep } from "./next-withdrawal-step.ts";
import { pollWithdrawalAfter, readWithdrawalSteps } from "./withdrawal-steps.ts";

/**
 * Converts the row of a withdrawal to the API format, with the state at `now` (UNIX milliseconds). `next` and
 * `next_refusal` are null: the next step is not built.
 */
export function toTrackedWithdrawal(row: WithdrawalRow, now: number): Withdrawal {
  const state = currentWithdrawalState(row, now);
  return {
    tracking_id: row.trackingId,
    state,
    ...statusOfWithdrawal(state, row.substatus),
    user_address: getAddress(row.userAddress),
    vault_id: formatVaultId({ chainId: row.vaultChainId, address: row.vaultAddress }),
    mode: row.mode,
    shares: row.shares ?? (row.fromAmount === "0" ? row.estimatedShares : row.fromAmount),
    chain_id: row.vaultChainId,
    to_chain_id: row.toChainId,
    exit_token: getAddress(row.exitToken),
    to_token: getAddress(row.moveToken),
    estimated_assets: row.estimatedAssets,
    min_assets: row.minAssets,
    assets: row.assets,
    to_amount: row.deliveredAmount,
    to_amount_min: row.moveMin,
    request_id: row.requestId,
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    two_step: row.twoStep,
    source_tx_hash: row.sourceTxHash as Hex | null,
    claim_tx_hash: row.claimTxHash as Hex | null,
    transfer_tx_hash: row.depositTxHash as Hex | null,
    destination_tx_hash: row.destinationTxHash as Hex | null,
    refund_tx_hash: row.refundTxHash as Hex | null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    history: row.history,
    next: null,
    next_refusal: null,
  };
}

/**
 * Reads the row of a withdrawal from Postgres, without tracking it. Throws `withdrawal_not_found`, also for the
 * tracking id of a deposit or move, and `store_unavailable`.
 */
export async function loadWithdrawal(ctx: Context, trackingId: string): Promise<WithdrawalRow> {
  const row = await selectWithdrawal(ctx.db, trackingId);
  if (row === null)
    throw failure(
      "withdrawal_not_found",
      `there is no withdrawal ${trackingId}; deposits and moves are at /v1/deposits`,
    );
  return row;
}

/**
 * Tracks a withdrawal and returns its progress, with its steps and its next transaction or why that cannot be built
 * (`next_refusal`). The progress is that of the equal withdrawal `same_as` if the transaction was reported for this one
 * and both continue alike. If a chain cannot be read, returns what is known. Throws `withdrawal_not_found`,
 * `store_unavailable`.
 */
export async function getTrackedWithdrawal(ctx: Context, trackingId: string): Promise<WithdrawalDetail> {
  // A job writes the row before it drops a report. If the row were read first, it could be the older one without the
  // report, which would ask for the transaction again.
  const hints = await selectHints(ctx.db, [trackingId]);
  const stored = await loadWithdrawal(ctx, trackingId);
  const readTransaction = createTransactionReader(ctx);
  const { row: own } = await trackWithdrawal(ctx, { row: stored, readTransaction, hints });
  const { answering, sameAs } = await findSharedSource(ctx, own);
  const { row } =
    answering === own ? { row: own } : await trackWithdrawal(ctx, { row: answering, readTransaction });
  const { next, refusal } = await nextExitStep(ctx, row);
  const wire = toTrackedWithdrawal(row, ctx.now());
  const steps = await readWithdrawalSteps(ctx, { row, state: wire.state, next });
  return {
    ...{ ...wire, ...quotedFields(own, ctx.now()), next, next_refusal: refusal, steps },
    ...{ poll_after_ms: pollWithdrawalAfter(wire.state, next), same_as: sameAs },
  };
}

/** Returns the fields of a withdrawal that its build decided, and that may differ in an equal one. */
function quotedFields(row: WithdrawalRow, now: number) {
  const wire = toTrackedWithdrawal(row, now);
  const { tracking_id, estimated_assets, min_assets, to_amount_min, created_at, expires_at } = wire;
  return { tracking_id, estimated_assets, min_assets, to_amount_min, created_at, expires_at };
}

/** Filter of a user's list of withdrawals. An absent field does not restrict the list, except `states`. */
export interface WithdrawalListFilter {
  /** States to list. Default: all states of sent withdrawals, because anyone can build a withdrawal for any address. */
  states?: readonly WithdrawalState[] | undefined;
  vault?: VaultKey | undefined;
  /** Earliest creation time, inclusive. */
  from?: Date | undefined;
  /** Latest creation time, exclusive. */
  to?: Date | undefined;
}

/**
 * Returns one page of a user's withdrawals, newest first, as last tracked: no chain is read. `before` is the position
 * of the last withdrawal on the previous page, or null for the first page. Throws `store_unavailable`.
 */
export async function listWithdrawals(
  ctx: Context,
  page: { user: string; limit: number; before: TimePosition | null; filter: WithdrawalListFilter },
): Promise<Page<WithdrawalRow>> {
  const { states = null, vault = null, from = null, to = null } = page.filter;
  const filter = { states, vault, from, to, now: new Date(ctx.now()) };
  const found = await selectWithdrawalsByUser(ctx.db, { ...page, limit: page.limit + 1, filter });
  const partsOf = (row: WithdrawalRow) => timeCursorParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}

/**
 * Marks a withdrawal in the state `built` or `expired` as abandoned, and returns its row; one that is already abandoned
 * is returned unchanged. Reads no chain: a transaction that was only reported, or is found later, overrides the mark.
 * Throws `withdrawal_state` in any other state or if the row changed meanwhile, `withdrawal_not_found`,
 * `store_unavailable`.
 */
export async function abandonWithdrawal(ctx: Context, trackingId: string): Promise<WithdrawalRow> {
  const row = await loadWithdrawal(ctx, trackingId);
  if (row.state === "abandoned") return row;
  const state = nextWithdrawalState(row.state, { kind: "abandoned" });
  if (state === row.state)
    throw failure("withdrawal_state", `a withdrawal that is ${state} cannot be abandoned`);
  const history = [...row.history, { state, at: new Date(ctx.now()).toISOString() }];
  const change = { state, history };
  const updated = await updateWithdrawal(ctx.db, { trackingId, from: row.state, change });
  if (updated === null)
    throw failure("withdrawal_state", "the withdrawal changed in the meantime; try again");
  return updated;
}

/**
 * Stores a reported transaction as a hint and queues the withdrawal for tracking. Anyone can report any hash: its
 * receipt decides. A null `txHash` changes nothing. Throws `withdrawal_not_found`, `store_unavailable`.
 */
export async function reportWithdrawalTransaction(
  ctx: Context,
  report: { trackingId: string; txHash: Hex | null },
): Promise<WithdrawalRow> {
  const row = await loadWithdrawal(ctx, report.trackingId);
  const { trackingId, txHash } = report;
  const now = new Date(ctx.now());
  if (txHash === null) return row;
  await addReportedHint(ctx.db, { trackingId, chainId: row.vaultChainId, txHash, now });
  await queueReported(ctx, { trackingId, reportedAt: now });
  return row;
}
