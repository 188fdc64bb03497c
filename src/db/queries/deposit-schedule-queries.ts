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
import { lockKeys } from "../conditions/same-transaction-conditions.ts";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, followedChains } from "../tables/deposit-tracking-tables.ts";
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
 * Ends the lease of a row: schedules its next check (null: none) and stores its number of `checks` and the time of this
 * one. Does nothing if the lease does not end at `leaseUntil`, as after a report. Throws `store_unavailable`.
 */
export async function scheduleCheck(
  db: Database,
  schedule: {
    trackingId: string;
    leaseUntil: Date;
    nextCheckAt: Date | null;
    checks: number;
    checkedAt: Date;
  },
): Promise<void> {
  const { trackingId, leaseUntil, nextCheckAt, checks, checkedAt } = schedule;
  await db.run((sql) =>
    sql
      .update(deposits)
      .set({ nextCheckAt, checks, checkedAt })
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
 * Sets `parent` as the parent of a direct deposit that the transaction `hash` proves and that may be its second step. An
 * earlier parent stays if it records `hash` as its deposit transaction, or if it still waits for a deposit and what it
 * was delivered may be what `hash` pays. Any other is replaced, because anyone can build a deposit that names any deposit
 * of the user. Returns false if no row is changed. Throws `store_unavailable`.
 */
export async function adoptContinuation(
  db: Database,
  { parent, hash, router }: Continued & { hash: string },
): Promise<boolean> {
  const { trackingId, userAddress, vaultChainId, vaultAddress } = parent;
  const own = secondStepsOf({ parent, router });
  if (own === null) return false;
  const isOfAnother = raw`exists (select from ${deposits} as named
    where named.tracking_id = ${deposits.parentTrackingId} and (named.tracking_id = ${trackingId}
      or named.deposit_tx_hash = ${hash}
      or (named.state = 'awaiting_deposit' or named.state = 'partial' and named.shares is null)
        and named.user_address = ${userAddress} and named.move_token = ${deposits.fromToken}
        and named.vault_chain_id = ${vaultChainId} and named.vault_address = ${vaultAddress}
        and not ${precedes({ trackingId: raw`named.tracking_id`, delivery: raw`named.destination_tx_hash` })}
        and ${paysForward({ delivered: raw`named.delivered_amount`, guaranteed: raw`named.move_min`, router })}))`;
  const [, adopted] = await db.run((sql) => {
    // One of several in a batch: the others may be the second steps of other deposits, which may adopt them just now.
    const first = sql
      .select({ trackingId: deposits.trackingId })
      .from(deposits)
      .where(
        and(
          eq(deposits.depositTxHash, hash),
          eq(deposits.sourceProven, true),
          ...own,
          ne(deposits.trackingId, trackingId),
          isNull(deposits.provider),
          not(isOfAnother),
        ),
      )
      .orderBy(asc(deposits.trackingId))
      .limit(1);
    return sql.batch([
      sql.execute(lockKeys([hash])),
      sql
        .update(deposits)
        .set({ parentTrackingId: trackingId })
        .where(inArray(deposits.trackingId, first))
        .returning({ trackingId: deposits.trackingId }),
    ]);
  });
  return adopted.length > 0;
}

/** A deposit that may have continuations. `router` is the Router's lowercase address. */
interface Continued {
  parent: DepositRow;
  router: string;
}

/**
 * SQL condition of the deposits whose payment may be what was delivered: at least the lower of the delivered and the
 * guaranteed amount, and at most the higher, unless it is an order of the Router. Only such an order, which contains
 * the reference of its deposit, shows that the user signed this deposit: of any other call, anyone can build an equal
 * one that names a parent.
 */
function paysForward(amounts: { delivered: SQL; guaranteed: SQL; router: string }): SQL {
  const delivered = raw`${amounts.delivered}::numeric`;
  const guaranteed = raw`coalesce(${amounts.guaranteed}, ${amounts.delivered})::numeric`;
  return raw`(${deposits.fromAmount} >= least(${delivered}, ${guaranteed}) and (${deposits.sourceTo} = ${amounts.router}
    or ${deposits.fromAmount} <= greatest(${delivered}, ${guaranteed})))`;
}

/**
 * SQL condition of the deposits whose recorded payment is in a block before that of the `delivery` of a row: what was
 * paid then was not what was delivered.
 */
const precedes = (row: { trackingId: SQL; delivery: SQL }): SQL =>
  raw`exists (select from ${depositEvidence} as paid join ${depositEvidence} as arrived
    on arrived.chain_id = paid.chain_id and arrived.tracking_id = ${row.trackingId}
      and arrived.tx_hash = ${row.delivery}
    where paid.tracking_id = ${deposits.trackingId} and paid.tx_hash = ${deposits.sourceTxHash}
      and paid.block_number < arrived.block_number)`;

/** Conditions of the deposits that may be the second step of `parent`, whichever they name; null if none may be. */
function secondStepsOf({ parent, router }: Continued): (SQL | undefined)[] | null {
  const { userAddress, vaultChainId, vaultAddress, moveToken, moveMin, deliveredAmount } = parent;
  if (moveToken === null || deliveredAmount === null) return null;
  const [delivered, guaranteed] = [raw`${deliveredAmount}::text`, raw`${moveMin}::text`];
  return [
    eq(deposits.direction, "deposit"),
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    eq(deposits.fromChainId, vaultChainId),
    eq(deposits.fromToken, moveToken),
    paysForward({ delivered, guaranteed, router }),
  ];
}

/**
 * Selects a deposit with a proven source that names `parent` and pays the token delivered to it into the same vault for
 * the same user, in an amount that may be the delivered one and not known to precede the delivery: a `completed` one if
 * there is one, otherwise one with a request: open, or settled for a part (`partial`) or for no shares (`failed`, with
 * shares of 0); of several, the one paid first. Null if there is none. Throws `store_unavailable`.
 */
export async function selectContinuation(db: Database, continued: Continued): Promise<DepositRow | null> {
  const { trackingId, destinationTxHash } = continued.parent;
  const own = secondStepsOf(continued);
  if (own === null) return null;
  const delivery = raw`${destinationTxHash}::text`;
  // A request that gave shares for a part only, or none.
  const isSettled = and(inArray(deposits.state, ["partial", "failed"]), isNotNull(deposits.shares));
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(
        and(
          eq(deposits.parentTrackingId, trackingId),
          ...own,
          or(inArray(deposits.state, ["requested", "claimable", "completed"]), isSettled),
          eq(deposits.sourceProven, true),
          not(precedes({ trackingId: raw`${trackingId}`, delivery })),
        ),
      )
      // The first payment: a later one may be what was delivered to another deposit after it.
      .orderBy(
        desc(eq(deposits.state, "completed")),
        asc(raw`(select min(paid.block_number) from ${depositEvidence} as paid
          where paid.tracking_id = ${deposits.trackingId} and paid.tx_hash = ${deposits.sourceTxHash})`),
        desc(deposits.createdAt),
        asc(deposits.trackingId),
      )
      .limit(1),
  );
  return (rows[0] as DepositRow | undefined) ?? null;
}

/** Maximum number of deposits with the same call that are read. */
const MAX_EQUAL = 20;

/**
 * Selects the deposits that may be the second step of `parent`, whichever parent they name, whose calldata has one of
 * the given hashes, and whose source is not proven or that have failed: oldest first and at most 20. Throws
 * `store_unavailable`.
 */
export async function selectOpenSecondSteps(
  db: Database,
  { dataHashes, ...continued }: Continued & { dataHashes: readonly string[] },
): Promise<DepositRow[]> {
  const own = secondStepsOf(continued);
  if (own === null || dataHashes.length === 0) return [];
  const equal = inArray(deposits.sourceDataHash, [...dataHashes]);
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(and(...own, equal, or(eq(deposits.sourceProven, false), eq(deposits.state, "failed"))))
      .orderBy(asc(deposits.createdAt), asc(deposits.trackingId))
      .limit(MAX_EQUAL),
  );
  return rows as DepositRow[];
}

/** Which deposits and withdrawals without a known transaction are deleted, and how many. */
export interface UnsentAge {
  /** Time before which the quote expired and the row was last changed. */
  before: Date;
  /** Minimum time from the expiry of a quote to the block up to which source and vault chain were read, in ms. */
  marginMs: number;
  /** Maximum number of deposits and withdrawals to delete. */
  limit: number;
}

/**
 * Deletes at most `limit` rows that are built, expired or abandoned, and returns their number. Keeps rows with
 * transactions, evidence or unread hints, rows that another names as its parent, and those whose source or vault chain
 * was not read without gaps up to `marginMs` after their expiry. Throws `store_unavailable`.
 */
export async function deleteUnsentDeposits(db: Database, age: UnsentAge): Promise<number> {
  const before = raw`${age.before.toISOString()}::timestamptz`;
  const ofRow = (column: string) => raw`deposit.${raw.raw(column)}`;
  const covered = (chain: string) => raw`exists (
    select from ${followedChains} as chain where chain.chain_id = ${ofRow(chain)}
      and chain.round_at is not null and chain.final_block >= chain.start_block
      and chain.covered @> int8range(chain.start_block, greatest(chain.start_block, chain.final_block + 1))
      and chain.head_time > ${ofRow("expires_at")} + ${age.marginMs} * interval '1 millisecond')`;
  const statement = raw`
    with unsent as (
      select tracking_id from ${deposits} as deposit
      where state in ('built', 'expired', 'abandoned') and updated_at < ${before} and expires_at < ${before}
        and source_tx_hash is null and deposit_tx_hash is null and claim_tx_hash is null
        and destination_tx_hash is null and refund_tx_hash is null
        and ${covered("from_chain_id")} and ${covered("vault_chain_id")}
        and not exists (select from ${depositEvidence} as seen where seen.tracking_id = deposit.tracking_id)
        and not exists (select from ${depositHints} as hint
          where hint.tracking_id = deposit.tracking_id and hint.dropped_at is null)
        and not exists (select from ${deposits} as child where child.parent_tracking_id = deposit.tracking_id)
      order by updated_at limit ${age.limit} for update skip locked
    ), gone as (
      delete from ${deposits} where tracking_id in (select tracking_id from unsent) returning 1
    )
    select count(*)::int as deleted from gone`;
  const { rows } = await db.run((sql) => sql.execute<{ deleted: number }>(statement));
  return rows[0]?.deleted ?? 0;
}
