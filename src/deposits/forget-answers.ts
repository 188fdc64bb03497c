import type { Context } from "../context.ts";
import { deleteKeysBefore } from "../db/queries/idempotency.ts";
import { FORGOTTEN_MS } from "./build-once.ts";

/** Rows that one run removes; each holds an answer. */
const MOST = 5_000;

/**
 * Removes the answers that no `Idempotency-Key` gives any more, the oldest first: they name client addresses and users.
 * Returns how many. Throws `store_unavailable`.
 */
export function forgetAnswers(ctx: Context): Promise<number> {
  return deleteKeysBefore(ctx.db, { claimedBefore: new Date(ctx.now() - FORGOTTEN_MS), limit: MOST });
}
