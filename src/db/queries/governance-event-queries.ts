import { and, asc, eq, gte, lt, sql as raw } from "drizzle-orm";
import { DAY_MS } from "../../lib/durations.ts";
import type { Database } from "../database-client.ts";
import { controlEvents, flowTips } from "../tables/flow-tables.ts";

/** A row of the table `control_events`: a governance event of a vault. */
export type ControlEventRow = typeof controlEvents.$inferSelect;

/** How long governance events are kept, in milliseconds; the signal rules need one day. */
const KEPT_MS = 8 * DAY_MS;

/**
 * Inserts a chain's governance events up to block `to`, records that block as read, and deletes the chain's events
 * stored more than eight days ago. Throws `store_unavailable`.
 */
export async function writeControlEvents(
  db: Database,
  step: { chainId: number; to: number; rows: readonly ControlEventRow[]; at: Date },
): Promise<void> {
  const { chainId, to, rows, at } = step;
  await db.run((sql) =>
    sql.batch([
      sql
        .update(flowTips)
        .set({ controlsTo: raw`greatest(${flowTips.controlsTo}, ${to}::int8)` })
        .where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`insert into ${controlEvents} (chain_id, vault_address, tx_hash, log_index, emitter, topics, data,
          block_number, block_time, noted_at)
        select given."chainId", given."vaultAddress", given."txHash", given."logIndex", given.emitter, given.topics,
          given.data, given."blockNumber", given."blockTime", given."notedAt"
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given("chainId" int4, "vaultAddress" text,
          "txHash" text, "logIndex" int4, emitter text, topics jsonb, data text, "blockNumber" int8,
          "blockTime" timestamptz, "notedAt" timestamptz)
        on conflict do nothing`),
      sql
        .delete(controlEvents)
        .where(and(eq(controlEvents.chainId, chainId), lt(controlEvents.notedAt, new Date(+at - KEPT_MS)))),
    ]),
  );
}

/**
 * Selects the governance events of the given vaults (lowercase addresses) that were stored at or after the time
 * `since`, sorted by block number and log index. Throws `store_unavailable`.
 */
export function selectControlEvents(
  db: Database,
  query: { since: Date; vaults: readonly { chainId: number; vaultAddress: string }[] },
): Promise<ControlEventRow[]> {
  const ids = JSON.stringify(query.vaults.map(({ chainId, vaultAddress }) => `${chainId}:${vaultAddress}`));
  const ofThem = raw`${controlEvents.chainId} || ':' || ${controlEvents.vaultAddress} = any(array(
    select jsonb_array_elements_text(${ids}::jsonb)))`;
  return db.run((sql) =>
    sql
      .select()
      .from(controlEvents)
      .where(and(gte(controlEvents.notedAt, query.since), ofThem))
      .orderBy(asc(controlEvents.blockNumber), asc(controlEvents.logIndex)),
  );
}
