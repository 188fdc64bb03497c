import { and, desc, eq, sql as raw, type SQL } from "drizzle-orm";
import type { TimePosition } from "../../lib/pagination.ts";
import { olderThan } from "../conditions/page-conditions.ts";
import type { Database } from "../database-client.ts";
import { audit } from "../tables/partner-tables.ts";

/** A row of the audit log. */
export type AuditRow = typeof audit.$inferSelect;

/** The part of an audit row that is known before the change is made: id, time, actor, action, note and request id. */
export interface AuditNote {
  id: string;
  at: Date;
  actor: string;
  action: string;
  note: string;
  requestId: string;
}

/**
 * Returns the SQL that inserts one audit row for each row of `from`, for use in the statement that makes the change.
 * Set `many` if there may be several: their ids are then derived from the note's id and the subject.
 */
export function auditInsert(
  { id, at, actor, action, note, requestId }: AuditNote,
  row: { subject: SQL; before: SQL; after: SQL; from: SQL; many?: true },
): SQL {
  const ownId = row.many ? raw`'aud_' || md5(${id}::text || ${row.subject})` : raw`${id}::text`;
  return raw`insert into audit (id, at, actor, action, subject, note, before, after, request_id)
    select ${ownId}, ${at.toISOString()}::timestamptz, ${actor}::text, ${action}::text, ${row.subject}, ${note}::text,
      ${row.before}, ${row.after}, ${requestId}::text from ${row.from}`;
}

/**
 * Selects one page of the audit log, newest first: of one subject, or all if `subject` is null. `before` is the
 * position of the last row of the previous page, or null for the first page. Throws `store_unavailable`.
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

/**
 * Creates the part of an audit row that is known before the change, with a new id and the current time. The note is
 * empty by default.
 */
export function makeAuditNote(
  ctx: { now(): number; randomId(): string; requestId(): string },
  change: { action: string; actor: string; note?: string },
): AuditNote {
  return {
    id: `aud_${ctx.randomId()}`,
    at: new Date(ctx.now()),
    actor: change.actor,
    action: change.action,
    note: change.note ?? "",
    requestId: ctx.requestId(),
  };
}
