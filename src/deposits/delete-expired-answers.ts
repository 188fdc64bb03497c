import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { KEY_TTL_MS } from "../orders/idempotent-build.ts";

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes the stored responses whose idempotency key has expired, oldest first, because they contain client addresses
 * and users. Returns the number of deleted responses. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
