import { and, asc, eq, inArray, isNull, sql as raw } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../database-client.ts";
import { deposits } from "../schema/deposit-tables.ts";
import { depositHints } from "../schema/deposit-tracking-tables.ts";

/** A row of the table `deposit_hints`: a transaction that may belong to a deposit. */
export type DepositHint = typeof depositHints.$inferSelect;

/** Maximum number of reported transactions of a deposit that are kept until they are read; the newest stay. */
const MAX_REPORTS = 16;

/**
 * Stores a transaction that a caller reports for a deposit, and makes the deposit due for tracking. The report binds
 * nothing: tracking reads the transaction and drops the hint if it proves nothing. The 16 newest reports of a deposit
 * are kept. Throws `store_unavailable`.
 */
export async function addReportedHint(
  db: Database,
  hint: { trackingId: string; chainId: number; txHash: Hex; now: Date },
): Promise<void> {
  const { trackingId, chainId, txHash, now } = hint;
  const ofDeposit = and(eq(depositHints.trackingId, trackingId), eq(depositHints.origin, "report"));
  await db.run((sql) =>
    sql.batch([
      sql
        .insert(depositHints)
        .values({ trackingId, chainId, txHash, origin: "report", notedAt: now })
        .onConflictDoNothing(),
      sql
        .delete(depositHints)
        .where(
          and(
            ofDeposit,
            raw`${depositHints.txHash} not in (select tx_hash from ${depositHints} as newest where ${and(
              raw`newest.tracking_id = ${trackingId}`,
              raw`newest.origin = 'report'`,
            )} order by newest.noted_at desc, newest.tx_hash limit ${MAX_REPORTS})`,
          ),
        ),
      sql.update(deposits).set({ nextCheckAt: now, checks: 0 }).where(eq(deposits.trackingId, trackingId)),
    ]),
  );
}

/** Selects the hints of deposits that are still to be read, oldest first. Throws `store_unavailable`. */
export async function selectHints(db: Database, trackingIds: readonly string[]): Promise<DepositHint[]> {
  if (trackingIds.length === 0) return [];
  return db.run((sql) =>
    sql
      .select()
      .from(depositHints)
      .where(and(inArray(depositHints.trackingId, [...trackingIds]), isNull(depositHints.droppedAt)))
      .orderBy(asc(depositHints.notedAt), asc(depositHints.txHash)),
  );
}

/**
 * Drops hints of a deposit that were read or are too old. Reports are deleted, because anybody may make them; what the
 * event reader found is marked, so that it does not add the hint again. Throws `store_unavailable`.
 */
export async function dropHints(
  db: Database,
  dropped: { trackingId: string; txHashes: readonly string[]; now: Date },
): Promise<void> {
  const { trackingId, txHashes, now } = dropped;
  if (txHashes.length === 0) return;
  const listed = and(eq(depositHints.trackingId, trackingId), inArray(depositHints.txHash, [...txHashes]));
  await db.run((sql) =>
    sql.batch([
      sql.delete(depositHints).where(and(listed, eq(depositHints.origin, "report"))),
      sql
        .update(depositHints)
        .set({ droppedAt: now })
        .where(and(listed, eq(depositHints.origin, "logs"))),
    ]),
  );
}

/**
 * Takes back what the event reader found for a deposit although it proved nothing then, because a reorg has changed what
 * the deposit's row says. Throws `store_unavailable`.
 */
export async function retryFoundHints(db: Database, trackingId: string): Promise<void> {
  await db.run((sql) =>
    sql
      .update(depositHints)
      .set({ droppedAt: null })
      .where(and(eq(depositHints.trackingId, trackingId), eq(depositHints.origin, "logs"))),
  );
}
