import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { KEY_TTL_MS } from "../orders/build-order-once.ts";

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes the stored responses of deposit and withdrawal builds whose idempotency key has expired (24 hours after it
 * was taken or last renewed), because they contain personal data: client addresses and user accounts. Deletes at most
 * 5,000 per run, oldest first, and returns the number deleted. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
