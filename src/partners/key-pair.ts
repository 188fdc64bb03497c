import type { Context } from "../context.ts";
import { replacePair, type StoredPair } from "../db/queries/api-keys.ts";
import { makeAuditNote } from "../db/queries/audit.ts";
import { selectSessionOwner } from "../db/queries/sessions.ts";
import { AppError, failure } from "../errors.ts";
import type { RotatedKeys } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { isSessionLive } from "./authenticate.ts";
import { credentialPrefix, generateCredential } from "./credentials.ts";
import { pepperedDigest, toHexDigits } from "./digest.ts";

/**
 * Makes a key and its secret: what the partner is shown, once, and what is stored of it.
 * Throws `internal` when the deployment has no pepper.
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
 * Replaces the partner's pair; the old one and all other sessions are dead when this returns. Of several at
 * once exactly one succeeds. Throws `credentials_invalid` or `session_expired` to the others, `store_unavailable`.
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
 * What the loser of a race is told: that what it came with works no longer, as it would have been a moment later. A
 * session that lives on lost to a request of its own; 401 keeps clients from sending it again by themselves, which
 * would kill the pair that the other request has just been shown.
 */
async function lostRaceFailure(ctx: Context, session: string | null): Promise<AppError> {
  if (session === null) return failure("credentials_invalid", `the key pair ${REPLACED_MEANWHILE}`);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isSessionLive(ctx, owner))
    return failure("session_expired", "the session was ended meanwhile; sign in again");
  return failure(
    "credentials_invalid",
    `the key pair that this session was to replace ${REPLACED_MEANWHILE}`,
  );
}

const REPLACED_MEANWHILE = "was replaced meanwhile; nothing was changed by this request";
