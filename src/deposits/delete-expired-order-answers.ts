import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { KEY_TTL_MS } from "../orders/build-order-once.ts";

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes expired idempotency keys (`KEY_TTL_MS`) with the stored responses of their builds, which contain personal
 * data: at most 5,000 keys per run, oldest first. Returns the number of keys. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
