import { sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";

/** A stored API key and secret, as HMACs in hex, with the version of the pepper and the displayed part of the key. */
export interface StoredPair {
  keyDigest: string;
  secretDigest: string;
  pepperVersion: number;
  prefix: string;
}

/**
 * The partner that owns an API key, with the digest of the secret and whether the key is valid. For an unknown key, a
 * placeholder with the same fields and `found` false.
 */
export interface KeyOwner {
  found: boolean;
  address: string;
  partnerId: string;
  partnerType: number;
  vaults: string[] | null;
  secretDigest: string;
  pepperVersion: number;
  keyVersion: number;
  /** True if the partner application is approved and has not been revoked since the key was created. */
  live: boolean;
}

const NOBODY: KeyOwner = {
  found: false,
  address: `0x${"0".repeat(40)}`,
  partnerId: `ptr_${"0".repeat(32)}`,
  partnerType: 0,
  vaults: null,
  secretDigest: "0".repeat(64),
  pepperVersion: 0,
  keyVersion: 0,
  live: false,
};

/**
 * Selects the partner that owns the API key with one of these digests. It uses one statement, so that a revoked key is
 * never accepted, and it returns a placeholder for an unknown key, so that both cases take the same time. Throws
 * `store_unavailable`.
 */
export async function selectKeyOwner(db: Database, digests: readonly string[]): Promise<KeyOwner> {
  const wanted = raw.join(
    digests.map((digest) => raw`${digest}`),
    raw`, `,
  );
  const statement = raw`
    with owner as (
      select true as found, p.address, p.partner_id as "partnerId", p.partner_type as "partnerType", p.vaults,
        k.secret_digest as "secretDigest", k.pepper_version as "pepperVersion", k.version as "keyVersion",
        a.status = 'approved' and a.epoch = k.epoch as live
      from api_keys k
      join partners p on p.address = k.partner_address
      join applications a on a.address = k.partner_address
      where k.key_digest in (${wanted}) limit 1
    )
    select * from owner
    union all
    select false, ${NOBODY.address}::text, ${NOBODY.partnerId}::text, 0::smallint, null::jsonb,
      ${NOBODY.secretDigest}::text, 0, 0, false
    where not exists (select 1 from owner)`;
  const { rows } = await db.run((sql) => sql.execute<{ [K in keyof KeyOwner]: KeyOwner[K] }>(statement));
  return rows[0] ?? NOBODY;
}

/**
 * In one statement, replaces the API key and secret at version `keyVersion`, deletes the partner's other sessions and
 * writes the audit row. Exactly one of several concurrent calls succeeds and returns true; the others return false, and
 * so does a call whose session has expired or whose partner application is no longer approved. Throws
 * `store_unavailable`.
 */
export async function replacePair(
  db: Database,
  rotation: {
    address: string;
    keyVersion: number;
    pair: StoredPair;
    /** Digest of the session that is kept, or null if the call has no session. */
    session: string | null;
    now: Date;
    note: AuditNote;
  },
): Promise<boolean> {
  const { pair, session, note } = rotation;
  const address = rotation.address.toLowerCase();
  const now = rotation.now.toISOString();
  const statement = raw`
    with rotated as (
      update api_keys k set key_digest = ${pair.keyDigest}, secret_digest = ${pair.secretDigest},
        pepper_version = ${pair.pepperVersion}::int, prefix = ${pair.prefix}, version = k.version + 1,
        epoch = a.epoch, created_at = ${now}::timestamptz
      from applications a
      where k.partner_address = ${address} and k.version = ${rotation.keyVersion}::int
        and a.address = k.partner_address and a.status = 'approved'
        and (${session}::text is null or exists (
          select 1 from sessions s where s.digest = ${session}::text and s.partner_address = ${address}
            and s.epoch = a.epoch and s.expires_at > ${now}::timestamptz))
      returning k.partner_address, k.version, k.prefix
    ), ended as (
      delete from sessions s using rotated
      where s.partner_address = rotated.partner_address and s.digest is distinct from ${session}::text
    ), noted as (${auditInsert(note, {
      subject: raw`rotated.partner_address`,
      before: raw`jsonb_build_object('key_version', rotated.version - 1)`,
      after: raw`jsonb_build_object('key_version', rotated.version, 'api_key_prefix', rotated.prefix)`,
      from: raw`rotated`,
    })})
    select count(*)::int as rotated from rotated`;
  const { rows } = await db.run((sql) => sql.execute<{ rotated: number }>(statement));
  return rows[0]?.rotated === 1;
}
