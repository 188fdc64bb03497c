import { and, asc, eq, inArray, isNotNull, ne, or, sql as raw, type SQL } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints } from "../tables/deposit-tracking-tables.ts";
import { type DepositRow, type EvidenceBlock, firstRow, type TrackedRow } from "./deposit-queries.ts";

/**
 * A row of the table `deposit_evidence`: the block of a transaction that proves the state of a deposit or withdrawal.
 */
export type EvidenceRow = typeof depositEvidence.$inferSelect;

/** Selects the evidence of deposits and withdrawals, in no particular order. Throws `store_unavailable`. */
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
 * Replaces the evidence of a deposit or withdrawal with the given blocks. The stored block of a transaction is
 * overwritten only if its hash is empty, which marks it as replaced by a reorg; otherwise the comparison with the chain
 * shows whether the state must be derived again. Stores the new blocks first and deletes the others in a second
 * statement, so that a failure leaves too much and never too little. Throws `store_unavailable`.
 */
export async function replaceEvidence(
  db: Database,
  { trackingId, blocks }: { trackingId: string; blocks: readonly EvidenceBlock[] },
): Promise<void> {
  const own = eq(depositEvidence.trackingId, trackingId);
  const kept = blocks.map(({ txHash }) => txHash);
  const gone = kept.length === 0 ? own : and(own, raw`not ${inArray(depositEvidence.txHash, kept)}`);
  if (blocks.length > 0)
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
  await db.run((sql) => sql.delete(depositEvidence).where(gone));
}

/** A tracked row and a transaction that may belong to it. */
interface Claimed {
  row: TrackedRow;
  hash: Hex;
}

/**
 * Returns true if a transaction belongs to another deposit or withdrawal that has the same source chain and calldata as
 * `row`. This is the case if the transaction is the proven source of the other; or if the other is unproven and has the
 * same user, and the transaction was reported for it but not for `row`. Throws `store_unavailable`.
 */
export function isSourceOfAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const proven = and(
    eq(deposits.sourceTxHash, hash),
    eq(deposits.sourceProven, true),
    eq(deposits.sourceDataHash, row.sourceDataHash),
  );
  const reported = (trackingId: SQL | string) => raw`exists (select from ${depositHints} as hint
    where hint.tracking_id = ${trackingId} and hint.tx_hash = ${hash} and hint.origin = 'report')`;
  const twin = and(
    eq(deposits.userAddress, row.userAddress),
    eq(deposits.sourceDataHash, row.sourceDataHash),
    eq(deposits.sourceProven, false),
    reported(raw`${deposits.trackingId}`),
    raw`not ${reported(row.trackingId)}`,
  );
  const where = and(or(proven, twin), eq(deposits.fromChainId, row.fromChainId));
  return otherDepositExists(db, { row, where });
}

/**
 * Returns true if a transaction on the destination chain is recorded as the delivery of another deposit or withdrawal
 * of the same user. Throws `store_unavailable`.
 */
export function isDeliveryOfAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const chainId = row.direction === "withdrawal" ? row.toChainId : row.vaultChainId;
  const onChain = raw`coalesce(${deposits.toChainId}, ${deposits.vaultChainId}) = ${chainId}`;
  const own = and(eq(deposits.userAddress, row.userAddress), onChain);
  return otherDepositExists(db, { row, where: and(eq(deposits.destinationTxHash, hash), own) });
}

/**
 * Returns true if a transaction on the source chain is recorded as the refund of another deposit or withdrawal of the
 * same user. Throws `store_unavailable`.
 */
export function isRefundOfAnother(db: Database, { row, hash }: Claimed): Promise<boolean> {
  const own = and(eq(deposits.userAddress, row.userAddress), eq(deposits.fromChainId, row.fromChainId));
  return otherDepositExists(db, { row, where: and(eq(deposits.refundTxHash, hash), own) });
}

async function otherDepositExists(
  db: Database,
  of: { row: TrackedRow; where: SQL | undefined },
): Promise<boolean> {
  return (await firstRow(db, and(of.where, ne(deposits.trackingId, of.row.trackingId)))) !== null;
}

/** Maximum number of other deposit requests that are compared; an account has far fewer open with one vault. */
const MAX_OTHER_REQUESTS = 50;

/**
 * Selects the user's other proven deposits into the same asynchronous vault, at most 50: those with open requests,
 * oldest first, then those whose requests were claimed, newest first. Throws `store_unavailable`.
 */
export async function selectOtherRequests(
  db: Database,
  {
    trackingId,
    userAddress,
    vaultChainId,
    vaultAddress,
  }: Pick<DepositRow, "trackingId" | "userAddress" | "vaultChainId" | "vaultAddress">,
): Promise<DepositRow[]> {
  const open = inArray(deposits.state, ["requested", "claimable"]);
  const claimed = and(eq(deposits.state, "completed"), isNotNull(deposits.claimTxHash));
  const isClaimed = raw`${deposits.state} = 'completed'`;
  const since = raw`extract(epoch from ${deposits.createdAt})`;
  const age = raw`case when ${isClaimed} then -${since} else ${since} end`;
  const own = and(
    eq(deposits.direction, "deposit"),
    eq(deposits.userAddress, userAddress),
    eq(deposits.vaultChainId, vaultChainId),
    eq(deposits.vaultAddress, vaultAddress),
    ne(deposits.trackingId, trackingId),
    eq(deposits.depositProven, true),
    or(open, claimed),
  );
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(deposits)
      .where(own)
      // Claimed ones become ever more: the oldest of them must not crowd out those that are open.
      .orderBy(asc(isClaimed), asc(age), asc(deposits.trackingId))
      .limit(MAX_OTHER_REQUESTS),
  );
  return rows as DepositRow[];
}
