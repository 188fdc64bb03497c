import type { Context } from "../context.ts";
import { selectApplications } from "../db/queries/applications.ts";
import type { ApplicationRecord, ApplicationStatus } from "../schemas/application.ts";
import { toApplicationRecord } from "./application-wire.ts";
import { cutPage, readTimeCursor } from "./time-cursor.ts";

/** Applications, newest first. Throws `store_unavailable`. */
export async function listApplications(
  ctx: Context,
  page: { status: ApplicationStatus | null; limit: number; cursor: string | null },
): Promise<{ rows: ApplicationRecord[]; next: string | null }> {
  const from = readTimeCursor(page.cursor);
  const before = from === null ? null : { createdAt: from.at, id: from.id };
  const found = await selectApplications(ctx.db, { status: page.status, limit: page.limit + 1, before });
  const position = (row: (typeof found)[number]) => ({ at: row.createdAt, id: row.id });
  const { rows, next } = cutPage(found, { limit: page.limit, position });
  return { rows: rows.map(toApplicationRecord), next };
}
