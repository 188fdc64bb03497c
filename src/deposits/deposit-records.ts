import { getAddress, type Hex } from "viem";
import type { Context } from "../context.ts";
import { addReportedHint, selectHints } from "../db/queries/deposit-hint-queries.ts";
import {
  type DepositRow,
  selectDeposit,
  selectDepositsByUser,
  updateDeposit,
} from "../db/queries/deposit-queries.ts";
import { failure } from "../errors.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { Deposit, DepositDetail, DepositState } from "../schemas/deposit-schema.ts";
import { currentState, nextState, statusOf } from "../tracking/deposits/deposit-state-machine.ts";
import { createTransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { trackDeposit } from "../tracking/deposits/track-deposit.ts";
import { pollAfter, readDepositSteps } from "../tracking/deposits/tracked-deposit-steps.ts";
import { queueReported } from "../tracking/follow/follow-queue-messages.ts";
import { findSharedSource } from "../tracking/track-equal-orders.ts";
import { nextStep } from "./next-deposit-step.ts";

/**
 * Converts the row of a deposit to the API format, with the state at `now` (UNIX milliseconds). `next` and
 * `next_refusal` are null: the next step is not built.
 */
export function toWireDeposit(row: DepositRow, now: number): Deposit {
  const state = currentState(row, now);
  return {
    tracking_id: row.trackingId,
    state,
    ...statusOf(state, row.substatus),
    user_address: getAddress(row.userAddress),
    vault_id: formatVaultId({ chainId: row.vaultChainId, address: row.vaultAddress }),
    from_chain_id: row.fromChainId,
    to_chain_id: row.vaultChainId,
    from_token: getAddress(row.fromToken),
    from_amount: row.fromAmount,
    estimated_shares: row.estimatedShares,
    min_shares: row.minShares,
    shares: row.shares,
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    two_step: row.twoStep,
    source_tx_hash: row.sourceTxHash as Hex | null,
    destination_tx_hash: row.destinationTxHash as Hex | null,
    delivered_amount: row.deliveredAmount,
    refund_tx_hash: row.refundTxHash as Hex | null,
    deposit_tx_hash: row.depositTxHash as Hex | null,
    claim_tx_hash: row.claimTxHash as Hex | null,
    parent_tracking_id: row.parentTrackingId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    history: row.history,
    next: null,
    next_refusal: null,
  };
}

/**
 * Reads the row of a deposit from Postgres, without tracking it. Throws `deposit_not_found`, also for the tracking id
 * of a withdrawal, and `store_unavailable`.
 */
export async function loadDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await selectDeposit(ctx.db, trackingId);
  if (row === null)
    throw failure(
      "deposit_not_found",
      `there is no deposit ${trackingId}; withdrawals are at /v1/withdrawals`,
    );
  return row;
}

/**
 * Tracks a deposit and returns its progress, with its steps and its next transaction or why that cannot be built
 * (`next_refusal`). The progress is that of the equal deposit `same_as` if the transaction was reported for this one
 * and both continue alike. If a chain cannot be read, returns what is known. Throws `deposit_not_found`,
 * `store_unavailable`.
 */
export async function getTrackedDeposit(ctx: Context, trackingId: string): Promise<DepositDetail> {
  // A job writes the row before it drops a report. If the row were read first, it could be the older one without the
  // report, which would ask for the transaction again.
  const hints = await selectHints(ctx.db, [trackingId]);
  const stored = await loadDeposit(ctx, trackingId);
  const readTransaction = createTransactionReader(ctx);
  const { row: own } = await trackDeposit(ctx, { row: stored, readTransaction, hints });
  const { answering, sameAs } = await findSharedSource(ctx, own);
  const { row } =
    answering === own ? { row: own } : await trackDeposit(ctx, { row: answering, readTransaction });
  const { next, refusal } = await nextStep(ctx, row);
  const wire = toWireDeposit(row, ctx.now());
  const steps = await readDepositSteps(ctx, { row, state: wire.state, next });
  return {
    ...{ ...wire, ...quotedFields(own, ctx.now()), next, next_refusal: refusal, steps },
    ...{ poll_after_ms: pollAfter(wire.state, steps), same_as: sameAs },
  };
}

/** Returns the fields of a deposit that its build decided, and that may differ in an equal one. */
function quotedFields(row: DepositRow, now: number) {
  const wire = toWireDeposit(row, now);
  const { tracking_id, parent_tracking_id, estimated_shares, min_shares, created_at, expires_at } = wire;
  return { tracking_id, parent_tracking_id, estimated_shares, min_shares, created_at, expires_at };
}

/** Filter of a user's list of deposits. An absent field does not restrict the list, except `states`. */
export interface DepositListFilter {
  /** States to list. Default: all states of sent deposits, because anyone can build a deposit for any address. */
  states?: readonly DepositState[] | undefined;
  vault?: VaultKey | undefined;
  /** Earliest creation time, inclusive. */
  from?: Date | undefined;
  /** Latest creation time, exclusive. */
  to?: Date | undefined;
}

/**
 * Returns one page of a user's deposits, newest first, as last tracked: no chain is read. `before` is the position of
 * the last deposit on the previous page, or null for the first page. Throws `store_unavailable`.
 */
export async function listDeposits(
  ctx: Context,
  page: { user: string; limit: number; before: TimePosition | null; filter: DepositListFilter },
): Promise<Page<DepositRow>> {
  const { states = null, vault = null, from = null, to = null } = page.filter;
  const filter = { states, vault, from, to, now: new Date(ctx.now()) };
  const found = await selectDepositsByUser(ctx.db, { ...page, limit: page.limit + 1, filter });
  const partsOf = (row: DepositRow) => timeCursorParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}

/**
 * Marks a deposit in the state `built` or `expired` as abandoned, and returns its row; one that is already abandoned is
 * returned unchanged. Reads no chain: a transaction that was only reported, or is found later, overrides the mark.
 * Throws `deposit_state` in any other state or if the row changed meanwhile, `deposit_not_found`, `store_unavailable`.
 */
export async function abandonDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await loadDeposit(ctx, trackingId);
  if (row.state === "abandoned") return row;
  const state = nextState(row.state, { kind: "abandoned" });
  if (state === row.state) throw failure("deposit_state", `a deposit that is ${state} cannot be abandoned`);
  const history = [...row.history, { state, at: new Date(ctx.now()).toISOString() }];
  const change = { state, history };
  const updated = await updateDeposit(ctx.db, { trackingId, from: row.state, change });
  if (updated === null) throw failure("deposit_state", "the deposit changed in the meantime; try again");
  return updated;
}

/**
 * A step whose transaction the user can report: `source`, `deposit` (the second step), the claim of shares, the
 * cancellation of an order or request, or an approval, which is ignored.
 */
export type DepositStep = "source" | "deposit" | "claim" | "cancel" | "approval";

/**
 * Stores a reported transaction as a hint and queues the deposit for tracking. Anyone can report any hash: its receipt
 * decides. An approval changes nothing. Throws `deposit_not_found`, `store_unavailable`.
 */
export async function reportTransaction(
  ctx: Context,
  report: { trackingId: string; txHash: Hex; step: DepositStep },
): Promise<DepositRow> {
  const row = await loadDeposit(ctx, report.trackingId);
  const { trackingId, txHash, step } = report;
  const chainIds = new Set(chainsOfStep(row, step));
  const now = new Date(ctx.now());
  for (const chainId of chainIds) await addReportedHint(ctx.db, { trackingId, chainId, txHash, now });
  if (chainIds.size > 0) await queueReported(ctx, { trackingId, reportedAt: now });
  return row;
}

/** Returns the chains on which the transaction of a step may be. Empty for an approval. */
function chainsOfStep({ fromChainId, vaultChainId }: DepositRow, step: DepositStep): number[] {
  if (step === "approval") return [];
  if (step === "source") return [fromChainId];
  return step === "cancel" ? [fromChainId, vaultChainId] : [vaultChainId];
}
