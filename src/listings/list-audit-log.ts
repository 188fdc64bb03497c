import type { Context } from "../context.ts";
import { selectAudit } from "../db/queries/audit-queries.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import type { AuditEntry } from "../schemas/admin/admin-schema.ts";

/**
 * Returns one page of audit log entries, newest first, after the position `before` if that is not null. `subject` is
 * the id of an application, vault or key pair, or a partner's address; null for all. Throws `store_unavailable`.
 */
export async function listAuditEntries(
  ctx: Context,
  page: { subject: string | null; limit: number; before: TimePosition | null },
): Promise<Page<AuditEntry>> {
  // Ids and addresses are stored in lowercase.
  const subject = page.subject?.toLowerCase() ?? null;
  const found = await selectAudit(ctx.db, { ...page, subject, limit: page.limit + 1 });
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf: timeCursorParts });
  const entries = rows.map(({ at, requestId, ...row }) => ({
    ...row,
    at: at.toISOString(),
    request_id: requestId,
  }));
  return { rows: entries, next };
}
