import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { KEY_TTL_MS } from "../orders/idempotent-build.ts";

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes the stored build responses whose idempotency key has expired, oldest first, because they contain personal
 * data: client addresses and user accounts. Returns the number of deleted responses. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
