import { and, eq, not, sql as raw, type SQL } from "drizzle-orm";
import type { BlockId, BlockRange } from "../../lib/block-ranges.ts";
import type { Database } from "../database-client.ts";
import { flowCoverage, flowStarts, flows, flowTips } from "../schema/flow-tables.ts";
import { formatBlockSet } from "../table-columns.ts";
import type { FlowRow, StartSearch } from "./flow-queries.ts";

/** A vault's address, lower case, and the fingerprint of its flow sources. */
export interface SourcedVault {
  vaultAddress: string;
  source: string;
}

/** The result of one tip run: every block from `from` to the new head was read again. */
export interface TipStep {
  chainId: number;
  /** The version that the step was decided on. */
  version: number;
  run: string;
  from: number;
  final: BlockId;
  head: BlockId & { time: Date };
  span: number;
  movedAt: Date;
  /** Vaults whose events were read; others are no longer covered by the tip. */
  vaults: readonly string[];
  rows: readonly FlowRow[];
}

/** A range below the final block that was read for some vaults. */
export interface HistoryStep {
  chainId: number;
  read: BlockRange;
  vaults: readonly SourcedVault[];
  rows: readonly FlowRow[];
  span: number;
  at: Date;
}

/** Events of final blocks that may be missing, read while the tip had this version. */
export type OmittedStep = Pick<HistoryStep, "chainId" | "vaults" | "rows"> & Pick<TipStep, "version">;

/** Encodes a list as one parameter. */
const textArray = (list: readonly string[]): SQL =>
  raw`array(select jsonb_array_elements_text(${JSON.stringify(list)}::jsonb))`;
const valuesOf = (
  rows: readonly FlowRow[],
): SQL => raw`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(
  "txHash" text, "logIndex" int4, "vaultAddress" text, "userAddress" text, kind text,
  assets numeric, shares numeric, "blockNumber" int8, "blockHash" text, final bool)`;
const insertInto = (
  chainId: number,
): SQL => raw`insert into ${flows} (chain_id, tx_hash, log_index, vault_address,
  user_address, kind, assets, shares, block_number, block_hash, final)
  select ${chainId}::int4, given."txHash", given."logIndex", given."vaultAddress", given."userAddress", given.kind,
    given.assets, given.shares, given."blockNumber", given."blockHash", given.final`;

/**
 * Replaces the provisional rows by those of a tip run, makes its final part permanent and moves the tip, in one
 * batch; false, and nothing changed, when another run was first. Throws `store_unavailable`.
 */
export async function applyTipStep(db: Database, step: TipStep): Promise<boolean> {
  const { chainId, version, run, from } = step;
  const ours = raw`exists (select from ${flowTips} where ${flowTips.chainId} = ${chainId}
    and ${flowTips.version} = ${version + 1} and ${flowTips.run} = ${run})`;
  const listed = raw`${flowCoverage.vaultAddress} = any(${textArray(step.vaults)})`;
  const left = raw`int8multirange(int8range(${flowCoverage.followedFrom}, greatest(${from}::int8, followed_from)))`;
  const [moved] = await db.run((sql) =>
    sql.batch([
      sql
        .update(flowTips)
        .set({
          version: version + 1,
          run,
          finalBlock: step.final.number,
          finalHash: step.final.hash,
          headBlock: step.head.number,
          headHash: step.head.hash,
          headTime: step.head.time,
          span: step.span,
          movedAt: step.movedAt,
          error: null,
        })
        .where(and(eq(flowTips.chainId, chainId), eq(flowTips.version, version)))
        .returning({ version: flowTips.version }),
      sql.delete(flows).where(and(eq(flows.chainId, chainId), not(flows.final), ours)),
      sql.execute(
        raw`${insertInto(chainId)} from ${valuesOf(step.rows)} where ${ours} on conflict (chain_id, tx_hash, log_index) do nothing`,
      ),
      sql.execute(raw`update ${flowCoverage} set followed_from = ${from} where ${flowCoverage.chainId} = ${chainId}
        and ${flowCoverage.followedFrom} is null and ${listed} and ${ours}`),
      sql.execute(raw`update ${flowCoverage} set followed_from = null, done = ${flowCoverage.done} + ${left}
        where ${flowCoverage.chainId} = ${chainId} and ${flowCoverage.followedFrom} is not null
        and not ${listed} and ${ours}`),
    ]),
  );
  return moved.length === 1;
}

/**
 * Inserts a backfilled range together with its coverage, in one batch. Vaults whose sources have changed are left
 * out, and everything is when a reorg has moved the tip below the range. Idempotent. Throws `store_unavailable`.
 */
export async function applyHistoryStep(db: Database, step: HistoryStep): Promise<void> {
  const { chainId, read } = step;
  const reached = raw`exists (select from ${flowTips} where ${flowTips.chainId} = ${chainId}
    and ${flowTips.finalBlock} >= ${read.to})`;
  const known = raw`jsonb_to_recordset(${JSON.stringify(step.vaults)}::jsonb) as known("vaultAddress" text, source text)`;
  const unchanged = raw`${flowCoverage.chainId} = ${chainId} and ${flowCoverage.vaultAddress} = known."vaultAddress"
    and ${flowCoverage.source} = known.source`;
  await db.run((sql) =>
    sql.batch([
      // First, as in every batch on flows: locking the tip's row excludes other runs of the chain.
      sql.update(flowTips).set({ historyAt: step.at, span: step.span }).where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`update ${flowCoverage} set done = ${flowCoverage.done} + ${formatBlockSet([read])}::int8multirange
        from ${known} where ${unchanged} and ${reached}`),
      sql.execute(raw`${insertInto(chainId)} from ${valuesOf(step.rows)}
        join ${known} on known."vaultAddress" = given."vaultAddress" join ${flowCoverage} on ${unchanged}
        where ${reached} on conflict (chain_id, tx_hash, log_index) do update set
        vault_address = excluded.vault_address, user_address = excluded.user_address, kind = excluded.kind,
        assets = excluded.assets, shares = excluded.shares, block_number = excluded.block_number,
        block_hash = excluded.block_hash, final = true where not ${flows.final}`),
    ]),
  );
}

/**
 * Inserts final events that are not stored yet and returns their number; 0 when another run was first. Vaults whose
 * sources have changed are left out. Throws `store_unavailable`.
 */
export async function addOmittedFlows(db: Database, step: OmittedStep): Promise<number> {
  const { chainId } = step;
  const [, added] = await db.run((sql) =>
    sql.batch([
      // First, as in every batch on flows: locks the tip's row.
      sql
        .update(flowTips)
        .set({ span: raw`${flowTips.span}` })
        .where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`${insertInto(chainId)} from ${valuesOf(step.rows)}
        join jsonb_to_recordset(${JSON.stringify(step.vaults)}::jsonb) as known("vaultAddress" text, source text)
          on known."vaultAddress" = given."vaultAddress"
        join ${flowCoverage} on ${flowCoverage.chainId} = ${chainId}
          and ${flowCoverage.vaultAddress} = known."vaultAddress" and ${flowCoverage.source} = known.source
          and ${flowCoverage.startBlock} <= given."blockNumber"
        where exists (select from ${flowTips} where ${flowTips.chainId} = ${chainId}
          and ${flowTips.version} = ${step.version} and ${flowTips.finalBlock} >= given."blockNumber")
        on conflict (chain_id, tx_hash, log_index) do nothing returning ${flows.txHash}`),
    ]),
  );
  return added.rows.length;
}

/** Makes runs that were decided on an older version write nothing. */
const invalidate = { version: raw`${flowTips.version} + 1`, run: "" };

/**
 * Deletes the history of vaults whose sources have changed, so that it is read again. Runs that began earlier write
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
      // A start block of other contracts does not apply.
      sql.execute(raw`delete from ${flowStarts} using ${given} where ${flowStarts.chainId} = ${chainId}
        and ${flowStarts.vaultAddress} = given."vaultAddress" and ${flowStarts.source} <> given.source`),
      sql.execute(raw`delete from ${flows} using ${given}
        where ${flows.chainId} = ${chainId} and ${flows.vaultAddress} = given."vaultAddress"`),
    ]),
  );
}

/**
 * Deletes the flows of a chain from block `from` on, for all vaults, so that they are read again, as after a deep
 * reorg. Runs that began earlier write nothing. Throws `store_unavailable`.
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

/** Stores the last run's error, or when backfill was queued. Throws `store_unavailable`. */
export async function writeFlowNote(
  db: Database,
  note: { chainId: number; change: { error: string } | { historyAt: Date } },
): Promise<void> {
  await db.run((sql) => sql.update(flowTips).set(note.change).where(eq(flowTips.chainId, note.chainId)));
}

/**
 * Stores the progress of searches for start blocks. Overlapping runs may undo a part of each other's progress,
 * nothing more. Throws `store_unavailable`.
 */
export async function writeStartSearches(
  db: Database,
  note: { chainId: number; searches: readonly StartSearch[] },
): Promise<void> {
  const { chainId, searches } = note;
  await db.run((sql) =>
    sql
      .insert(flowStarts)
      .values(searches.map((search) => ({ ...search, chainId })))
      .onConflictDoUpdate({
        target: [flowStarts.chainId, flowStarts.vaultAddress],
        set: {
          source: raw`excluded.source`,
          absentAt: raw`excluded.absent_at`,
          presentAt: raw`excluded.present_at`,
          doubts: raw`excluded.doubts`,
          startBlock: raw`excluded.start_block`,
        },
      }),
  );
}
