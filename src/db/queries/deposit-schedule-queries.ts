import {
  and,
  asc,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  or,
  sql as raw,
  type SQL,
} from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence } from "../tables/deposit-tracking-tables.ts";
import type { DepositRow, TrackedRow } from "./deposit-queries.ts";

/**
 * Leases at most `limit` rows that are due for tracking, sent ones first, then those due longest, and returns their ids
 * in no particular order. Concurrent runs lease different rows. Throws `store_unavailable`.
 */
export async function leaseDueDeposits(
  db: Database,
  lease: { now: Date; leaseUntil: Date; limit: number },
): Promise<string[]> {
  const unsent = inArray(deposits.state, ["built", "expired", "abandoned"]);
  const rows = await db.run((sql) => {
    // As a subquery of the condition it could be run for each row, each time with further deposits.
    const due = sql
      .$with("due")
      .as(
        sql
          .select({ trackingId: deposits.trackingId })
          .from(deposits)
          .where(lte(deposits.nextCheckAt, lease.now))
          .orderBy(asc(unsent), asc(deposits.nextCheckAt))
          .limit(lease.limit)
          .for("update", { skipLocked: true }),
      );
    return sql
      .with(due)
      .update(deposits)
      .set({ nextCheckAt: lease.leaseUntil })
      .where(inArray(deposits.trackingId, sql.select({ trackingId: due.trackingId }).from(due)))
      .returning({ trackingId: deposits.trackingId });
  });
  return rows.map(({ trackingId }) => trackingId);
}

/**
 * Extends the leases of deposits and withdrawals that end at `held` to `leaseUntil`, and returns the rows. Rows that
 * were rescheduled or leased again in the meantime are left out. Throws `store_unavailable`.
 */
export async function extendDepositLeases(
  db: Database,
  lease: { trackingIds: readonly string[]; held: Date; leaseUntil: Date },
): Promise<TrackedRow[]> {
  const { trackingIds, held, leaseUntil } = lease;
  if (trackingIds.length === 0) return [];
  const rows = await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt: leaseUntil })
      .where(and(inArray(deposits.trackingId, [...trackingIds]), eq(deposits.nextCheckAt, held)))
      .returning(),
  );
  return rows as TrackedRow[];
}

/**
 * Ends the lease of a row: schedules its next check (null: none) and stores its number of `checks`. Does nothing if the
 * lease does not end at `leaseUntil`, as after a report. Throws `store_unavailable`.
 */
export async function scheduleCheck(
  db: Database,
  schedule: { trackingId: string; leaseUntil: Date; nextCheckAt: Date | null; checks: number },
): Promise<void> {
  const { trackingId, leaseUntil, nextCheckAt, checks } = schedule;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt, checks })
      .where(and(eq(deposits.trackingId, trackingId), eq(deposits.nextCheckAt, leaseUntil))),
  );
}

/**
 * Moves the next check of a deposit or withdrawal to the time `at`, even if the row is leased, and resets its number of
 * checks. Does nothing if no check is scheduled. Throws `store_unavailable`.
 */
export async function checkSoon(
  db: Database,
  { trackingId, at }: { trackingId: string; at: Date },
): Promise<void> {
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt: at, checks: 0 })
      .where(and(eq(deposits.trackingId, trackingId), isNotNull(deposits.nextCheckAt))),
  );
}

/**
 * Moves the next check of deposits and withdrawals that are leased until `leaseUntil` to the time `until`. Those whose
 * lease does not end at `leaseUntil` are left alone. Throws `store_unavailable`.
 */
export async function postponeChecks(
  db: Database,
  postponed: { trackingIds: readonly string[]; leaseUntil: Date; until: Date },
): Promise<void> {
  const { trackingIds, leaseUntil, until } = postponed;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt: until })
      .where(and(inArray(deposits.trackingId, [...trackingIds]), eq(deposits.nextCheckAt, leaseUntil))),
  );
}

/**
 * Makes the direct deposit that a transaction proves name `parent` as its parent, if it is of the same user and vault
 * and names none that can take it over: anyone can build it, with any deposit of the user as its parent. Returns false
 * if there is none. Throws `store_unavailable`.
 */
export async function adoptContinuation(
  db: Database,
  { parent, hash }: { parent: DepositRow; hash: string },
): Promise<boolean> {
  const { trackingId, userAddress, vaultChainId, vaultAddress } = parent;
  const isOfAnother = raw`exists (select from ${deposits} as named
    where named.tracking_id = ${deposits.parentTrackingId} and (named.tracking_id = ${trackingId}
      or named.deposit_tx_hash = ${hash}
      or (named.state = 'awaiting_deposit' or named.state = 'partial' and named.shares is null)
        and named.user_address = ${userAddress} and named.move_token = ${deposits.fromToken}
        and named.vault_chain_id = ${vaultChainId} and named.vault_address = ${vaultAddress}
        and ${deposits.fromAmount} >= ${leastOf(raw`named.delivered_amount`, raw`named.move_min`)}))`;
  const adopted = await db.run((sql) =>
    sql
      .update(deposits)
      .set({ parentTrackingId: trackingId })
      .where(
        and(
          eq(deposits.depositTxHash, hash),
          eq(deposits.depositProven, true),
          eq(deposits.direction, "deposit"),
          eq(deposits.userAddress, userAddress),
          eq(deposits.vaultChainId, vaultChainId),
          eq(deposits.vaultAddress, vaultAddress),
          ne(deposits.trackingId, trackingId),
          isNull(deposits.provider),
          not(isOfAnother),
        ),
      )
      .returning({ trackingId: deposits.trackingId }),
  );
  return adopted.length > 0;
}

/** Least payment of a continuation: the lower of the delivered and the guaranteed amount. */
const leastOf = (delivered: SQL, guaranteed: SQL): SQL =>
  raw`least(${delivered}::numeric, coalesce(${guaranteed}, ${delivered})::numeric)`;

/** Maximum number of continuations that are read: anyone can build deposits that name a parent of the same user. */
const MAX_CONTINUATIONS = 20;

/**
 * Selects at most 20 deposits that name a deposit as their parent and pay the delivered token, at least the lower of
 * guaranteed and delivered amount, into the same vault for the same user: proven ones first, then completed ones, then
 * the newest. Leaves out those paid before the delivery, and proven ones that are neither requested, claimable nor
 * completed. Throws `store_unavailable`.
 */
export async function selectContinuations(db: Database, parent: DepositRow): Promise<DepositRow[]> {
  const { trackingId, userAddress, vaultChainId, vaultAddress, moveToken, moveMin, deliveredAmount } = parent;
  if (moveToken === null || deliveredAmount === null) return [];
  const atLeast = leastOf(raw`${deliveredAmount}::text`, raw`${moveMin}::text`);
  const ended = inArray(deposits.state, ["requested", "claimable", "completed"]);
  // What was paid before the delivery was not what was delivered.
  const inTime = raw`not exists (select from ${depositEvidence} as paid join ${depositEvidence} as arrived
    on arrived.chain_id = paid.chain_id and arrived.tracking_id = ${trackingId}
      and arrived.tx_hash = ${parent.destinationTxHash}::text
    where paid.tracking_id = ${deposits.trackingId} and paid.tx_hash = ${deposits.sourceTxHash}
      and paid.block_number < arrived.block_number)`;
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(
        and(
          eq(deposits.parentTrackingId, trackingId),
          eq(deposits.direction, "deposit"),
          eq(deposits.userAddress, userAddress),
          eq(deposits.vaultChainId, vaultChainId),
          eq(deposits.vaultAddress, vaultAddress),
          eq(deposits.fromChainId, vaultChainId),
          eq(deposits.fromToken, moveToken),
          raw`${deposits.fromAmount} >= ${atLeast}`,
          inTime,
          or(ended, eq(deposits.sourceProven, false)),
        ),
      )
      .orderBy(
        desc(deposits.sourceProven),
        desc(eq(deposits.state, "completed")),
        desc(deposits.createdAt),
        asc(deposits.trackingId),
      )
      .limit(MAX_CONTINUATIONS),
  );
  return rows as DepositRow[];
}
