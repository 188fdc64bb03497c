import { sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { deposits } from "../tables/deposit-tables.ts";
import { depositEvidence, depositHints, followedChains } from "../tables/deposit-tracking-tables.ts";

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
