import { and, eq, ne, notInArray, or, sql as raw, type SQL } from "drizzle-orm";
import { deposits } from "../tables/deposit-tables.ts";

type StoredRow = typeof deposits.$inferSelect;

/**
 * SQL condition of the deposits whose deposit transaction is their own: not that of a continuation, from which they took
 * it over, nor one that was given to an equal deposit in exchange for their own. Only the first of several in one
 * transaction is `depositProven`.
 */
export const ownsDeposit = raw`(${deposits.depositProven}
  or ${deposits.state} in ('requested', 'claimable', 'completed', 'partial', 'refunded', 'failed')
    and (${deposits.provider} is null and ${deposits.sourceProven} and ${deposits.depositTxHash} = ${deposits.sourceTxHash}
      or ${deposits.provider} is not null and ${deposits.depositTxHash} is not null
        and not exists (select from ${deposits} as child where child.parent_tracking_id = ${deposits.trackingId}
          and child.source_proven and ${deposits.depositTxHash} in (child.source_tx_hash, child.deposit_tx_hash))))`;

/** The columns of a row by which `madeTogether` finds others in its transaction. */
type MadeRow = Pick<
  StoredRow,
  "trackingId" | "direction" | "userAddress" | "vaultChainId" | "shareToken" | "parentTrackingId"
>;

/**
 * SQL condition of the user's other rows in the direction of `row` that a transaction is known to have made: deposits for
 * the same share token, or second steps of withdrawals on the same chain. What the parent of `row` took over may be its
 * own.
 */
export function madeTogether(row: MadeRow, hash: string): SQL | undefined {
  const ofDeposits = [
    eq(deposits.shareToken, row.shareToken),
    ownsDeposit,
    or(eq(deposits.depositProven, true), ne(deposits.trackingId, row.parentTrackingId ?? "")),
  ];
  return and(
    eq(deposits.depositTxHash, hash),
    eq(deposits.direction, row.direction),
    eq(deposits.userAddress, row.userAddress),
    eq(deposits.vaultChainId, row.vaultChainId),
    ne(deposits.trackingId, row.trackingId),
    ...(row.direction === "deposit" ? ofDeposits : []),
  );
}

/**
 * A row whose deposit transaction was compared with those of others, and the tracking ids of all that the transaction was
 * known to have made (`madeTogether`).
 */
export interface Compared {
  row: MadeRow;
  besides: readonly string[];
  /** Tracking ids of the rows that share its source transaction, each with a call of its own. Absent: `besides`. */
  sharing?: readonly string[];
}

/**
 * SQL condition: a transaction is known to have made no other row than those that a row was compared with. None if it was
 * compared with nothing, or without a transaction.
 */
export function madeNoOther(compared: Compared | null, hash: string | null): SQL | undefined {
  if (compared === null || hash === null) return undefined;
  const { row, besides } = compared;
  const isNew = besides.length === 0 ? undefined : notInArray(deposits.trackingId, [...besides]);
  return raw`not exists (select from ${deposits} where ${and(madeTogether(row, hash), isNew)})`;
}

/**
 * Returns the first statement of a batch that alone may change what belongs to any of the given transactions or rows
 * until it is committed: its next statements see what the writer before it has stored.
 */
export const lockKeys = (keys: readonly (string | null)[]): SQL =>
  raw`select pg_advisory_xact_lock(hashtextextended(key, 0))
    from jsonb_array_elements_text(${JSON.stringify(keys.filter((key) => key !== null).sort())}::jsonb) as key`;
