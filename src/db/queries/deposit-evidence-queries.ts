import { and, eq, inArray, sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { depositEvidence } from "../schema/deposit-tracking-tables.ts";

/** A row of the table `deposit_evidence`: the block of a transaction that proves what a deposit's row says. */
export type EvidenceRow = typeof depositEvidence.$inferSelect;
/** The block in which a transaction was read. Hashes are lowercase. */
export type EvidenceBlock = Pick<EvidenceRow, "chainId" | "txHash" | "blockNumber" | "blockHash">;

/** Selects the evidence of deposits. Throws `store_unavailable`. */
export async function selectEvidence(db: Database, trackingIds: readonly string[]): Promise<EvidenceRow[]> {
  if (trackingIds.length === 0) return [];
  return db.run((sql) =>
    sql
      .select()
      .from(depositEvidence)
      .where(inArray(depositEvidence.trackingId, [...trackingIds])),
  );
}

/**
 * Replaces the evidence of a deposit by the given blocks. A block that is already stored for a transaction stays: if the
 * chain has replaced it, comparing it shows that the deposit must be stated again. Throws `store_unavailable`.
 */
export async function replaceEvidence(
  db: Database,
  { trackingId, blocks }: { trackingId: string; blocks: readonly EvidenceBlock[] },
): Promise<void> {
  const own = eq(depositEvidence.trackingId, trackingId);
  const kept = blocks.map(({ txHash }) => txHash);
  const gone = kept.length === 0 ? own : and(own, raw`not ${inArray(depositEvidence.txHash, kept)}`);
  await db.run((sql) => sql.delete(depositEvidence).where(gone));
  if (blocks.length === 0) return;
  await db.run((sql) =>
    sql
      .insert(depositEvidence)
      .values(blocks.map((block) => ({ trackingId, ...block })))
      .onConflictDoUpdate({
        target: [depositEvidence.trackingId, depositEvidence.chainId, depositEvidence.txHash],
        set: {
          blockNumber: raw`excluded.block_number`,
          blockHash: raw`excluded.block_hash`,
          checked: false,
          final: false,
        },
        setWhere: raw`${depositEvidence.blockHash} = ''`,
      }),
  );
}

/**
 * Adds blocks to the evidence of a deposit. What is already stored for a transaction stays, also if a reorg has replaced
 * its block. Throws `store_unavailable`.
 */
export async function addEvidence(
  db: Database,
  { trackingId, blocks }: { trackingId: string; blocks: readonly EvidenceBlock[] },
): Promise<void> {
  if (blocks.length === 0) return;
  await db.run((sql) =>
    sql
      .insert(depositEvidence)
      .values(blocks.map((block) => ({ trackingId, ...block })))
      .onConflictDoNothing(),
  );
}
