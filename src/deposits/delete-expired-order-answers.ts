import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { KEY_TTL_MS } from "../orders/build-order-once.ts";

/** Maximum number of stored responses deleted per run. */
const DELETE_LIMIT = 5_000;

/**
 * Deletes the stored responses of builds whose idempotency key has expired (`KEY_TTL_MS`), because they contain
 * personal data: at most 5,000 per run, oldest first. Returns their number. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: DELETE_LIMIT });
}
