import { and, eq, not, sql as raw, type SQL } from "drizzle-orm";
import type { BlockId, BlockRange } from "../../lib/block-ranges.ts";
import type { Database } from "../database-client.ts";
import { flowCoverage, flowStarts, flows, flowTips } from "../tables/flow-tables.ts";
import { formatBlockSet } from "../tables/table-columns.ts";
import type { FlowRow, StartSearch } from "./flow-queries.ts";

/** A vault's lowercase address, with the fingerprint of the contracts and events from which its flows are read. */
export interface SourcedVault {
  vaultAddress: string;
  source: string;
}

/** Result of one tip run, which reads the flows in all blocks of a chain from `from` to the new head. */
export interface TipStep {
  chainId: number;
  /** Version of the tip on which the step is based. */
  version: number;
  /** Id of the run, which no other run uses. */
  run: string;
  from: number;
  final: BlockId;
  head: BlockId & { time: Date };
  /** Number of blocks in one `eth_getLogs` request, as learnt in this run. */
  span: number;
  movedAt: Date;
  /** Lowercase addresses of the vaults whose flows were read; the tip no longer covers other vaults. */
  vaults: readonly string[];
  /** Flows from block `from` on; those up to the final block are marked as final. */
  rows: readonly FlowRow[];
}

/**
 * All flows of some vaults in the block range `read`, which was final when it was read. `span` is the number of blocks
 * in one `eth_getLogs` request as learnt in this run, and `at` the time of the run.
 */
export interface HistoryStep {
  chainId: number;
  read: BlockRange;
  vaults: readonly SourcedVault[];
  rows: readonly FlowRow[];
  span: number;
  at: Date;
}

/** Final flows that may be missing from the table `flows`. `version` is the version of the tip when they were read. */
export type OmittedStep = Pick<HistoryStep, "chainId" | "vaults" | "rows"> & Pick<TipStep, "version">;

/** Encodes a list of texts as one parameter. */
const textArray = (list: readonly string[]): SQL =>
  raw`array(select jsonb_array_elements_text(${JSON.stringify(list)}::jsonb))`;
const valuesOf = (
  rows: readonly FlowRow[],
): SQL => raw`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(
  "txHash" text, "logIndex" int4, "vaultAddress" text, "userAddress" text, kind text,
  assets numeric, shares numeric, "requestId" text, "blockNumber" int8, "blockHash" text, final bool, "conversionTries" int4)`;
const insertInto = (
  chainId: number,
): SQL => raw`insert into ${flows} (chain_id, tx_hash, log_index, vault_address,
  user_address, kind, assets, shares, request_id, block_number, block_hash, final, conversion_tries)
  select ${chainId}::int4, given."txHash", given."logIndex", given."vaultAddress", given."userAddress", given.kind,
    given.assets, given.shares, given."requestId", given."blockNumber", given."blockHash", given.final,
    coalesce(given."conversionTries", 0)`;

/**
 * Stores the result of a tip run in one transaction: replaces the provisional flows, moves the tip, and updates which
 * vaults it covers. Changes nothing and returns false if the tip has another version. Throws `store_unavailable`.
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
        raw`${insertInto(chainId)} from ${valuesOf(step.rows)} where ${ours}
          on conflict (chain_id, tx_hash, log_index) do nothing`,
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
 * Stores a backfilled range's flows and coverage: of vaults with unchanged flow sources, and only if the range is still
 * final; `at` and `span` in any case. A stored final flow is replaced only to add a request id. Throws
 * `store_unavailable`.
 */
export async function applyHistoryStep(db: Database, step: HistoryStep): Promise<void> {
  const { chainId, read } = step;
  const reached = raw`exists (select from ${flowTips} where ${flowTips.chainId} = ${chainId}
    and ${flowTips.finalBlock} >= ${read.to})`;
  const vaults = JSON.stringify(step.vaults);
  const known = raw`jsonb_to_recordset(${vaults}::jsonb) as known("vaultAddress" text, source text)`;
  const unchanged = raw`${flowCoverage.chainId} = ${chainId} and ${flowCoverage.vaultAddress} = known."vaultAddress"
    and ${flowCoverage.source} = known.source`;
  await db.run((sql) =>
    sql.batch([
      // First, as in every batch on flows: locking the tip's row excludes other runs on the chain.
      sql.update(flowTips).set({ historyAt: step.at, span: step.span }).where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`update ${flowCoverage} set done = ${flowCoverage.done} + ${formatBlockSet([read])}::int8multirange
        from ${known} where ${unchanged} and ${reached}`),
      sql.execute(raw`${insertInto(chainId)} from ${valuesOf(step.rows)}
        join ${known} on known."vaultAddress" = given."vaultAddress" join ${flowCoverage} on ${unchanged}
        where ${reached} on conflict (chain_id, tx_hash, log_index) do update set
        vault_address = excluded.vault_address, user_address = excluded.user_address, kind = excluded.kind,
        assets = coalesce(excluded.assets, case when ${flows.final} and ${flows.blockHash} = excluded.block_hash
          then ${flows.assets} end), shares = excluded.shares, request_id = excluded.request_id,
        block_number = excluded.block_number, block_hash = excluded.block_hash, final = true
        where not ${flows.final}
          or (${flows.requestId} is null and excluded.request_id is not null)`),
    ]),
  );
}

/**
 * Inserts final flows that are not stored yet, and returns their number. Leaves out flows below the start block, above
 * the final block or from outdated sources, and all if the tip has another version. Throws `store_unavailable`.
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

/**
 * Result of attempts to convert final flows: `tried` with the computed amounts of assets (null: still unknown), and
 * `failed`, whose attempts do not count. `at` is the time of the attempts.
 */
export interface ConversionStep {
  tried: readonly FlowRow[];
  failed: readonly FlowRow[];
  at: Date;
}

/**
 * Stores the result of attempts to convert final flows. Flows that are in another block by now, or have an amount
 * already, are left alone. Throws `store_unavailable`.
 */
export async function writeConversions(
  db: Database,
  { chainId, tried, failed, at }: ConversionStep & { chainId: number },
): Promise<void> {
  const write = (rows: readonly FlowRow[], set: SQL): SQL => raw`update ${flows} set ${set},
    conversion_tried_at = ${at}::timestamptz from ${valuesOf(rows)} where ${flows.chainId} = ${chainId}
    and ${flows.txHash} = given."txHash" and ${flows.logIndex} = given."logIndex"
    and ${flows.blockHash} = given."blockHash" and ${flows.assets} is null and ${flows.final}`;
  await db.run((sql) =>
    sql.batch([
      // First, as in every batch on flows: locks the tip's row.
      sql
        .update(flowTips)
        .set({ span: raw`${flowTips.span}` })
        .where(eq(flowTips.chainId, chainId)),
      sql.execute(write(tried, raw`assets = given.assets, conversion_tries = conversion_tries + 1`)),
      sql.execute(write(failed, raw`conversion_tries = conversion_tries`)),
    ]),
  );
}

/** New version of the tip, so that runs based on an older version write nothing. */
const invalidate = { version: raw`${flowTips.version} + 1`, run: "" };

/**
 * Discards the flows, coverage and outdated start blocks of vaults, so that their history is read again from other
 * contracts or events (`source`). A tip run in progress then stores no flows. Throws `store_unavailable`.
 */
export async function resetFlows(
  db: Database,
  reset: { chainId: number; vaults: readonly SourcedVault[] },
): Promise<void> {
  const { chainId } = reset;
  const vaults = JSON.stringify(reset.vaults);
  const given = raw`jsonb_to_recordset(${vaults}::jsonb) as given("vaultAddress" text, source text)`;
  await db.run((sql) =>
    sql.batch([
      sql.update(flowTips).set(invalidate).where(eq(flowTips.chainId, chainId)),
      sql.execute(raw`update ${flowCoverage} set source = given.source, followed_from = null, done = '{}'
        from ${given} where ${flowCoverage.chainId} = ${chainId}
        and ${flowCoverage.vaultAddress} = given."vaultAddress"`),
      // A start block found for other contracts does not apply.
      sql.execute(raw`delete from ${flowStarts} using ${given} where ${flowStarts.chainId} = ${chainId}
        and ${flowStarts.vaultAddress} = given."vaultAddress" and ${flowStarts.source} <> given.source`),
      sql.execute(raw`delete from ${flows} using ${given}
        where ${flows.chainId} = ${chainId} and ${flows.vaultAddress} = given."vaultAddress"`),
    ]),
  );
}

/**
 * Deletes a chain's flows and coverage from block `from` on and all provisional flows, and clears the tip, so that
 * these flows and the governance events from that block on are read again. A tip run in progress then stores no flows.
 * Throws `store_unavailable`.
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
          controlsTo: raw`case when ${flowTips.controlsTo} > ${from - 1}::int8 then ${from - 1}::int8
            else ${flowTips.controlsTo} end`,
        })
        .where(eq(flowTips.chainId, chainId)),
      sql
        .delete(flows)
        .where(and(eq(flows.chainId, chainId), raw`(${flows.blockNumber} >= ${from} or not ${flows.final})`)),
    ]),
  );
}

/**
 * Stores the error code of a failed index run on a chain (null clears it), or the time at which backfill messages were
 * queued. Does nothing for a chain without a tip. Throws `store_unavailable`.
 */
export async function writeFlowNote(
  db: Database,
  note: { chainId: number; change: { error: string | null } | { historyAt: Date } },
): Promise<void> {
  await db.run((sql) => sql.update(flowTips).set(note.change).where(eq(flowTips.chainId, note.chainId)));
}

/**
 * Stores the progress of searches for vaults' start blocks; `searches` must not be empty. Overlapping runs can undo a
 * part of each other's progress. Throws `store_unavailable`.
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
