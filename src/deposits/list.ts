import type { Context } from "../context.ts";
import { type DepositRow, selectDepositsByUser } from "../db/queries/deposits.ts";
import { encodeCursor } from "../lib/cursor.ts";

export interface DepositPage {
  rows: DepositRow[];
  /** Where the next page starts; null on the last. */
  next: string | null;
}

/** A user's deposits, newest first; `before` is the last of the page before. Throws `store_unavailable`. */
export async function listDeposits(
  ctx: Context,
  page: { user: string; limit: number; before: { createdAt: Date; trackingId: string } | null },
): Promise<DepositPage> {
  const rows = await selectDepositsByUser(ctx.db, { ...page, limit: page.limit + 1 });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const more = rows.length > page.limit && last !== undefined;
  return { rows: shown, next: more ? encodeCursor([last.createdAt.toISOString(), last.trackingId]) : null };
}
