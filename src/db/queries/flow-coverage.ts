import { sql as raw } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../client.ts";
import { flowCoverage, flowTips } from "../schema/flows.ts";

/** First block from which a vault's history has no gap up to the tip. */
export const wholeFrom = raw`case when c.followed_from <= c.start_block then c.start_block
  when c.done @> int8range(c.start_block, c.followed_from) then c.start_block
  else coalesce((select lower(part) from unnest(c.done) as part where upper(part) = c.followed_from), c.followed_from) end`;

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
