import type { Context } from "../context.ts";
import { type ApplicationRow, selectApplications } from "../db/queries/applications.ts";
import { cutPage, type Page, type TimePosition, timeParts } from "../lib/page.ts";
import type { ApplicationRecord, ApplicationStatus } from "../schemas/application.ts";
import { toApplicationRecord } from "./application-wire.ts";

/** Applications, newest first; `before` is the last of the page before. Throws `store_unavailable`. */
export async function listApplications(
  ctx: Context,
  page: { status: ApplicationStatus | null; limit: number; before: TimePosition | null },
): Promise<Page<ApplicationRecord>> {
  const found = await selectApplications(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: ApplicationRow) => timeParts({ at: row.createdAt, id: row.id });
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf });
  return { rows: rows.map(toApplicationRecord), next };
}
