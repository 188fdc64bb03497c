import { and, asc, count, desc, eq, gt, gte, inArray, notExists, or, sql as raw } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import * as z from "zod";
import type { Dimension, Tier } from "../../schemas/signal-schema.ts";
import type { Database } from "../database-client.ts";
import { audit } from "../tables/partner-tables.ts";
import { signals } from "../tables/signal-tables.ts";

/** A row of the table `signals`: an incident. */
export type SignalRow = typeof signals.$inferSelect;

/**
 * Selects the incidents of vaults (lowercase addresses) last seen at or after `since` and, however old, the last one of
 * each vault, rule and subject, whose numbering the next one continues. Sorted by sequence number. Throws
 * `store_unavailable`.
 */
export function selectIncidents(
  db: Database,
  query: { since: Date; vaults: readonly { chainId: number; vaultAddress: string }[] },
): Promise<SignalRow[]> {
  const ids = JSON.stringify(query.vaults.map(({ chainId, vaultAddress }) => `${chainId}:${vaultAddress}`));
  const of = raw`${signals.chainId} || ':' || ${signals.vaultAddress} = any(array(
    select jsonb_array_elements_text(${ids}::jsonb)))`;
  return db.run((sql) => {
    const next = alias(signals, "next");
    const followed = sql
      .select({ one: raw`1` })
      .from(next)
      .where(
        and(
          eq(next.ruleId, signals.ruleId),
          eq(next.chainId, signals.chainId),
          eq(next.vaultAddress, signals.vaultAddress),
          eq(next.subject, signals.subject),
          gt(next.sequence, signals.sequence),
        ),
      );
    return sql
      .select()
      .from(signals)
      .where(and(of, or(gte(signals.lastSeen, query.since), notExists(followed))))
      .orderBy(asc(signals.sequence));
  });
}

/**
 * Inserts new incidents and updates ongoing ones, in one statement. An update whose `lastSeen` or update count is below
 * the stored one is skipped, because a concurrent run was ahead. Throws `store_unavailable`.
 */
export async function writeIncidents(db: Database, rows: readonly SignalRow[]): Promise<void> {
  if (rows.length === 0) return;
  const named = ["tier", "title", "summary", "metrics", "evidence", "evolution", "keys"] as const;
  const taken = Object.fromEntries(named.map((name) => [name, raw.raw(`excluded.${name}`)]));
  await db.run((sql) =>
    sql
      .insert(signals)
      .values([...rows])
      .onConflictDoUpdate({
        target: [signals.ruleId, signals.chainId, signals.vaultAddress, signals.subject, signals.sequence],
        set: {
          ...taken,
          lastSeen: raw`excluded.last_seen`,
          updateCount: raw`excluded.update_count`,
          txHash: raw`excluded.tx_hash`,
          blockNumber: raw`excluded.block_number`,
        },
        setWhere: raw`excluded.last_seen >= ${signals.lastSeen} and excluded.update_count >= ${signals.updateCount}`,
      }),
  );
}

/**
 * Selects one page of the incidents that were last seen at or after `since`, the most recently seen first, and the
 * total number of incidents that match. Throws `store_unavailable`.
 */
export async function selectSignals(
  db: Database,
  query: {
    since: Date;
    tiers: readonly Tier[];
    /** Dimension of the incidents, or null for all. */
    dimension: Dimension | null;
    /** Ids of the vaults whose incidents may be returned. */
    vaultIds: readonly string[];
    limit: number;
    offset: number;
  },
): Promise<{ rows: SignalRow[]; total: number }> {
  const shown = raw`${signals.chainId} || ':' || ${signals.vaultAddress} = any(array(
    select jsonb_array_elements_text(${JSON.stringify(query.vaultIds)}::jsonb)))`;
  const where = and(
    gte(signals.lastSeen, query.since),
    inArray(signals.tier, [...query.tiers]),
    query.dimension === null ? undefined : eq(signals.dimension, query.dimension),
    shown,
  );
  const found = await db.run((sql) => {
    const counted = sql
      .select({ total: count().as("total") })
      .from(signals)
      .where(where)
      .as("counted");
    const page = sql
      .select()
      .from(signals)
      .where(where)
      .orderBy(desc(signals.lastSeen), desc(signals.firstSeen), asc(signals.signalId))
      .limit(query.limit)
      .offset(query.offset)
      .as("page");
    // One statement, so that page and total are consistent even beyond the last page.
    return sql
      .select()
      .from(counted)
      .leftJoin(page, raw`true`)
      .orderBy(desc(page.lastSeen), desc(page.firstSeen), asc(page.signalId));
  });
  return { rows: found.flatMap((one) => one.page ?? []), total: found[0]?.counted.total ?? 0 };
}

/** Selects the incident with a signal id, or returns null if there is none. Throws `store_unavailable`. */
export async function selectSignal(db: Database, signalId: string): Promise<SignalRow | null> {
  const rows = await db.run((sql) =>
    sql.select().from(signals).where(eq(signals.signalId, signalId)).limit(1),
  );
  return rows[0] ?? null;
}

const Changes = z.array(
  z.object({
    id: z.string(),
    subject: z.string(),
    seconds: z.coerce.number(),
    before: z.string(),
    after: z.string(),
    reason: z.string(),
    action: z.string(),
  }),
);
/**
 * A change of the status of the vault or partner application with the id `subject`, from the audit log. `seconds` is
 * the UNIX time; `reason` may be empty. An `action` other than `vault.prove` is an operator's decision.
 */
export type StatusChange = z.infer<typeof Changes>[number];

/**
 * Selects the status changes of vaults and partner applications at or after `since` from the audit log, oldest first.
 * Throws `store_unavailable`.
 */
export async function selectStatusChanges(db: Database, since: Date): Promise<StatusChange[]> {
  const { rows } = await db.run((sql) =>
    sql.execute(raw`select id, subject, extract(epoch from at)::int8 as seconds, before->>'status' as before,
        after->>'status' as after, coalesce(after->>'reason', '') as reason, action
      from ${audit} where at >= ${since.toISOString()}::timestamptz and before->>'status' is not null
        and after->>'status' is not null and before->>'status' <> after->>'status' order by at`),
  );
  return Changes.parse(rows);
}
