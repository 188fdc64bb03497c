import { count, lte, min, sql as raw } from "drizzle-orm";
import * as z from "zod";
import type { Database } from "../database-client.ts";
import { deposits, underWay } from "../tables/deposit-tables.ts";
import { followedChains } from "../tables/deposit-tracking-tables.ts";

/** Checks that the database executes statements. Throws `store_unavailable` if it does not. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.run((sql) => sql.execute(raw`select 1`));
}

/** The tracking backlog: how many deposits and withdrawals are in progress, and how many are due for tracking. */
export interface DepositBacklog {
  /** Number of deposits and withdrawals that were sent and have not ended. */
  underWay: number;
  /** Number of deposits and withdrawals that are due for tracking. */
  due: number;
  /** Earliest time for which a due check was scheduled, or null if none is due. */
  oldestDueAt: Date | null;
}

/** Counts the deposits and withdrawals in progress, and those due for tracking. Throws `store_unavailable`. */
export async function selectDepositBacklog(db: Database, now: Date): Promise<DepositBacklog> {
  return db.run(async (sql) => {
    const [open, late] = await sql.batch([
      sql.select({ number: count() }).from(deposits).where(underWay(deposits)),
      sql
        .select({ number: count(), oldest: min(deposits.nextCheckAt) })
        .from(deposits)
        .where(lte(deposits.nextCheckAt, now)),
    ]);
    return {
      underWay: open[0]?.number ?? 0,
      due: late[0]?.number ?? 0,
      oldestDueAt: late[0]?.oldest ?? null,
    };
  });
}

const Followed = z.array(
  z.object({
    chainId: z.int(),
    headBlock: z.coerce.number(),
    headSeconds: z.coerce.number(),
    missing: z.coerce.number(),
    roundSeconds: z.coerce.number().nullable(),
    error: z.string().nullable(),
  }),
);
/**
 * Reading progress of a chain: the last block and its time, the number of missing final blocks, the last successful
 * round (null: none) and the recorded error code of a later one (null: none). Times are UNIX seconds.
 */
export type FollowedChainHealth = z.infer<typeof Followed>[number];

/**
 * Selects the reading progress of every chain that was read for deposits and withdrawals, sorted by chain id. Throws
 * `store_unavailable`.
 */
export async function selectFollowedChainHealth(db: Database): Promise<FollowedChainHealth[]> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`
      select chain_id as "chainId", head_block as "headBlock", error,
        extract(epoch from head_time) as "headSeconds", extract(epoch from round_at) as "roundSeconds",
        (select coalesce(sum(upper(gap) - lower(gap)), 0) from unnest(int8multirange(
          int8range(start_block, greatest(start_block, final_block + 1))) - covered) as gap) as missing
      from ${followedChains} order by chain_id`),
  );
  return Followed.parse(rows);
}
