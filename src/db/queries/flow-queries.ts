import { and, asc, desc, eq, isNotNull, isNull, not, sql as raw } from "drizzle-orm";
import * as z from "zod";
import type { BlockId } from "../../lib/block-ranges.ts";
import type { Database } from "../database-client.ts";
import { convertible, flowCoverage, flowStarts, flows, flowTips } from "../tables/flow-tables.ts";
import { vaults } from "../tables/vault-tables.ts";
import { isKnownToUsers } from "./vault-queries.ts";

/** A row of the table `flows`: a deposit to or a withdrawal from a vault. */
export type FlowRow = typeof flows.$inferSelect;
/**
 * A row of the table `flow_tips`: the last block up to which the flows of a chain are indexed (the tip), and the state
 * of its indexing.
 */
export type FlowTip = typeof flowTips.$inferSelect;
/** Coverage of a vault: the blocks whose flows are stored. */
export type VaultCoverage = Pick<
  typeof flowCoverage.$inferSelect,
  "vaultAddress" | "startBlock" | "source" | "followedFrom" | "done"
>;
/** Progress of the search for a vault's start block. */
export type StartSearch = Omit<typeof flowStarts.$inferSelect, "chainId">;
/**
 * The stored state of a chain's flow index: the tip, the vaults with their coverage, and the provisional flows, which a
 * reorg may still change.
 */
export interface FlowState {
  tip: FlowTip;
  /** Vaults known to users (`isKnownToUsers`) whose start block is known, with their coverage, sorted by address. */
  vaults: { row: typeof vaults.$inferSelect; coverage: VaultCoverage }[];
  provisional: FlowRow[];
  /**
   * The other vaults known to users, with the progress of the search for their start block, or null before it has
   * begun.
   */
  withoutStart: { row: typeof vaults.$inferSelect; search: StartSearch | null }[];
}

/**
 * Loads the state of a chain's flow index. First creates the chain's tip if there is none, with `span` blocks per
 * `eth_getLogs` request, and a coverage row for each vault that users know and whose start block is known, or updates
 * that block in it. Throws `store_unavailable`.
 */
export async function loadFlowState(
  db: Database,
  chain: { chainId: number; span: number },
): Promise<FlowState> {
  const { chainId, span } = chain;
  const shown = and(eq(vaults.chainId, chainId), isKnownToUsers);
  const start = raw`coalesce(${vaults.startBlock}, ${flowStarts.startBlock})`;
  const searched = and(eq(flowStarts.chainId, vaults.chainId), eq(flowStarts.vaultAddress, vaults.address));
  const [, , tips, known, provisional, withoutStart] = await db.run((sql) =>
    sql.batch([
      sql.insert(flowTips).values({ chainId, span }).onConflictDoNothing(),
      sql.execute(raw`insert into ${flowCoverage} (chain_id, vault_address, start_block)
        select ${vaults.chainId}, ${vaults.address}, ${start} from ${vaults} left join ${flowStarts} on ${searched}
        where ${shown} and ${start} is not null
        on conflict (chain_id, vault_address) do update set start_block = excluded.start_block
        where ${flowCoverage.startBlock} <> excluded.start_block`),
      sql.select().from(flowTips).where(eq(flowTips.chainId, chainId)),
      sql
        .select({ row: vaults, coverage: flowCoverage })
        .from(flowCoverage)
        .innerJoin(
          vaults,
          and(eq(vaults.chainId, flowCoverage.chainId), eq(vaults.address, flowCoverage.vaultAddress)),
        )
        .leftJoin(flowStarts, searched)
        .where(and(shown, isNotNull(start)))
        .orderBy(asc(vaults.address)),
      sql
        .select()
        .from(flows)
        .where(and(eq(flows.chainId, chainId), not(flows.final))),
      sql
        .select({ row: vaults, search: flowStarts })
        .from(vaults)
        .leftJoin(flowStarts, searched)
        .where(and(shown, isNull(start)))
        .orderBy(asc(vaults.address)),
    ]),
  );
  const tip = tips[0];
  if (tip === undefined) throw new RangeError("the tip was written and is not there");
  return { tip, vaults: known, provisional, withoutStart };
}

/** Maximum number of blocks that are compared to find the common ancestor of a reorg. */
const NEWEST = 1_024;

/**
 * Selects the number and stored hash of the newest blocks of a chain that contain final flows, newest first and at most
 * 1,024. Throws `store_unavailable`.
 */
export function selectNewestFinal(db: Database, chainId: number): Promise<BlockId[]> {
  return db.run((sql) =>
    sql
      .selectDistinct({ number: flows.blockNumber, hash: flows.blockHash })
      .from(flows)
      .where(and(eq(flows.chainId, chainId), flows.final))
      .orderBy(desc(flows.blockNumber))
      .limit(NEWEST),
  );
}

/**
 * Selects at most `limit` final flows of a chain whose assets may be converted, with fewer than five attempts: those never tried first, then those tried longest ago; of equal ones, those of the newest block first.
 * Throws `store_unavailable`.
 */
export function selectUnconvertedFlows(
  db: Database,
  { chainId, limit }: { chainId: number; limit: number },
): Promise<FlowRow[]> {
  return db.run((sql) =>
    sql
      .select()
      .from(flows)
      .where(and(eq(flows.chainId, chainId), convertible(flows)))
      .orderBy(raw`${flows.conversionTriedAt} nulls first`, desc(flows.blockNumber))
      .limit(limit),
  );
}

/**
 * Selects the tips of all chains, sorted by chain id: how far the flows of each chain are indexed. Throws
 * `store_unavailable`.
 */
export function selectFlowTips(db: Database): Promise<FlowTip[]> {
  return db.run((sql) => sql.select().from(flowTips).orderBy(asc(flowTips.chainId)));
}

/**
 * Selects the ids of the chains with a recorded error of an index run that no later run has cleared. Throws
 * `store_unavailable`.
 */
export async function selectFailingChains(db: Database): Promise<ReadonlySet<number>> {
  const rows = await db.run((sql) =>
    sql.select({ chainId: flowTips.chainId }).from(flowTips).where(isNotNull(flowTips.error)),
  );
  return new Set(rows.map(({ chainId }) => chainId));
}

/**
 * SQL expression for a block from which a vault's stored flows are complete up to the tip: the vault's start block if
 * nothing is missing above it, otherwise the first block above the last gap, or a later one after some rewinds. Expects
 * the coverage row under the alias `c`; null while its `followed_from` is null.
 */
export const completeFrom = raw`case when c.followed_from <= c.start_block then c.start_block
  when c.done @> int8range(c.start_block, c.followed_from) then c.start_block
  else coalesce((select lower(part) from unnest(c.done) as part where upper(part) = c.followed_from), c.followed_from)
  end`;

const CoverageRows = z.array(z.object({ whole_from: z.coerce.number(), head_block: z.coerce.number() }));

/**
 * Selects a block range up to the head of the last tip run in which all of a vault's flows are stored, normally the
 * longest; both ends are included. Null if no tip run covers the vault. Throws `store_unavailable`.
 */
export async function selectCoverageStart(
  db: Database,
  vault: { chainId: number; vaultAddress: string },
): Promise<{ from: number; to: number } | null> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select ${completeFrom} as whole_from, t.head_block
      from ${flowCoverage} c join ${flowTips} t on t.chain_id = c.chain_id
      where c.chain_id = ${vault.chainId} and c.vault_address = ${vault.vaultAddress.toLowerCase()}
        and c.followed_from is not null and t.head_block is not null`),
  );
  const row = CoverageRows.parse(rows)[0];
  if (row === undefined) return null;
  // A vault has no flows below its start block.
  return { from: row.whole_from, to: row.head_block };
}

const HolderRows = z.array(z.object({ vault_address: z.string(), user_address: z.string() }));

/**
 * Selects the account with the most shares in each vault of a chain by the stored flows, which lack transfers of
 * shares. Keys and accounts are lowercase; vaults without a holder are absent. Throws `store_unavailable`.
 */
export async function selectLargestHolders(db: Database, chainId: number): Promise<Record<string, string>> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select distinct on (vault_address) vault_address, user_address from (
        select vault_address, user_address, sum(shares) as held from ${flows}
        where chain_id = ${chainId} group by vault_address, user_address having sum(shares) > 0
      ) as held order by vault_address, held desc, user_address`),
  );
  return Object.fromEntries(HolderRows.parse(rows).map((row) => [row.vault_address, row.user_address]));
}
