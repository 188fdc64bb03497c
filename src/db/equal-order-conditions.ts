import { sql as raw, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { deposits } from "./tables/deposit-tables.ts";
import { depositHints } from "./tables/deposit-tracking-tables.ts";

type Continuation = "vaultChainId" | "vaultAddress" | "toChainId" | "moveToken" | "twoStep";

/** A row with the columns that `continuesAlike` compares; only withdrawals have `toChainId`. */
type ContinuedRow = Pick<typeof deposits.$inferSelect, Exclude<Continuation, "toChainId">> & {
  toChainId?: number | null;
};

/** SQL of the columns of a given row that `continuesAlike` compares. */
export const continuationOf = (row: ContinuedRow): Record<Continuation, SQL> => ({
  vaultChainId: raw`${row.vaultChainId}::int4`,
  vaultAddress: raw`${row.vaultAddress}::text`,
  toChainId: raw`${row.toChainId ?? null}::int4`,
  moveToken: raw`${row.moveToken}::text`,
  twoStep: raw`${row.twoStep}::bool`,
});

/**
 * SQL condition that a row with the alias `other` continues after its source transaction as another one with the same
 * call does: its vault, `moveToken`, `toChainId` and `twoStep` are the same.
 */
export const continuesAlike = (other: SQL, row: Record<Continuation, SQL | AnyPgColumn>): SQL =>
  raw`((${other}.vault_chain_id, ${other}.vault_address, ${other}.to_chain_id, ${other}.move_token, ${other}.two_step)
    is not distinct from (${row.vaultChainId}, ${row.vaultAddress}, ${row.toChainId}, ${row.moveToken}, ${row.twoStep}))`;

/**
 * SQL condition: a report of the transaction `hash`, on any chain, is stored for the deposit or withdrawal
 * `trackingId`, even if its hint was dropped. Anyone can report any transaction, so a report proves nothing.
 */
export const isReportedFor = (trackingId: SQL, hash: SQL): SQL<boolean> =>
  raw<boolean>`exists (select from ${depositHints} as told where told.tracking_id = ${trackingId}
    and told.tx_hash = ${hash} and told.origin <> 'logs')`;

/**
 * SQL condition of the rows whose proven source transaction is that of a given row, by the same call: what the
 * transaction did, it did for both.
 */
export const sharesSource = (
  row: Pick<typeof deposits.$inferSelect, "sourceTxHash" | "sourceTo" | "sourceDataHash">,
): SQL => raw`(${deposits.sourceProven} and ${deposits.sourceTxHash} is not distinct from ${row.sourceTxHash}::text
  and ${deposits.sourceTo} = ${row.sourceTo} and ${deposits.sourceDataHash} = ${row.sourceDataHash})`;

/**
 * SQL condition that keeps only one of the rows that share a source transaction because they have the same call: one
 * with `depositProven` before others, then a completed one, then the first that was built. Rows that share none meet
 * it.
 */
export const isCounted = raw`not (${deposits.sourceProven} and exists (select from ${deposits} as other
  where other.source_tx_hash = ${deposits.sourceTxHash} and other.source_proven
  and other.from_chain_id = ${deposits.fromChainId} and other.source_to = ${deposits.sourceTo}
  and other.source_data_hash = ${deposits.sourceDataHash} and other.user_address = ${deposits.userAddress}
  and (not other.deposit_proven, other.state <> 'completed', other.created_at, other.tracking_id)
    < (not ${deposits.depositProven}, ${deposits.state} <> 'completed', ${deposits.createdAt}, ${deposits.trackingId})))`;
