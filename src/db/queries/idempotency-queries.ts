import { and, eq, isNull, lt, or, sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { idempotency } from "../tables/deposit-tables.ts";

/** A row of the table `idempotency`: an idempotency key and the stored response, if any. */
export type IdempotencyRow = typeof idempotency.$inferSelect;

/** An idempotency key in the scope of its owner: a partner, or a client address with a user. */
export interface IdempotencyKey {
  scope: string;
  key: string;
}

/**
 * Limits for taking an idempotency key again. A key that was taken before `forgottenBefore` is free. One that was taken
 * before `deadBefore` is free if it has no response, because its request is assumed to have died.
 */
export interface KeyExpiry {
  forgottenBefore: Date;
  deadBefore: Date;
}

/**
 * Takes an idempotency key for the request with the unique id `owner`, and returns true. Returns false, without any
 * change, if another request holds the key or its response is stored, unless `expiry` frees the key; then the stored
 * response is deleted. Throws `store_unavailable`.
 */
export async function takeKey(
  db: Database,
  taken: IdempotencyKey & { bodyHash: string; owner: string; now: Date; expiry: KeyExpiry },
): Promise<boolean> {
  const { now, expiry, ...row } = taken;
  const fresh = { ...row, claimedAt: now, response: null, expiresAt: null };
  const forgotten = lt(idempotency.claimedAt, expiry.forgottenBefore);
  const orphaned = and(isNull(idempotency.response), lt(idempotency.claimedAt, expiry.deadBefore));
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
  return rows[0]?.owner === taken.owner;
}

/** Selects the row of an idempotency key, or returns null if there is none. Throws `store_unavailable`. */
export async function selectKey(db: Database, id: IdempotencyKey): Promise<IdempotencyRow | null> {
  const rows = await db.run((sql) => sql.select().from(idempotency).where(matchesKey(id)).limit(1));
  return rows[0] ?? null;
}

/**
 * Renews the lease of a request that is still building: its key counts as taken at `now`. Returns false if the request
 * `owner` no longer holds the key or its response is stored. Throws `store_unavailable`.
 */
export async function renewKey(
  db: Database,
  taken: IdempotencyKey & { owner: string; now: Date },
): Promise<boolean> {
  return updateOwnKey(db, { ...taken, set: { claimedAt: taken.now } });
}

/**
 * Stores the response of an idempotency key. Returns false, without any change, if the request `owner` no longer holds
 * the key or its response is already stored. Throws `store_unavailable`.
 */
export async function storeKeyResponse(
  db: Database,
  answer: IdempotencyKey & { owner: string; response: object; expiresAt: Date },
): Promise<boolean> {
  const { response, expiresAt } = answer;
  return updateOwnKey(db, { ...answer, set: { response, expiresAt } });
}

/** Updates the row of a key that the request `owner` holds and has not answered. Returns false if there is none. */
async function updateOwnKey(
  db: Database,
  { set, ...held }: IdempotencyKey & { owner: string; set: Partial<IdempotencyRow> },
): Promise<boolean> {
  const rows = await db.run((sql) =>
    sql.update(idempotency).set(set).where(isUnanswered(held)).returning({ owner: idempotency.owner }),
  );
  return rows.length > 0;
}

/**
 * Deletes the idempotency key that the failed request `owner` holds, so that the next request can take it. Does nothing
 * if another request holds the key, or if its response is stored: the key then answers with that, although the request
 * failed because it did not see that the write succeeded. Throws `store_unavailable`.
 */
export async function releaseKey(db: Database, taken: IdempotencyKey & { owner: string }): Promise<void> {
  await db.run((sql) => sql.delete(idempotency).where(isUnanswered(taken)));
}

/**
 * Deletes at most `limit` idempotency keys that were taken before `claimedBefore`, oldest first, and returns their
 * number. A key that is taken again concurrently is kept. Throws `store_unavailable`.
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

/** SQL condition of the row of a key that the request `owner` holds and has not answered. */
const isUnanswered = ({ owner, ...id }: IdempotencyKey & { owner: string }) =>
  and(matchesKey(id), eq(idempotency.owner, owner), isNull(idempotency.response));
