import { sql as raw } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../client.ts";
import { flowCoverage, flows, flowTips } from "../schema/flows.ts";

/** What a chain's flows reach, and what a user put into its vaults. */
export interface ChainFlows {
  chainId: number;
  /** From this block on, all vaults' histories are stored without a gap; null: none of them is followed yet. */
  indexedFrom: number | null;
  /** The head that the last run saw, and its time; null: there was none. */
  indexedTo: number | null;
  headTime: Date | null;
  /** Deposits less withdrawals by vault address, in the asset's smallest unit; null: not known. */
  sums: Readonly<Record<string, string | null>>;
}

const Rows = z.array(
  z.object({
    chain_id: z.coerce.number(),
    indexed_from: z.coerce.number().nullable(),
    head_block: z.coerce.number().nullable(),
    head_time: z
      .string()
      .nullable()
      .transform((text) => (text === null ? null : new Date(text))),
    sums: z.record(z.string(), z.string().nullable()),
  }),
);

/** First block from which a vault's history has no gap up to the tip. */
const wholeFrom = raw`case when c.followed_from <= c.start_block then c.start_block
  when c.done @> int8range(c.start_block, c.followed_from) then c.start_block
  else coalesce((select lower(part) from unnest(c.done) as part where upper(part) = c.followed_from), c.followed_from) end`;

/**
 * Sums what a user put into vaults, for all chains given, in one statement. A sum is null when an event did not tell
 * its amount, or while the vault's history has a gap between its first block and the head.
 * Throws `store_unavailable`.
 */
export async function sumFlows(
  db: Database,
  query: { user: string; chainIds: readonly number[] },
): Promise<ChainFlows[]> {
  const chains = raw`array(select jsonb_array_elements_text(${JSON.stringify(query.chainIds)}::jsonb)::int4)`;
  const { rows } = await db.run((sql) =>
    sql.execute(raw`
      with own as (
        select chain_id, vault_address, case when count(assets) = count(*) then sum(assets) end as assets
        from ${flows} where user_address = ${query.user.toLowerCase()} and chain_id = any(${chains})
        group by chain_id, vault_address
      ), reached as (
        select c.chain_id, c.vault_address, c.start_block, c.followed_from is null as unseen, ${wholeFrom} as whole_from
        from ${flowCoverage} c join vaults v on v.chain_id = c.chain_id and v.address = c.vault_address
        where c.chain_id = any(${chains}) and v.status <> 'unsupported'
      )
      select t.chain_id, t.head_block, t.head_time::text, r.indexed_from, coalesce(s.sums, '{}') as sums
      from ${flowTips} t
      left join (select chain_id, case when bool_or(unseen) then null
          when bool_and(whole_from = start_block) then min(start_block) else max(whole_from) end as indexed_from
        from reached group by chain_id) r on r.chain_id = t.chain_id
      left join (select own.chain_id, jsonb_object_agg(own.vault_address,
          case when not unseen and whole_from = start_block then own.assets::text end) as sums
        from own join reached using (chain_id, vault_address) group by own.chain_id) s on s.chain_id = t.chain_id
      where t.chain_id = any(${chains})`),
  );
  return Rows.parse(rows).map((row) => ({
    chainId: row.chain_id,
    indexedFrom: row.indexed_from,
    indexedTo: row.head_block,
    headTime: row.head_time,
    sums: row.sums,
  }));
}

const Covered = z.array(z.object({ whole_from: z.coerce.number(), head_block: z.coerce.number() }));

/** The blocks up to the tip in which a vault's flows are stored without a gap; null: none. Throws `store_unavailable`. */
export async function coveredFrom(
  db: Database,
  vault: { chainId: number; vaultAddress: string },
): Promise<{ from: number; to: number } | null> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select ${wholeFrom} as whole_from, t.head_block
      from ${flowCoverage} c join ${flowTips} t on t.chain_id = c.chain_id
      where c.chain_id = ${vault.chainId} and c.vault_address = ${vault.vaultAddress.toLowerCase()}
        and c.followed_from is not null and t.head_block is not null`),
  );
  const row = Covered.parse(rows)[0];
  if (row === undefined) return null;
  // Nothing can have flowed before the vault's first block.
  return { from: row.whole_from, to: row.head_block };
}
