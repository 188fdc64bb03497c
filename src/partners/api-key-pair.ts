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
 * of the partner are invalid. Concurrent calls with one session happen one after the other, so that each response shows
 * the pair that was valid when it was made, and the last one stays; concurrent calls with one pair succeed once, because
 * the pair of the others is dead. Throws `credentials_required`, `credentials_invalid`, `session_expired`,
 * `store_unavailable`, and `internal` if no pepper is configured.
 */
export async function rotateKeys(ctx: Context): Promise<RotatedKeys> {
  const { partner, keyVersion, session } = requirePartner(ctx);
  const { shown, stored } = await generateKeyPair(ctx);
  let version = keyVersion;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const replaced = await replacePair(ctx.db, {
      address: partner.address,
      keyVersion: version,
      pair: stored,
      session,
      now: new Date(ctx.now()),
      note: makeAuditNote(ctx, { action: "partner.rotate", actor: partner.address.toLowerCase() }),
    });
    if (replaced) return shown;
    version = await versionAfterLostRace(ctx, session);
  }
  throw failure("store_unavailable", "too many rotations at the same time; this request changed nothing");
}

/** How often a rotation by session is tried when other rotations of the same session come first. */
const MAX_ATTEMPTS = 20;

/**
 * Returns the version of the pair that another rotation made first, to be replaced next. Throws `credentials_invalid`
 * for a rotation by pair, which is dead now, and `session_expired` if the other rotation ended this session.
 */
async function versionAfterLostRace(ctx: Context, session: string | null): Promise<number> {
  if (session === null)
    throw failure(
      "credentials_invalid",
      "the key pair was replaced by another request; this request changed nothing",
    );
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner !== null && isSessionLive(ctx, owner)) return owner.keyVersion;
  throw failure("session_expired", "the session has expired or was revoked; sign in again");
}
