import { sql as raw } from "drizzle-orm";
import type { Database } from "../client.ts";
import { flowStarts } from "../schema/flows.ts";
import type { StartSearch } from "./flows.ts";

/**
 * Notes how far searches for vaults' first blocks have got. Two that overlap may undo a part of each other's work and
 * nothing more. Throws `store_unavailable`.
 */
export async function noteStarts(
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
