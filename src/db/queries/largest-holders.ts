import { sql as raw } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "../client.ts";
import { flows } from "../schema/flows.ts";

const Rows = z.array(z.object({ vault_address: z.string(), user_address: z.string() }));

/** For each vault of a chain, who by its flows holds the most shares; by vault address. Throws `store_unavailable`. */
export async function selectLargestHolders(db: Database, chainId: number): Promise<Record<string, string>> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select distinct on (vault_address) vault_address, user_address from (
        select vault_address, user_address, sum(shares) as held from ${flows}
        where chain_id = ${chainId} group by vault_address, user_address having sum(shares) > 0
      ) as held order by vault_address, held desc, user_address`),
  );
  return Object.fromEntries(Rows.parse(rows).map((row) => [row.vault_address, row.user_address]));
}
