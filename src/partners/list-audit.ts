import type { Context } from "../context.ts";
import { selectAudit } from "../db/queries/audit.ts";
import type { AuditEntry } from "../schemas/admin.ts";
import { cutPage, readTimeCursor } from "./time-cursor.ts";

/** Who changed what, newest first. Throws `store_unavailable`. */
export async function listAudit(
  ctx: Context,
  page: { subject: string | null; limit: number; cursor: string | null },
): Promise<{ rows: AuditEntry[]; next: string | null }> {
  const before = readTimeCursor(page.cursor);
  const found = await selectAudit(ctx.db, { subject: page.subject, limit: page.limit + 1, before });
  const { rows, next } = cutPage(found, { limit: page.limit, position: ({ at, id }) => ({ at, id }) });
  const entries = rows.map(({ at, requestId, ...row }) => ({
    ...row,
    at: at.toISOString(),
    request_id: requestId,
  }));
  return { rows: entries, next };
}
