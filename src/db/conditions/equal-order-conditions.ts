import { sql as raw, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { deposits } from "../tables/deposit-tables.ts";
import { depositHints } from "../tables/deposit-tracking-tables.ts";
import type { Compared } from "./same-transaction-conditions.ts";

type Continuation = "vaultChainId" | "vaultAddress" | "toChainId" | "moveToken" | "twoStep";

/** A row with the columns that `continuesAlike` compares; only withdrawals have `toChainId`. */
type ContinuedRow = Pick<typeof deposits.$inferSelect, Exclude<Continuation, "toChainId">> & {
  toChainId?: number | null;
};

/** Returns the columns of a row that `continuesAlike` compares, as typed SQL values. */
export const continuationOf = (row: ContinuedRow): Record<Continuation, SQL> => ({
  vaultChainId: raw`${row.vaultChainId}::int4`,
  vaultAddress: raw`${row.vaultAddress}::text`,
  toChainId: raw`${row.toChainId ?? null}::int4`,
  moveToken: raw`${row.moveToken}::text`,
  twoStep: raw`${row.twoStep}::bool`,
});

/**
 * SQL condition: the table row with the alias `other` and the given `row`, which have the same call, also continue in
 * the same way after their source transaction: vault, `moveToken`, `toChainId` and `twoStep` are equal (null = null).
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
 * SQL condition of the table row with the given tracking id: the transaction `hash` is not proven as the source of another
 * row of its user with the same call that continues alike (`continuesAlike`), other than those that it was compared with:
 * the row has another one of several equal calls. Those that go on otherwise may have it too: `selectSourceHolder` says
 * which rows leave it to them.
 */
export const isFreeSource = (
  trackingId: string,
  { hash, compared }: { hash: string | null; compared: Compared | null },
): SQL =>
  // One bundle may contain the same call of several accounts.
  raw`not exists (select from ${deposits} as other where other.source_tx_hash = ${hash}::text
    and other.source_proven and other.tracking_id <> ${trackingId} and other.user_address = ${deposits.userAddress}
    and other.from_chain_id = ${deposits.fromChainId} and other.source_to = ${deposits.sourceTo}
    and other.source_data_hash = ${deposits.sourceDataHash} and ${continuesAlike(raw`other`, deposits)}
    and not ${JSON.stringify(compared?.sharing ?? compared?.besides ?? [])}::jsonb ? other.tracking_id)`;

/**
 * SQL condition of the rows with a proven source transaction whose hash, called contract and calldata hash are those of
 * the given row. Users are not compared: one bundle may contain the same call of several users.
 */
export const sharesSource = (
  row: Pick<typeof deposits.$inferSelect, "sourceTxHash" | "sourceTo" | "sourceDataHash">,
): SQL => raw`(${deposits.sourceProven} and ${deposits.sourceTxHash} is not distinct from ${row.sourceTxHash}::text
  and ${deposits.sourceTo} = ${row.sourceTo} and ${deposits.sourceDataHash} = ${row.sourceDataHash})`;

/**
 * SQL time at which the transaction `hash` is first known: by a hint, or by a row's first state. Infinity if by neither.
 */
export const knownSince = (hash: SQL): SQL => raw`coalesce(least(
    (select min(heard.noted_at) from ${depositHints} as heard where heard.tx_hash = ${hash}),
    (select min((seen.history->1->>'at')::timestamptz) from ${deposits} as seen
      where seen.source_tx_hash = ${hash} and seen.history->1->>'state' <> 'abandoned')), 'infinity')`;

/**
 * SQL time by which to sort the table row `row` of those with the call of a transaction that is known since `since`
 * (`knownSince`), descending and null last: that of its build, or null if the transaction was known before. Anyone can
 * build the call: users shortly before they send it, others at any time, but they do not know when.
 */
export const builtForSource = (row: SQL, since: SQL): SQL =>
  raw`(case when ${row}.created_at <= ${since} then ${row}.created_at end)`;

/**
 * SQL condition that keeps, of a user's rows with the same call and the same proven source transaction, those that go on
 * in one way: as the one with a deposit transaction before others, then a completed one, then the first that was built. A
 * row that shares its source transaction with no other, or has no proven one, always meets it. Several that continue alike
 * have a call each.
 */
export const isCounted = raw`(not ${deposits.sourceProven} or coalesce((
  select ${continuesAlike(raw`first`, deposits)} from ${deposits} as first
  where first.source_tx_hash = ${deposits.sourceTxHash} and first.source_proven
  and first.from_chain_id = ${deposits.fromChainId} and first.source_to = ${deposits.sourceTo}
  and first.source_data_hash = ${deposits.sourceDataHash} and first.user_address = ${deposits.userAddress}
  order by first.deposit_tx_hash is null, first.state <> 'completed', first.created_at, first.tracking_id
  limit 1), true))`;
