import type { Context } from "../../context.ts";
import { type EvidenceRow, selectEvidence } from "../../db/queries/deposit-evidence-queries.ts";
import { type DepositHint, restoreHints, selectHints } from "../../db/queries/deposit-hint-queries.ts";
import type { EvidenceBlock, TrackedRow } from "../../db/queries/deposit-queries.ts";
import { postponeChecks, scheduleCheck } from "../../db/queries/deposit-schedule-queries.ts";
import { AppError } from "../../errors.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/durations.ts";
import { describeError } from "../../lib/logger.ts";
import { nextCheck } from "../deposits/deposit-check-schedule.ts";
import {
  type EvidenceStatus,
  hasLostEvidence,
  hintsOf,
  isUnpaired,
  recordEvidence,
  restateFromChains,
} from "../deposits/deposit-evidence.ts";
import { isOpen } from "../deposits/deposit-state-machine.ts";
import { UNDECIDED_TTL_MS } from "../deposits/deposit-transaction-hints.ts";
import { createTransactionReader, type TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import { applyWhileScheduled } from "../deposits/deposit-transitions.ts";
import { type TrackedDeposit, trackDeposit } from "../deposits/track-deposit.ts";
import { type TrackedWithdrawal, trackWithdrawal } from "../withdrawals/track-withdrawal.ts";
import { applyToScheduledWithdrawal } from "../withdrawals/withdrawal-transitions.ts";

/** Delay until deposits that a run left out are due again, in milliseconds. */
const POSTPONE_MS = 5 * SECOND_MS;
/** Time after which a run starts no further deposit, in milliseconds: well before its lease ends. */
const RUN_MS = 18 * SECOND_MS;
/** Number of its own requests after which a run starts no further deposit. One deposit usually needs up to thirty. */
const MAX_REQUESTS = 240;
/** Number of deposits that a run follows at the same time. */
const CONCURRENCY = 3;
/** Interval of the rounds, in milliseconds. A check that is due earlier does not wait for the next round. */
const SOON_MS = 20 * SECOND_MS;
/** Age up to which a hint's transaction is probably just not confirmed yet, in milliseconds. */
const FRESH_MS = 10 * MINUTE_MS;
/** External systems whose requests count towards a run's budget. */
const COUNTED_SYSTEMS = ["rpc", "provider", "db", "redis"] as const;

/** Counts of one tracking run. "Deposits" include withdrawals. */
export interface FollowedRows {
  /** Deposits that were due for a check. */
  due: number;
  /** Deposits that this run tracked. */
  followed: number;
  /** Tracked deposits whose state has changed. */
  moved: number;
  /** Tracked deposits whose chains or vault could not be read. */
  unread: number;
  /** Due deposits left for a later run. */
  left: number;
}

/** Result of one tracking run, with the deposits and withdrawals that are due again before the next round. */
export interface RowsRun {
  done: FollowedRows;
  /** Tracking ids by the time of the next check, in UNIX milliseconds. */
  soon: ReadonlyMap<number, readonly string[]>;
}

interface RowRun {
  soon: Map<number, string[]>;
  leaseUntil: Date;
  hints: readonly DepositHint[];
  evidence: readonly EvidenceRow[];
  /** Pairs of chains (source and destination of a deposit or withdrawal) of which this run could not read one. */
  unreadable: Set<string>;
}

/**
 * Tracks leased deposits and withdrawals, and schedules their next checks. Those beyond the limits of one run, or whose
 * chains could not be read for another row, are left to a later run. Throws `store_unavailable`.
 */
export async function followRows(
  ctx: Context,
  { rows, leaseUntil }: { rows: readonly TrackedRow[]; leaseUntil: Date },
): Promise<RowsRun> {
  const startedAt = ctx.now();
  // Without a queue, the rounds of all chains have made their requests in the same run.
  const before = countRequests(ctx);
  const done: FollowedRows = { due: rows.length, followed: 0, moved: 0, unread: 0, left: 0 };
  const soon = new Map<number, string[]>();
  if (rows.length === 0) return { done, soon };
  const ids = rows.map(({ trackingId }) => trackingId);
  const [hints, evidence] = await Promise.all([selectHints(ctx.db, ids), selectEvidence(ctx.db, ids)]);
  const run: RowRun = { soon, leaseUntil, hints, evidence, unreadable: new Set() };
  const left: string[] = [];
  const waiting = [...rows];
  const lane = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const full = countRequests(ctx) - before > MAX_REQUESTS || ctx.now() - startedAt > RUN_MS;
      if (full || run.unreadable.has(chainPair(row))) {
        left.push(row.trackingId);
        continue;
      }
      const { moved, unread } = await followRow(ctx, { row, run });
      done.followed += 1;
      if (moved) done.moved += 1;
      if (unread) done.unread += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  const until = new Date(ctx.now() + POSTPONE_MS);
  if (left.length > 0) await postponeChecks(ctx.db, { trackingIds: left, leaseUntil, until });
  return { done: { ...done, left: left.length }, soon };
}

const chainPair = (row: TrackedRow): string =>
  `${row.fromChainId}:${row.direction === "withdrawal" ? row.toChainId : row.vaultChainId}`;

const countRequests = (ctx: Context): number =>
  COUNTED_SYSTEMS.reduce((sum, system) => sum + ctx.timing.requests(system), 0);

/** Tracks one deposit, records its evidence and schedules its next check. Throws `store_unavailable`. */
async function followRow(
  ctx: Context,
  { row, run }: { row: TrackedRow; run: RowRun },
): Promise<{ moved: boolean; unread: boolean }> {
  const { trackingId } = row;
  const hints = run.hints.filter((hint) => hint.trackingId === trackingId);
  const known = run.evidence.filter((one) => one.trackingId === trackingId);
  const readTransaction = createTransactionReader(ctx);
  let tracked = unreadRow({ row, hints });
  try {
    tracked = await trackFully(ctx, { row, hints, known, readTransaction });
  } catch (error) {
    if (error instanceof AppError && error.code === "store_unavailable") throw error;
    // A row that fails by its own fault must not stop the others, and is checked again later like one that is unread.
    const isOwnFault = !(error instanceof AppError);
    const line = { tracking_id: trackingId, error: describeError(error) };
    if (isOwnFault) ctx.log.error("deposit_untracked", line);
    else ctx.log.warn("deposit_unread", line);
    tracked.unread = !isOwnFault;
  }
  if (tracked.unread) run.unreadable.add(chainPair(row));
  await schedule(ctx, { before: row, tracked, run });
  return { moved: tracked.row.state !== row.state, unread: tracked.unread };
}

interface Tracked {
  row: TrackedRow;
  unread: boolean;
  evidence: EvidenceStatus;
  /** The hints that need further reads. One that arrives during the run makes the row due by itself. */
  left: readonly DepositHint[];
}

/** Returns the result for a row whose chains could not be read: it is checked again, with the given hints. */
const unreadRow = ({ row, hints }: { row: TrackedRow; hints: readonly DepositHint[] }): Tracked => ({
  ...{ row, unread: true, evidence: "incomplete", left: hints },
});

/**
 * Tracks a row and records its evidence. If that counts as lost (`hasLostEvidence`), or source and delivery may belong
 * to different transfers (`isUnpaired`), its state is derived again from the chains.
 */
async function trackFully(
  ctx: Context,
  of: {
    row: TrackedRow;
    hints: readonly DepositHint[];
    known: readonly EvidenceRow[];
    readTransaction: TransactionReader;
  },
): Promise<Tracked> {
  const { known, readTransaction } = of;
  const lost = await hasLostEvidence(ctx, of);
  const { trackingId } = of.row;
  // Before the row forgets the transactions.
  const now = new Date(ctx.now());
  if (lost) await restoreHints(ctx.db, { trackingId, named: hintsOf(of.row, now), now });
  const row = lost ? await restateFromChains(ctx, of) : of.row;
  // What marks the lost evidence must stay, so that a later check states the row again.
  if (typeof row === "string") return { ...unreadRow(of), unread: row === "unread" };
  const hints = lost ? await selectHints(ctx.db, [trackingId]) : of.hints;
  const recorded: EvidenceBlock[] = [];
  const { row: after, unreadable, left } = await trackRow(ctx, { row, readTransaction, hints, recorded });
  if (unreadable !== null) return unreadRow({ row: after, hints: left });
  const ended = row.direction === "deposit" && !isOpen(row.state);
  const unpaired = ended && (await isUnpaired(ctx, { row: after, readTransaction, known }));
  // Recorded as evidence, the source would not be compared with the delivery again.
  // No other row of the chains has to wait: a node may have pruned the receipt.
  if (unpaired === "unread") return { ...unreadRow({ row: after, hints: left }), unread: false };
  const stated = unpaired ? await restateFromChains(ctx, { row: after, readTransaction, known }) : after;
  if (typeof stated === "string") {
    return { ...unreadRow({ row: after, hints: left }), unread: stated === "unread" };
  }
  const all = [...known, ...recorded.map((block) => ({ ...block, final: false }))];
  const evidence = await recordEvidence(ctx, { row: stated, readTransaction, known: all });
  return { row: stated, unread: false, evidence, left };
}

function trackRow(
  ctx: Context,
  of: {
    row: TrackedRow;
    readTransaction: TransactionReader;
    hints: readonly DepositHint[];
    /** Receives the blocks that are stored as evidence. */
    recorded: EvidenceBlock[];
  },
): Promise<TrackedDeposit | TrackedWithdrawal> {
  const { row, recorded, ...seen } = of;
  return row.direction === "deposit"
    ? trackDeposit(ctx, {
        ...{ ...seen, row },
        apply: (_, input) => applyWhileScheduled(ctx, { ...input, recorded }),
      })
    : trackWithdrawal(ctx, {
        ...{ ...seen, row },
        apply: (_, input) => applyToScheduledWithdrawal(ctx, { ...input, recorded }),
      });
}

async function schedule(
  ctx: Context,
  { before, tracked, run }: { before: TrackedRow; tracked: Tracked; run: RowRun },
): Promise<void> {
  const { row, evidence, left } = tracked;
  const checks = row.state !== before.state ? 0 : before.checks + 1;
  const now = ctx.now();
  // Of a row that cannot be read, no hints are dropped.
  const hinted = left.some(({ notedAt }) => now - notedAt.getTime() <= UNDECIDED_TTL_MS);
  const fresh = left.some(({ notedAt }) => now - notedAt.getTime() < FRESH_MS);
  const at = nextCheck({ ...row, checks }, { now, hinted, fresh, evidence })?.getTime() ?? null;
  // Full seconds, so that checks that follow each other closely share a message.
  const nextAt = at === null ? null : Math.ceil(at / SECOND_MS) * SECOND_MS;
  const nextCheckAt = nextAt === null ? null : new Date(nextAt);
  if (nextAt !== null && nextAt - now < SOON_MS)
    run.soon.set(nextAt, [...(run.soon.get(nextAt) ?? []), row.trackingId]);
  await scheduleCheck(ctx.db, {
    trackingId: row.trackingId,
    leaseUntil: run.leaseUntil,
    nextCheckAt,
    checks,
    checkedAt: new Date(now),
  });
}
