import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { claimDueDeposits, postponeChecks, scheduleCheck } from "../../db/queries/deposit-queries.ts";
import { nextCheck } from "./deposit-poll-schedule.ts";
import { createTransactionReader } from "./deposit-transaction-reader.ts";
import { findDepositsByReference } from "./find-deposit-logs.ts";
import { trackDeposit } from "./track-deposit.ts";

/** Delay until deposits that did not fit into a poller run are due again, in milliseconds. */
const POSTPONE_MS = 10_000;

/** Numbers of deposits in one run of the deposit poller. */
export interface PollResult {
  /** Deposits that were due for a check. */
  due: number;
  /** Deposits that this run tracked. */
  followed: number;
  /** Tracked deposits whose state changed. */
  moved: number;
  /** Tracked deposits with a chain that could not be read. */
  unread: number;
  /** Due deposits left for a later run. */
  left: number;
}

/** Maximum number of deposits that one run leases. */
const BATCH_SIZE = 24;
/** Lease of a run on its deposits, in milliseconds: other runs skip these deposits until the lease expires. */
const LEASE_MS = 120_000;
/** Time after which a run starts no further deposit, in milliseconds: well within its lease. */
const RUN_MS = 45_000;
/**
 * Number of subrequests after which a run starts no further deposit. The platform allows 50 per invocation; one deposit
 * needs about twenty, and its database row two more.
 */
const MAX_REQUESTS = 26;
/** External systems whose requests count as subrequests. */
const COUNTED_SYSTEMS = ["rpc", "provider", "db", "redis"] as const;

/**
 * Tracks the deposits that are due for a check, so that a deposit completes even if nobody requests its status. Tracks
 * as many as fit into one invocation and postpones the others. After a chain could not be read, further deposits
 * between the same two chains wait for a later run. Concurrent runs lease different deposits. Throws
 * `store_unavailable`.
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

/** State that the deposits of one poller run share. */
interface PollRun {
  leaseUntil: Date;
  /** Hashes of vault-chain transactions that contain the Router's event of a deposit, by deposit reference. */
  found: ReadonlyMap<string, Hex>;
  /** Pairs of source chain and vault's chain, one of which could not be read in this run. */
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

/** Makes the deposits that did not fit into a poller run due again after a short delay. */
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
