import type { Context } from "../context.ts";
import { deleteUnsentDeposits } from "../db/queries/deposit-schedule-queries.ts";
import { deleteKeysBefore } from "../db/queries/idempotency-queries.ts";
import { DAY_MS } from "../lib/durations.ts";
import { KEY_TTL_MS } from "../orders/build-order-once.ts";

/** Time for which an unsent deposit or withdrawal is kept after its quote has expired, in milliseconds. */
const UNSENT_TTL_MS = 30 * DAY_MS;
/** Minimum time between the expiry of a quote and the last indexed block of its chains, in milliseconds. */
const COVERAGE_MARGIN_MS = DAY_MS;
/** Maximum number of rows deleted by one statement, and of statements per run. */
const BATCH_SIZE = 1_000;
const MAX_BATCHES = 10;
/** Maximum number of stored responses deleted per run. */
const MAX_ANSWERS = 5_000;

/**
 * Deletes at most 10,000 deposits and withdrawals that were never sent, 30 days after they expired and last changed,
 * and returns their number. Keeps those that `deleteUnsentDeposits` keeps, for example if blocks of their chains have
 * not been read. Throws `store_unavailable`.
 */
export async function deleteUnsent(ctx: Context): Promise<number> {
  const age = {
    before: new Date(ctx.now() - UNSENT_TTL_MS),
    marginMs: COVERAGE_MARGIN_MS,
    limit: BATCH_SIZE,
  };
  let deleted = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const gone = await deleteUnsentDeposits(ctx.db, age);
    deleted += gone;
    if (gone < BATCH_SIZE) break;
  }
  return deleted;
}

/**
 * Deletes expired idempotency keys (`KEY_TTL_MS`) with the stored responses of their builds, which contain personal
 * data: at most 5,000 keys per run, oldest first. Returns the number of keys. Throws `store_unavailable`.
 */
export function deleteExpiredAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - KEY_TTL_MS), limit: MAX_ANSWERS });
}
