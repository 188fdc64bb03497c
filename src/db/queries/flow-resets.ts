import { and, eq, sql as raw } from "drizzle-orm";
import type { Database } from "../client.ts";
import { flowCoverage, flowStarts, flows, flowTips } from "../schema/flows.ts";
import type { SourcedVault } from "./flow-steps.ts";

/** A run that was decided on an older version writes nothing. */
const invalidate = { version: raw`${flowTips.version} + 1`, run: "" };

/**
 * Forgets the history of vaults whose sources have changed, so that it is read again. Runs that began before write
 * nothing. Throws `store_unavailable`.
 */
export async function resetFlows(
  db: Database,
  reset: { chainId: number; vaults: readonly SourcedVault[] },
): Promise<void> {
  const { chainId } = reset;
  const given = raw`jsonb_to_recordset(${JSON.stringify(reset.vaults)}::jsonb) as given("vaultAddress" text, source text)`;
  await db.run((sql) =>
    sql.batch([
      sql.update(flowTips).set(invalidate).where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`update ${flowCoverage} set source = given.source, followed_from = null, done = '{}'
        from ${given} where ${flowCoverage.chainId} = ${chainId}
        and ${flowCoverage.vaultAddress} = given."vaultAddress"`),
      // The first block that was searched for other contracts is none of these.
      sql.execute(raw`delete from ${flowStarts} using ${given} where ${flowStarts.chainId} = ${chainId}
        and ${flowStarts.vaultAddress} = given."vaultAddress" and ${flowStarts.source} <> given.source`),
      sql.execute(raw`delete from ${flows} using ${given}
        where ${flows.chainId} = ${chainId} and ${flows.vaultAddress} = given."vaultAddress"`),
    ]),
  );
}

/**
 * Forgets what a chain's blocks from `from` on showed, for all vaults, so that it is read again. Runs that began
 * before write nothing. Throws `store_unavailable`.
 */
export async function rewindFlows(db: Database, rewind: { chainId: number; from: number }): Promise<void> {
  const { chainId, from } = rewind;
  const below = raw`int8multirange(int8range(0, ${from}::int8))`;
  const followed = raw`case when followed_from is null or followed_from > coalesce(tip.final_block, -1) then '{}'
    else int8multirange(int8range(followed_from, tip.final_block, '[]')) end`;
  await db.run((sql) =>
    sql.batch([
      sql.update(flowTips).set(invalidate).where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`update ${flowCoverage} set followed_from = null, done = ${below} * (done + ${followed})
        from ${flowTips} as tip where tip.chain_id = ${chainId} and ${flowCoverage.chainId} = ${chainId}`),
      sql
        .update(flowTips)
        .set({
          ...{ finalBlock: null, finalHash: null, headBlock: null, headHash: null, headTime: null },
          controlsTo: raw`case when ${flowTips.controlsTo} > ${from - 1}::int8 then ${from - 1}::int8 else ${flowTips.controlsTo} end`,
        })
        .where(eq(flowTips.chainId, chainId)),
      sql
        .delete(flows)
        .where(and(eq(flows.chainId, chainId), raw`(${flows.blockNumber} >= ${from} or not ${flows.final})`)),
    ]),
  );
}

/** Notes what a run met, or when it handed out work on history. Throws `store_unavailable`. */
export async function noteFlows(
  db: Database,
  note: { chainId: number; change: { error: string } | { historyAt: Date } },
): Promise<void> {
  await db.run((sql) => sql.update(flowTips).set(note.change).where(eq(flowTips.chainId, note.chainId)));
}
