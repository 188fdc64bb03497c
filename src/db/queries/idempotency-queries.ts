import { and, eq, isNull, lt, or, sql as raw } from "drizzle-orm";
import type { BuiltDeposit } from "../../schemas/quote-schema.ts";
import type { Database } from "../database-client.ts";
import { idempotency } from "../schema/deposit-tables.ts";

/** A row of `idempotency`. */
export type IdempotencyRow = typeof idempotency.$inferSelect;

/** A caller's idempotency key. */
export interface IdempotencyKey {
  scope: string;
  key: string;
}

/** Times before which answered claims have expired and unanswered ones are orphaned. */
export interface ClaimAges {
  forgottenBefore: Date;
  deadBefore: Date;
}

/**
 * Claims an idempotency key for one request, in one statement; false when another request holds it or has answered.
 * Expired and orphaned keys can be claimed. Throws `store_unavailable`.
 */
export async function claimKey(
  db: Database,
  claim: IdempotencyKey & { bodyHash: string; owner: string; now: Date; ages: ClaimAges },
): Promise<boolean> {
  const { now, ages, ...row } = claim;
  const fresh = { ...row, claimedAt: now, response: null, expiresAt: null };
  const forgotten = lt(idempotency.claimedAt, ages.forgottenBefore);
  const orphaned = and(isNull(idempotency.response), lt(idempotency.claimedAt, ages.deadBefore));
  const rows = await db.run((sql) =>
    sql
      .insert(idempotency)
      .values(fresh)
      .onConflictDoUpdate({
        target: [idempotency.scope, idempotency.key],
        set: fresh,
        setWhere: or(forgotten, orphaned) ?? forgotten,
      })
      .returning({ owner: idempotency.owner }),
  );
  return rows[0]?.owner === claim.owner;
}

/** Selects an idempotency key; null when there is none. Throws `store_unavailable`. */
export async function selectKey(db: Database, id: IdempotencyKey): Promise<IdempotencyRow | null> {
  const rows = await db.run((sql) => sql.select().from(idempotency).where(matchesKey(id)).limit(1));
  return rows[0] ?? null;
}

/** Stores the answer if the owner still holds the claim. Throws `store_unavailable`. */
export async function answerKey(
  db: Database,
  answer: IdempotencyKey & { owner: string; response: BuiltDeposit; expiresAt: Date },
): Promise<void> {
  const { owner, response, expiresAt } = answer;
  await db.run((sql) =>
    sql
      .update(idempotency)
      .set({ response, expiresAt })
      .where(and(matchesKey(answer), eq(idempotency.owner, owner))),
  );
}

/** Releases a key after a failure, so that the next request can claim it. Throws `store_unavailable`. */
export async function releaseKey(db: Database, claim: IdempotencyKey & { owner: string }): Promise<void> {
  await db.run((sql) =>
    sql.delete(idempotency).where(and(matchesKey(claim), eq(idempotency.owner, claim.owner))),
  );
}

/**
 * Deletes the oldest claims from before a time, a bounded number; returns how many. A key that is claimed again at
 * that moment stays. Throws `store_unavailable`.
 */
export async function deleteKeysBefore(
  db: Database,
  old: { claimedBefore: Date; limit: number },
): Promise<number> {
  const before = raw`${idempotency.claimedAt} < ${old.claimedBefore.toISOString()}::timestamptz`;
  const key = raw`${idempotency.scope}, ${idempotency.key}`;
  const statement = raw`
    with gone as (
      delete from ${idempotency} where ${before} and (${key}) in (
        select ${key} from ${idempotency} where ${before} order by ${idempotency.claimedAt} limit ${old.limit})
      returning 1
    )
    select count(*)::int as deleted from gone`;
  const { rows } = await db.run((sql) => sql.execute<{ deleted: number }>(statement));
  return rows[0]?.deleted ?? 0;
}

const matchesKey = (id: IdempotencyKey) => and(eq(idempotency.scope, id.scope), eq(idempotency.key, id.key));
