import type { Context } from "../context.ts";
import {
  deletePair,
  insertPair,
  type ListedPair,
  MAX_PAIRS,
  replacePair,
  type StoredPair,
  selectFirstPair,
  selectPairs,
  updatePair,
} from "../db/queries/api-key-queries.ts";
import { selectApplication } from "../db/queries/application-queries.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { selectSessionOwner } from "../db/queries/session-queries.ts";
import { AppError, failure } from "../errors.ts";
import type { ApiKey, CreatedApiKey, KeyRight } from "../schemas/partner-api-key-schema.ts";
import type { RotatedKeys } from "../schemas/partner-schema.ts";
import { isSessionLive } from "./authenticate-partner.ts";
import { pepperedDigest, toHexDigits } from "./credential-digest.ts";
import { requirePartner } from "./partner-actor.ts";
import { credentialPrefix, generateCredential } from "./partner-credentials.ts";

/**
 * Generates an API key and its secret. `shown` is for the response; `stored` is for the database, with their digests
 * and the displayed part of the key. Throws `internal` if no pepper (the deployment's secret for these digests) is
 * configured.
 */
export async function generateKeyPair(ctx: Context): Promise<{ shown: RotatedKeys; stored: StoredPair }> {
  const [pepper] = ctx.config.partnerPeppers;
  if (pepper === undefined) throw new AppError("internal", "configuration: missing: PARTNER_PEPPERS");
  const [key, secret] = [generateCredential("live"), generateCredential("secret")];
  const prefix = credentialPrefix(key);
  const stored = {
    keyDigest: toHexDigits(await pepperedDigest(pepper, { use: "key", value: key })),
    secretDigest: toHexDigits(await pepperedDigest(pepper, { use: "secret", value: secret })),
    pepperVersion: pepper.version,
    prefix,
  };
  return { shown: { api_key: key, api_secret: secret, api_key_prefix: prefix }, stored };
}

/**
 * Replaces a key pair of the authenticated partner, the request's own or, by session alone, the first that is listed
 * (if none is, the revoked first pair), and returns the new one. The old pair and all sessions but the caller's become
 * invalid. Throws `credentials_required`, `credentials_invalid`, `session_expired`, `store_unavailable`, and `internal`
 * without a pepper.
 */
export async function rotateKeys(ctx: Context): Promise<RotatedKeys> {
  const { partner, keyVersion, session, keyId } = requirePartner(ctx);
  const { shown, stored } = await generateKeyPair(ctx);
  let version = keyVersion;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const first = keyId === null ? await selectFirstPair(ctx.db, partner.address) : null;
    const replaced = await replacePair(ctx.db, {
      address: partner.address,
      keyVersion: first?.version ?? version,
      keyId: keyId ?? first?.keyId ?? null,
      pair: stored,
      session,
      now: new Date(ctx.now()),
      note: makeAuditNote(ctx, { action: "partner.rotate", actor: partner.address.toLowerCase() }),
    });
    if (replaced) return shown;
    version = await versionAfterLostRace(ctx, { session, keyId });
  }
  throw failure("store_unavailable", "too many rotations at the same time; this request changed nothing");
}

/** Maximum number of attempts of a rotation by session while other rotations of the same session interfere. */
const MAX_ATTEMPTS = 20;

/**
 * Returns the version of the partner's first pair after a concurrent rotation. Throws `credentials_invalid` for a
 * rotation by pair, which is no longer valid, `session_expired` if the other rotation ended this session, and
 * `store_unavailable`.
 */
async function versionAfterLostRace(
  ctx: Context,
  { session, keyId }: { session: string | null; keyId: string | null },
): Promise<number> {
  const owner = session === null ? null : await selectSessionOwner(ctx.db, session);
  if (session !== null && (owner === null || !isSessionLive(ctx, owner)))
    throw failure("session_expired", "the session has expired or was revoked; sign in again");
  if (owner === null || keyId !== null)
    throw failure(
      "credentials_invalid",
      "the key pair was replaced by another request; this request changed nothing",
    );
  return owner.keyVersion;
}

/**
 * Returns the key pairs of the authenticated partner, without their secrets. Throws `credentials_required`,
 * `store_unavailable`.
 */
export async function listKeys(ctx: Context): Promise<ApiKey[]> {
  const rows = await selectPairs(ctx.db, requirePartner(ctx).partner.address);
  return rows.map(toApiKey);
}

function toApiKey(row: ListedPair): ApiKey {
  return {
    key_id: row.keyId,
    name: row.name,
    rights: row.rights,
    allow_list: row.allowList,
    api_key_prefix: row.prefix,
    created_at: new Date(row.createdAt).toISOString(),
    last_used_at: row.lastUsedAt === null ? null : new Date(row.lastUsedAt).toISOString(),
  };
}

/** Maximum number of attempts of a creation while concurrent requests take the same slot. */
const MAX_CREATIONS = 5;

/**
 * Creates a named key pair for the authenticated partner; its secret cannot be read again. An empty allow list admits
 * every client address. Throws `limit_reached` if the partner has five key pairs, `credentials_required`,
 * `credentials_invalid` or `session_expired` if the partner was revoked meanwhile, `store_unavailable` (also after five
 * attempts that failed although the partner has fewer), and `internal` without a pepper.
 */
export async function createKey(
  ctx: Context,
  input: { name: string; rights: KeyRight[]; allow_list: string[] },
): Promise<CreatedApiKey> {
  const { partner, session } = requirePartner(ctx);
  const { address } = partner;
  const { name, rights, allow_list: allowList } = input;
  const { shown, stored } = await generateKeyPair(ctx);
  const newId = `key_${ctx.randomId()}`;
  const now = new Date(ctx.now());
  for (let attempt = 0; attempt < MAX_CREATIONS; attempt += 1) {
    const note = makeAuditNote(ctx, { action: "partner.key.create", actor: address.toLowerCase() });
    const row = { address, keyId: newId, pair: stored, shown: { name, rights, allowList }, now, note };
    const keyId = await insertPair(ctx.db, row);
    if (keyId === null) continue;
    const made = { keyId, name, rights, allowList, prefix: stored.prefix, createdAt: now, lastUsedAt: null };
    return { ...toApiKey(made), ...shown };
  }
  const application = await selectApplication(ctx.db, { address });
  if (application?.status !== "approved")
    throw session === null
      ? failure("credentials_invalid", "the partner's key pairs were revoked; this request changed nothing")
      : failure("session_expired", "the session was revoked; this request changed nothing");
  const held = await selectPairs(ctx.db, address);
  if (held.length < MAX_PAIRS)
    throw failure("store_unavailable", "too many changes at the same time; this request changed nothing");
  throw failure("limit_reached", "a partner has at most five key pairs; revoke one first");
}

/**
 * Changes the name, rights or allow list of a key pair of the authenticated partner, and writes an audit entry. Absent
 * fields stay unchanged. Throws `key_not_found`, `credentials_required`, `store_unavailable`.
 */
export async function changeKey(
  ctx: Context,
  {
    keyId,
    change,
  }: {
    keyId: string;
    change: { name?: string | undefined; rights?: KeyRight[] | undefined; allow_list?: string[] | undefined };
  },
): Promise<ApiKey> {
  const { address } = requirePartner(ctx).partner;
  const note = makeAuditNote(ctx, { action: "partner.key.change", actor: address.toLowerCase() });
  const { allow_list: allowList, ...rest } = change;
  const own = Object.fromEntries(
    Object.entries({ ...rest, allowList }).filter(([, value]) => value !== undefined),
  );
  await updatePair(ctx.db, { address, keyId, change: own, note });
  const found = (await listKeys(ctx)).find((key) => key.key_id === keyId);
  if (found === undefined) throw noSuchKey(keyId);
  return found;
}

/**
 * Revokes a key pair of the authenticated partner, and writes an audit entry. The pair stops working immediately.
 * Throws `key_not_found`, `credentials_required`, `store_unavailable`.
 */
export async function revokeKey(ctx: Context, keyId: string): Promise<void> {
  const { address } = requirePartner(ctx).partner;
  const note = makeAuditNote(ctx, { action: "partner.key.revoke", actor: address.toLowerCase() });
  if (!(await deletePair(ctx.db, { address, keyId, note }))) throw noSuchKey(keyId);
}

const noSuchKey = (keyId: string): AppError =>
  failure("key_not_found", `there is no key pair ${keyId}: GET /v1/partners/api-keys lists them`);
