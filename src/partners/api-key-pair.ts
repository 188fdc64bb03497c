import type { Context } from "../context.ts";
import { replacePair, type StoredPair } from "../db/queries/api-key-queries.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { selectSessionOwner } from "../db/queries/session-queries.ts";
import { AppError, failure } from "../errors.ts";
import type { RotatedKeys } from "../schemas/partner-schema.ts";
import { isSessionLive } from "./authenticate-request.ts";
import { pepperedDigest, toHexDigits } from "./credential-digest.ts";
import { credentialPrefix, generateCredential } from "./partner-credentials.ts";
import { requirePartner } from "./request-actor.ts";

/**
 * Generates an API key and its secret. `shown` is what the partner sees once, `stored` what the database keeps: their
 * digests. Throws `internal` if no pepper (the deployment's secret for digests of credentials) is configured.
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
 * Replaces the API key and secret of the authenticated partner. When this returns, the old ones and all other sessions
 * of the partner are invalid. Of concurrent calls exactly one succeeds; the others throw `credentials_invalid` or
 * `session_expired`. Throws `credentials_required`, `store_unavailable`, and `internal` if no pepper is configured.
 */
export async function rotateKeys(ctx: Context): Promise<RotatedKeys> {
  const { partner, keyVersion, session } = requirePartner(ctx);
  const { shown, stored } = await generateKeyPair(ctx);
  const replaced = await replacePair(ctx.db, {
    address: partner.address,
    keyVersion,
    pair: stored,
    session,
    now: new Date(ctx.now()),
    note: makeAuditNote(ctx, { action: "partner.rotate", actor: partner.address.toLowerCase() }),
  });
  if (!replaced) throw await lostRaceFailure(ctx, session);
  return shown;
}

/**
 * Returns the error for a key rotation that failed because the caller's credentials were no longer valid:
 * `session_expired` if the session is invalid, otherwise `credentials_invalid`, because another request has replaced
 * the API key. A valid session gets a 401 too, so that clients do not retry automatically: a retry would invalidate the
 * API key that the other request received.
 */
async function lostRaceFailure(ctx: Context, session: string | null): Promise<AppError> {
  if (session === null) return failure("credentials_invalid", `the key pair ${REPLACED_MEANWHILE}`);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isSessionLive(ctx, owner))
    return failure("session_expired", "the session has expired or was revoked; sign in again");
  return failure("credentials_invalid", `the key pair of this session ${REPLACED_MEANWHILE}`);
}

const REPLACED_MEANWHILE = "was replaced by another request; this request changed nothing";
