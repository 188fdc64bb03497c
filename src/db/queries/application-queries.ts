import { and, desc, eq, sql as raw } from "drizzle-orm";
import type { TimePosition } from "../../lib/pagination.ts";
import type { ApplicationForm, ApplicationStatus } from "../../schemas/partner-application-schema.ts";
import { olderThan } from "../conditions/page-conditions.ts";
import type { Database } from "../database-client.ts";
import { applications } from "../tables/partner-tables.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";

/** A row of the table `applications`: a wallet's application to become a partner. */
export type ApplicationRow = typeof applications.$inferSelect;

/** Selects a partner application by id or wallet address; null if there is none. Throws `store_unavailable`. */
export async function selectApplication(
  db: Database,
  by: { id: string } | { address: string },
): Promise<ApplicationRow | null> {
  const where = "id" in by ? eq(applications.id, by.id) : eq(applications.address, by.address.toLowerCase());
  const rows = await db.run((sql) => sql.select().from(applications).where(where).limit(1));
  return rows[0] ?? null;
}

/**
 * Selects one page of partner applications, newest first: of one status, or all if `status` is null. `before` is the
 * position of the last row of the previous page, or null for the first page. Throws `store_unavailable`.
 */
export function selectApplications(
  db: Database,
  page: { status: ApplicationStatus | null; limit: number; before: TimePosition | null },
): Promise<ApplicationRow[]> {
  const { before, status } = page;
  const older = olderThan(before, { at: applications.createdAt, id: applications.id });
  return db.run((sql) =>
    sql
      .select()
      .from(applications)
      .where(and(older, status === null ? undefined : eq(applications.status, status)))
      .orderBy(desc(applications.createdAt), desc(applications.id))
      .limit(page.limit),
  );
}

/**
 * Inserts a partner application, or replaces a rejected one of the same address, which keeps its id. Returns the stored
 * row, or null if the address has an application in another status. Throws `store_unavailable`.
 */
export async function upsertApplication(
  db: Database,
  application: { id: string; address: string; form: ApplicationForm; now: Date },
): Promise<ApplicationRow | null> {
  const { id, form, now: createdAt } = application;
  const filed = { status: "pending" as const, form, createdAt, decidedAt: null, note: "" };
  const rows = await db.run((sql) =>
    sql
      .insert(applications)
      .values({ id, address: application.address.toLowerCase(), ...filed })
      .onConflictDoUpdate({
        target: applications.address,
        set: filed,
        setWhere: eq(applications.status, "rejected"),
      })
      .returning(),
  );
  return rows[0] ?? null;
}

/**
 * Changes the status, note and decision time of a partner application, and writes the audit row. A revocation also
 * invalidates its key pairs and sessions, and a later approval removes these pairs. Changes nothing and returns false if
 * there is no such application or its status is not in `from`, which must not be empty. Throws `store_unavailable`.
 */
export async function updateApplicationStatus(
  db: Database,
  change: {
    id: string;
    from: readonly ApplicationStatus[];
    to: ApplicationStatus;
    note: AuditNote;
    decidedAt: Date | null;
  },
): Promise<boolean> {
  const { id, to, note } = change;
  const [revoked, approved] = [to === "revoked", to === "approved"];
  const from = raw.join(
    change.from.map((status) => raw`${status}`),
    raw`, `,
  );
  const decidedAt = change.decidedAt?.toISOString() ?? null;
  const statement = raw`
    with prior as (
      select id, status from applications where id = ${id} and status in (${from}) for update
    ), changed as (
      update applications a set status = ${to}, note = ${note.note}, decided_at = ${decidedAt}::timestamptz,
        epoch = a.epoch + ${revoked ? 1 : 0}::int
      from prior where a.id = prior.id
      returning a.id, a.address, a.epoch, prior.status as status_before
    ), ended as (
      delete from sessions s using changed where ${revoked}::boolean and s.partner_address = changed.address
    ), removed as (
      delete from partner_keys k using changed
      where ${approved}::boolean and k.partner_address = changed.address and k.epoch < changed.epoch
    ), first_removed as (
      update api_keys k set revoked = true, version = k.version + 1 from changed
      where ${approved}::boolean and k.partner_address = changed.address and k.epoch < changed.epoch and not k.revoked
    ), noted as (${auditInsert(note, {
      subject: raw`changed.id`,
      before: raw`jsonb_build_object('status', changed.status_before)`,
      after: raw`jsonb_build_object('status', ${to}::text)`,
      from: raw`changed`,
    })})
    select count(*)::int as changed from changed`;
  const { rows } = await db.run((sql) => sql.execute<{ changed: number }>(statement));
  return rows[0]?.changed === 1;
}
