import { eq, sql as raw } from "drizzle-orm";
import type { ApplicationStatus } from "../../schemas/partner-application-schema.ts";
import type { Database } from "../database-client.ts";
import { partners } from "../tables/partner-tables.ts";
import type { StoredPair } from "./api-key-queries.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";

/** A row of the table `partners`: a wallet that has registered with an approved application. */
export type PartnerRow = typeof partners.$inferSelect;
/** The part of a partner's data that the partner edits itself. */
export type PartnerProfile = Pick<PartnerRow, "name" | "website" | "contactEmail" | "description">;

/** Selects a partner, or returns null if the address is not a partner's. Throws `store_unavailable`. */
export async function selectPartner(db: Database, address: string): Promise<PartnerRow | null> {
  const rows = await db.run((sql) =>
    sql.select().from(partners).where(eq(partners.address, address.toLowerCase())).limit(1),
  );
  return rows[0] ?? null;
}

/**
 * Registers an approved applicant: inserts the partner, its key pair, its first session and the audit row. Empty fields
 * except the description come from the application. `name` is null if nothing was inserted, because the application is
 * not approved or the partner exists; `application` is its status, or null if there is none. Throws
 * `store_unavailable`.
 */
export async function insertPartner(
  db: Database,
  registration: {
    address: string;
    partnerId: string;
    profile: PartnerProfile;
    pair: StoredPair;
    session: { digest: string; expiresAt: Date };
    now: Date;
    note: AuditNote;
  },
): Promise<{ name: string | null; application: ApplicationStatus | null }> {
  const { partnerId, profile, pair, session, note } = registration;
  const address = registration.address.toLowerCase();
  const now = registration.now.toISOString();
  const statement = raw`
    with made as (
      insert into partners (address, partner_id, name, website, contact_email, description, created_at)
      select a.address, ${partnerId}::text, coalesce(nullif(${profile.name}::text, ''), a.form->>'company', ''),
        coalesce(nullif(${profile.website}::text, ''), a.form->>'website', ''),
        coalesce(nullif(${profile.contactEmail}::text, ''), a.form->>'email', ''),
        ${profile.description}::text, ${now}::timestamptz
      from applications a where a.address = ${address} and a.status = 'approved'
      on conflict do nothing returning address, name
    ), keyed as (
      insert into api_keys (partner_address, key_digest, secret_digest, pepper_version, prefix, epoch, created_at)
      select made.address, ${pair.keyDigest}::text, ${pair.secretDigest}::text, ${pair.pepperVersion}::int,
        ${pair.prefix}::text, a.epoch, ${now}::timestamptz
      from made join applications a on a.address = made.address
    ), begun as (
      insert into sessions (digest, partner_address, epoch, created_at, expires_at)
      select ${session.digest}::text, made.address, a.epoch, ${now}::timestamptz,
        ${session.expiresAt.toISOString()}::timestamptz
      from made join applications a on a.address = made.address
    ), noted as (${auditInsert(note, {
      subject: raw`made.address`,
      before: raw`null::jsonb`,
      after: raw`jsonb_build_object('partner_id', ${partnerId}::text, 'api_key_prefix', ${pair.prefix}::text)`,
      from: raw`made`,
    })})
    select (select name from made) as name,
      (select status from applications where address = ${address}) as application`;
  const { rows } = await db.run((sql) =>
    sql.execute<{ name: string | null; application: ApplicationStatus | null }>(statement),
  );
  return rows[0] ?? { name: null, application: null };
}

/**
 * Updates a partner's profile, type or allowed vaults and returns the new row, or null if the address is not a
 * partner's. `change` must not be empty. Throws `store_unavailable`.
 */
export async function updatePartner(
  db: Database,
  update: { address: string; change: Partial<PartnerProfile & Pick<PartnerRow, "partnerType" | "vaults">> },
): Promise<PartnerRow | null> {
  const where = eq(partners.address, update.address.toLowerCase());
  const rows = await db.run((sql) => sql.update(partners).set(update.change).where(where).returning());
  return rows[0] ?? null;
}
