import { eq, sql as raw } from "drizzle-orm";
import type { ApplicationStatus } from "../../schemas/partner-application-schema.ts";
import type { Database } from "../database-client.ts";
import { apiKeys, applications, partners, sessions } from "../tables/partner-tables.ts";

/**
 * A partner's session, with the partner's data. The address is lowercase; `keyVersion` is the version of the partner's
 * first API key.
 */
export interface SessionOwner {
  address: string;
  partnerId: string;
  partnerType: number;
  /** Ids of the vaults for which the partner may build deposits and withdrawals; null means all vaults. */
  vaults: string[] | null;
  keyVersion: number;
  /** Time at which the session expires; `live` does not take it into account. */
  expiresAt: Date;
  /** True if the partner application is approved and has not been revoked since the session was created. */
  live: boolean;
}

/**
 * Selects the session with the digest of a token, expired or not, or returns null if there is none. Throws
 * `store_unavailable`.
 */
export async function selectSessionOwner(db: Database, digest: string): Promise<SessionOwner | null> {
  const rows = await db.run((sql) =>
    sql
      .select({
        address: partners.address,
        partnerId: partners.partnerId,
        partnerType: partners.partnerType,
        vaults: partners.vaults,
        keyVersion: apiKeys.version,
        expiresAt: sessions.expiresAt,
        live: raw<boolean>`${applications.status} = 'approved' and ${applications.epoch} = ${sessions.epoch}`,
      })
      .from(sessions)
      .innerJoin(partners, eq(partners.address, sessions.partnerAddress))
      .innerJoin(apiKeys, eq(apiKeys.partnerAddress, sessions.partnerAddress))
      .innerJoin(applications, eq(applications.address, sessions.partnerAddress))
      .where(eq(sessions.digest, digest))
      .limit(1),
  );
  return rows[0] ?? null;
}

/**
 * Creates a session for a partner whose application is approved, and deletes the partner's expired ones. If `begun` is
 * false, `application` (the status, or null for none) and `partner` (true if registered) show why. Throws
 * `store_unavailable`.
 */
export async function insertSession(
  db: Database,
  session: { digest: string; address: string; now: Date; expiresAt: Date },
): Promise<{ begun: boolean; application: ApplicationStatus | null; partner: boolean }> {
  const address = session.address.toLowerCase();
  const now = session.now.toISOString();
  const statement = raw`
    with begun as (
      insert into sessions (digest, partner_address, epoch, created_at, expires_at)
      select ${session.digest}::text, p.address, a.epoch, ${now}::timestamptz,
        ${session.expiresAt.toISOString()}::timestamptz
      from partners p join applications a on a.address = p.address
      where p.address = ${address} and a.status = 'approved'
      returning digest
    ), expired as (
      delete from sessions where partner_address = ${address} and expires_at <= ${now}::timestamptz
    )
    select exists (select 1 from begun) as begun,
      (select status from applications where address = ${address}) as application,
      exists (select 1 from partners where address = ${address}) as partner`;
  const { rows } = await db.run((sql) =>
    sql.execute<{ begun: boolean; application: ApplicationStatus | null; partner: boolean }>(statement),
  );
  return rows[0] ?? { begun: false, application: null, partner: false };
}

/** Deletes the session with a token digest; does nothing if there is none. Throws `store_unavailable`. */
export async function deleteSession(db: Database, digest: string): Promise<void> {
  await db.run((sql) => sql.delete(sessions).where(eq(sessions.digest, digest)));
}
