import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { claimDueDeposits, postponeChecks, scheduleCheck } from "../../db/queries/deposit-queries.ts";
import { nextCheck } from "./deposit-poll-schedule.ts";
import { createTransactionReader } from "./deposit-transaction-reader.ts";
import { findDepositsByReference } from "./find-deposit-logs.ts";
import { trackDeposit } from "./track-deposit.ts";

/** Delay in milliseconds until deposits that did not fit into a run are due again. */
const POSTPONE_MS = 10_000;

/** Counts of one polling run. */
export interface PollResult {
  /**
   * Deposits that were due; of those the ones tracked and the ones left for a later run; of the tracked the
   * ones that changed state and the ones not read in full.
   */
  due: number;
  followed: number;
  moved: number;
  unread: number;
  left: number;
}

/** Deposits per run. */
const BATCH_SIZE = 24;
/**
 * Lease on the deposits of a run and longest duration of the run, in milliseconds. The run ends before its
 * lease.
 */
const LEASE_MS = 120_000;
const RUN_MS = 45_000;
/** The platform allows 50 subrequests; one deposit needs about twenty, and its row two more. */
const MAX_REQUESTS = 26;
const COUNTED_SYSTEMS = ["rpc", "provider", "db", "redis"] as const;

/**
 * Tracks deposits that are due, so that a deposit without API requests also completes. Takes as many as fit
 * into one invocation and postpones the rest; after an unreadable chain, other deposits between the same
 * chains wait for a later run. Concurrent runs share the work by leases. Throws `store_unavailable`.
 */
export async function pollDueDeposits(ctx: Context): Promise<PollResult> {
  const startedAt = ctx.now();
  const leaseUntil = new Date(startedAt + LEASE_MS);
  const rows = await claimDueDeposits(ctx.db, { now: new Date(startedAt), leaseUntil, limit: BATCH_SIZE });
  const run: PollRun = { leaseUntil, found: await findDepositsByReference(ctx, rows), unreadable: new Set() };
  const done: PollResult = { due: rows.length, followed: 0, moved: 0, unread: 0, left: 0 };
  const left: DepositRow[] = [];
  for (const row of rows) {
    if (
      countRequests(ctx) > MAX_REQUESTS ||
      ctx.now() - startedAt > RUN_MS ||
      run.unreadable.has(chainPair(row))
    ) {
      left.push(row);
      continue;
    }
    const { moved, unread } = await pollDeposit(ctx, { row, run });
    done.followed += 1;
    if (moved) done.moved += 1;
    if (unread) done.unread += 1;
  }
  if (left.length > 0) await postponeDeposits(ctx, { left, run });
  return { ...done, left: left.length };
}

/** State that the deposits of one run share. */
interface PollRun {
  leaseUntil: Date;
  /** Vault-chain transactions with the Router's event for a deposit, by reference. */
  found: ReadonlyMap<string, Hex>;
  /** Chain pairs with a chain that could not be read. */
  unreadable: Set<string>;
}

const chainPair = (row: DepositRow): string => `${row.fromChainId}:${row.vaultChainId}`;

const countRequests = (ctx: Context): number =>
  COUNTED_SYSTEMS.reduce((sum, system) => sum + ctx.timing.requests(system), 0);

async function pollDeposit(
  ctx: Context,
  { row, run }: { row: DepositRow; run: PollRun },
): Promise<{ moved: boolean; unread: boolean }> {
  const { leaseUntil, found, unreadable } = run;
  const outcome = await trackDeposit(ctx, {
    row,
    readTransaction: createTransactionReader(ctx),
    found: found.get(row.ref) ?? null,
  });
  const moved = outcome.row.state !== row.state;
  const checks = moved ? 0 : row.checks + 1;
  const nextCheckAt = nextCheck({ ...outcome.row, checks }, ctx.now());
  await scheduleCheck(ctx.db, { trackingId: row.trackingId, leaseUntil, nextCheckAt, checks });
  if (outcome.unreadable !== null) unreadable.add(chainPair(row));
  return { moved, unread: outcome.unreadable !== null };
}

/** Makes the remaining deposits due again after a short delay. */
async function postponeDeposits(
  ctx: Context,
  { left, run }: { left: readonly DepositRow[]; run: PollRun },
): Promise<void> {
  const trackingIds = left.map(({ trackingId }) => trackingId);
  await postponeChecks(ctx.db, {
    trackingIds,
    leaseUntil: run.leaseUntil,
    until: new Date(ctx.now() + POSTPONE_MS),
  });
}
