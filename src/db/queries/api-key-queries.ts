import { sql as raw, type SQL } from "drizzle-orm";
import type { KeyRight } from "../../schemas/partner-api-key-schema.ts";
import type { Database } from "../database-client.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";

/**
 * A stored API key and secret, as HMAC-SHA-256 in hex, with the version of the pepper and the displayed part of the
 * key.
 */
export interface StoredPair {
  keyDigest: string;
  secretDigest: string;
  pepperVersion: number;
  prefix: string;
}

/**
 * The partner (address in lowercase) that owns an API key, with the digest of the secret and whether the key is valid.
 * For an unknown or revoked key, a placeholder of the same form in which `found` is false.
 */
export interface KeyOwner {
  found: boolean;
  address: string;
  partnerId: string;
  partnerType: number;
  /** Ids of the vaults for which the partner may build deposits and withdrawals; null means all vaults. */
  vaults: string[] | null;
  /** HMAC-SHA-256 of the secret in hex, with the pepper of `pepperVersion`. */
  secretDigest: string;
  pepperVersion: number;
  keyVersion: number;
  /** Id of the key pair. */
  keyId: string;
  rights: KeyRight[];
  /** Ranges of client addresses from which the key works; an empty list allows every address. */
  allowList: string[];
  /** Time of the last recorded use of the key (a text from the database), or null if there is none. */
  lastUsedAt: Date | string | null;
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
  keyId: "",
  rights: [],
  allowList: [],
  lastUsedAt: null,
  live: false,
};

/**
 * Selects the partner that owns the API key with one of these digests, or returns a placeholder for an unknown or
 * revoked key. Throws `store_unavailable`.
 */
export async function selectKeyOwner(db: Database, digests: readonly string[]): Promise<KeyOwner> {
  const wanted = raw.join(
    digests.map((digest) => raw`${digest}`),
    raw`, `,
  );
  const statement = raw`
    with pairs as (${allPairs}), owner as (
      select true as found, p.address, p.partner_id as "partnerId", p.partner_type as "partnerType", p.vaults,
        k.secret_digest as "secretDigest", k.pepper_version as "pepperVersion", k.version as "keyVersion",
        k.key_id as "keyId", k.rights, k.allow_list as "allowList", k.last_used_at as "lastUsedAt",
        a.status = 'approved' and a.epoch = k.epoch as live
      from pairs k
      join partners p on p.address = k.partner_address
      join applications a on a.address = k.partner_address
      where k.key_digest in (${wanted}) limit 1
    )
    select * from owner
    union all
    select false, ${NOBODY.address}::text, ${NOBODY.partnerId}::text, 0::smallint, null::jsonb,
      ${NOBODY.secretDigest}::text, 0, 0, ''::text, '[]'::jsonb, '[]'::jsonb, null::timestamptz, false
    where not exists (select 1 from owner)`;
  const { rows } = await db.run((sql) => sql.execute<{ [K in keyof KeyOwner]: KeyOwner[K] }>(statement));
  return rows[0] ?? NOBODY;
}

/** All key pairs that are not revoked. The id of a partner's first pair has no column: its address gives it. */
const allPairs = raw`
  select ${firstKeyId(raw`partner_address`)} as key_id, partner_address, name, rights, allow_list, key_digest,
    secret_digest, pepper_version, prefix, version, epoch, created_at, last_used_at, 0 as slot
  from api_keys where not revoked
  union all
  select key_id, partner_address, name, rights, allow_list, key_digest, secret_digest, pepper_version, prefix, version,
    epoch, created_at, last_used_at, slot
  from partner_keys`;

/** Returns the SQL expression for the id of a partner's first key pair. */
function firstKeyId(address: SQL): SQL {
  return raw`'key_' || md5(${address})`;
}

/**
 * A key pair as its partner sees it, without the secret. An empty `allowList` allows every client address; `prefix` is
 * the displayed part of the API key. Times may be texts; `lastUsedAt` is null if no use is recorded.
 */
export interface ListedPair {
  keyId: string;
  name: string;
  rights: KeyRight[];
  allowList: string[];
  prefix: string;
  createdAt: Date | string;
  lastUsedAt: Date | string | null;
}

/**
 * Selects a partner's key pairs, the first pair first, without revoked ones. Returns an empty list if the address is
 * not a partner's. Throws `store_unavailable`.
 */
export async function selectPairs(db: Database, address: string): Promise<ListedPair[]> {
  const statement = raw`
    with pairs as (${allPairs})
    select key_id as "keyId", name, rights, allow_list as "allowList", prefix, created_at as "createdAt",
      last_used_at as "lastUsedAt"
    from pairs where partner_address = ${address.toLowerCase()} order by slot`;
  const { rows } = await db.run((sql) => sql.execute<{ [K in keyof ListedPair]: ListedPair[K] }>(statement));
  return rows;
}

/**
 * Selects the id and the version of the pair that `selectPairs` lists first. Null if it lists none. Throws
 * `store_unavailable`.
 */
export async function selectFirstPair(
  db: Database,
  address: string,
): Promise<{ keyId: string; version: number } | null> {
  const statement = raw`
    with pairs as (${allPairs})
    select key_id as "keyId", version from pairs
    where partner_address = ${address.toLowerCase()} order by slot limit 1`;
  const { rows } = await db.run((sql) => sql.execute<{ keyId: string; version: number }>(statement));
  return rows[0] ?? null;
}

/** Maximum number of key pairs of a partner, the first one included. */
export const MAX_PAIRS = 5;

/**
 * Inserts a key pair of a partner into a free one of its four further slots, otherwise in place of a revoked first
 * pair, and writes the audit row. Returns its id (`keyId`, or the first pair's); null without a free place or an
 * approved application, or possibly because of a concurrent insertion. Throws `store_unavailable`.
 */
export async function insertPair(
  db: Database,
  of: {
    address: string;
    keyId: string;
    pair: StoredPair;
    shown: Pick<ListedPair, "name" | "rights" | "allowList">;
    now: Date;
    note: AuditNote;
  },
): Promise<string | null> {
  const { pair, shown, note } = of;
  const address = of.address.toLowerCase();
  const now = of.now.toISOString();
  const [rights, allowList] = [JSON.stringify(shown.rights), JSON.stringify(shown.allowList)];
  const statement = raw`
    with inserted as (
      insert into partner_keys (key_id, partner_address, slot, name, rights, allow_list, key_digest, secret_digest,
        pepper_version, prefix, epoch, created_at)
      select ${of.keyId}::text, a.address, free.slot, ${shown.name}::text, ${rights}::jsonb, ${allowList}::jsonb,
        ${pair.keyDigest}::text, ${pair.secretDigest}::text, ${pair.pepperVersion}::int, ${pair.prefix}::text, a.epoch,
        ${now}::timestamptz
      from applications a
      cross join (
        select slot from generate_series(1, ${MAX_PAIRS - 1}::int) as slot
        where slot not in (select k.slot from partner_keys k where k.partner_address = ${address})
        order by slot limit 1
      ) free
      where a.address = ${address} and a.status = 'approved'
      on conflict do nothing returning key_id, partner_address, name
    ), renewed as (
      update api_keys k set revoked = false, name = ${shown.name}::text, rights = ${rights}::jsonb,
        allow_list = ${allowList}::jsonb, key_digest = ${pair.keyDigest}, secret_digest = ${pair.secretDigest},
        pepper_version = ${pair.pepperVersion}::int, prefix = ${pair.prefix}, version = k.version + 1,
        epoch = a.epoch, created_at = ${now}::timestamptz, last_used_at = null
      from applications a
      where k.partner_address = ${address} and k.revoked and a.address = k.partner_address
        and a.status = 'approved' and not exists (select 1 from inserted)
      returning ${firstKeyId(raw`k.partner_address`)} as key_id, k.partner_address, k.name
    ), made as (
      select * from inserted union all select * from renewed
    ), noted as (${auditInsert(note, {
      subject: raw`made.key_id`,
      before: raw`null::jsonb`,
      after: raw`jsonb_build_object('name', made.name, 'partner', made.partner_address)`,
      from: raw`made`,
    })})
    select key_id as "keyId" from made`;
  const { rows } = await db.run((sql) => sql.execute<{ keyId: string }>(statement));
  return rows[0]?.keyId ?? null;
}

/**
 * Changes the given fields (name, rights or allow list) of a key pair and writes the audit row. Returns false if the
 * partner has no such key pair. Throws `store_unavailable`.
 */
export async function updatePair(
  db: Database,
  of: {
    address: string;
    keyId: string;
    change: Partial<Pick<ListedPair, "name" | "rights" | "allowList">>;
    note: AuditNote;
  },
): Promise<boolean> {
  const { name, rights, allowList } = of.change;
  const set = raw`name = coalesce(${name ?? null}::text, name),
    rights = coalesce(${rights === undefined ? null : JSON.stringify(rights)}::jsonb, rights),
    allow_list = coalesce(${allowList === undefined ? null : JSON.stringify(allowList)}::jsonb, allow_list)`;
  const [first, further] = [raw`update api_keys set ${set}`, raw`update partner_keys set ${set}`];
  return changePair(db, { ...of, first, further, after: raw`to_jsonb(changed)` });
}

/**
 * Revokes a key pair and writes the audit row. Returns false if the partner has no such key pair. Throws
 * `store_unavailable`.
 */
export function deletePair(
  db: Database,
  of: { address: string; keyId: string; note: AuditNote },
): Promise<boolean> {
  const first = raw`update api_keys set revoked = true, version = version + 1`;
  const further = raw`delete from partner_keys`;
  return changePair(db, { ...of, first, further, after: raw`null::jsonb` });
}

async function changePair(
  db: Database,
  of: { address: string; keyId: string; first: SQL; further: SQL; after: SQL; note: AuditNote },
): Promise<boolean> {
  const { keyId, first, further, after, note } = of;
  const address = of.address.toLowerCase();
  const shown = raw`name, rights, allow_list`;
  const statement = raw`
    with prior as (
      select ${shown} from (${allPairs}) pairs where partner_address = ${address} and key_id = ${keyId}
    ), first_changed as (
      ${first} where partner_address = ${address} and not revoked
        and ${firstKeyId(raw`partner_address`)} = ${keyId} returning ${shown}
    ), further_changed as (
      ${further} where partner_address = ${address} and key_id = ${keyId} returning ${shown}
    ), changed as (select * from first_changed union all select * from further_changed),
    noted as (${auditInsert(note, {
      subject: raw`${keyId}::text`,
      before: raw`to_jsonb(prior)`,
      after,
      from: raw`changed left join prior on true`,
    })})
    select count(*)::int as changed from changed`;
  const { rows } = await db.run((sql) => sql.execute<{ changed: number }>(statement));
  return rows[0]?.changed === 1;
}

/**
 * Records `now` as the time of the last use of a key pair. Does nothing for an unknown one. Throws `store_unavailable`.
 */
export async function notePairUse(
  db: Database,
  of: { keyId: string; address: string; now: Date },
): Promise<void> {
  const now = of.now.toISOString();
  const address = of.address.toLowerCase();
  await db.run((sql) =>
    sql.execute(raw`
      with further_used as (
        update partner_keys set last_used_at = ${now}::timestamptz where key_id = ${of.keyId} returning key_id
      )
      update api_keys set last_used_at = ${now}::timestamptz
      where partner_address = ${address} and ${firstKeyId(raw`partner_address`)} = ${of.keyId}`),
  );
}

/**
 * Replaces the key pair `keyId` if its version is `keyVersion`, writes the audit row, and deletes the partner's
 * sessions except `session`. Name, rights and allow list stay. Changes nothing and returns false without such a pair or
 * an approved application, or if a given `session` is not valid. Throws `store_unavailable`.
 */
export async function replacePair(
  db: Database,
  rotation: {
    address: string;
    keyVersion: number;
    /** Id of the key pair to replace, or null for the partner's first one, also if it is revoked. */
    keyId: string | null;
    pair: StoredPair;
    /** Digest of the session that is kept, or null if the call has no session. */
    session: string | null;
    now: Date;
    note: AuditNote;
  },
): Promise<boolean> {
  const { pair, session, note, keyId } = rotation;
  const address = rotation.address.toLowerCase();
  const now = rotation.now.toISOString();
  const isSessionValid = raw`(${session}::text is null or exists (
    select 1 from sessions s where s.digest = ${session}::text and s.partner_address = ${address}
      and s.epoch = a.epoch and s.expires_at > ${now}::timestamptz))`;
  const statement = raw`
    with first_rotated as (
      update api_keys k set revoked = false, key_digest = ${pair.keyDigest}, secret_digest = ${pair.secretDigest},
        pepper_version = ${pair.pepperVersion}::int, prefix = ${pair.prefix}, version = k.version + 1,
        epoch = a.epoch, created_at = ${now}::timestamptz
      from applications a
      where k.partner_address = ${address} and k.version = ${rotation.keyVersion}::int
        and (${keyId}::text is null or (not k.revoked and ${firstKeyId(raw`k.partner_address`)} = ${keyId}::text))
        and a.address = k.partner_address and a.status = 'approved'
        and ${isSessionValid}
      returning k.partner_address, k.version, k.prefix
    ), further_rotated as (
      update partner_keys k set key_digest = ${pair.keyDigest}, secret_digest = ${pair.secretDigest},
        pepper_version = ${pair.pepperVersion}::int, prefix = ${pair.prefix}, version = k.version + 1,
        epoch = a.epoch, created_at = ${now}::timestamptz
      from applications a
      where k.partner_address = ${address} and k.version = ${rotation.keyVersion}::int and k.key_id = ${keyId}::text
        and a.address = k.partner_address and a.status = 'approved' and ${isSessionValid}
      returning k.partner_address, k.version, k.prefix
    ), rotated as (
      select * from first_rotated union all select * from further_rotated
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
