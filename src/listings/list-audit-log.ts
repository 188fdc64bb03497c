import type { Context } from "../context.ts";
import { selectAudit } from "../db/queries/audit-queries.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import type { AuditEntry } from "../schemas/admin/admin-schema.ts";

/**
 * Returns one page of audit log entries, newest first. The page starts after the position `before`, or with the newest
 * entry if `before` is null. `subject` is the id of a partner application, vault or key pair, or the address of a
 * partner, in any case; null selects all entries. Throws `store_unavailable`.
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
