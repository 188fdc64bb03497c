import type { Context } from "../context.ts";
import { type DepositRow, selectDepositsByUser } from "../db/queries/deposits.ts";
import { cutPage, type Page, type TimePosition, timeParts } from "../lib/page.ts";

/** A user's deposits, newest first; `before` is the last of the page before. Throws `store_unavailable`. */
export async function listDeposits(
  ctx: Context,
  page: { user: string; limit: number; before: TimePosition | null },
): Promise<Page<DepositRow>> {
  const found = await selectDepositsByUser(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: DepositRow) => timeParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}
