import { and, desc, eq, sql as raw, type SQL } from "drizzle-orm";
import type { TimePosition } from "../../lib/pagination.ts";
import type { Database } from "../database-client.ts";
import { audit } from "../schema/partner-tables.ts";
import { olderThan } from "./page-conditions.ts";

/** A row of the audit log. */
export type AuditRow = typeof audit.$inferSelect;

/** The known part of an audit row, written in the same statement as the change. */
export interface AuditNote {
  id: string;
  at: Date;
  actor: string;
  action: string;
  note: string;
  requestId: string;
}

/** Builds the insert of one audit row for each row of `from`, as part of a larger statement. */
export function auditInsert(
  { id, at, actor, action, note, requestId }: AuditNote,
  row: { subject: SQL; before: SQL; after: SQL; from: SQL },
): SQL {
  return raw`insert into audit (id, at, actor, action, subject, note, before, after, request_id)
    select ${id}::text, ${at.toISOString()}::timestamptz, ${actor}::text, ${action}::text, ${row.subject}, ${note}::text,
      ${row.before}, ${row.after}, ${requestId}::text from ${row.from}`;
}

/**
 * Selects a page of the audit log, newest first; `before` is the last row of the previous page. Throws
 * `store_unavailable`.
 */
export function selectAudit(
  db: Database,
  page: { subject: string | null; limit: number; before: TimePosition | null },
): Promise<AuditRow[]> {
  const { before, subject } = page;
  const older = olderThan(before, { at: audit.at, id: audit.id });
  return db.run((sql) =>
    sql
      .select()
      .from(audit)
      .where(and(older, subject === null ? undefined : eq(audit.subject, subject)))
      .orderBy(desc(audit.at), desc(audit.id))
      .limit(page.limit),
  );
}

/** Returns the part of an audit row that is known before the change: id, time, actor, action, note and request. */
export function makeAuditNote(
  ctx: { now(): number; randomId(): string; readonly requestId: string },
  change: { action: string; actor: string; note?: string },
): AuditNote {
  return {
    id: `aud_${ctx.randomId()}`,
    at: new Date(ctx.now()),
    actor: change.actor,
    action: change.action,
    note: change.note ?? "",
    requestId: ctx.requestId,
  };
}
