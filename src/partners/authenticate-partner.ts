import { getAddress, hexToBytes } from "viem";
import type { Pepper } from "../config/config.ts";
import type { Context } from "../context.ts";
import { type KeyOwner, notePairUse, selectKeyOwner } from "../db/queries/api-key-queries.ts";
import { type SessionOwner, selectSessionOwner } from "../db/queries/session-queries.ts";
import { AppError, failure, noSuchEndpoint } from "../errors.ts";
import { isInRanges } from "../lib/ip-ranges.ts";
import { pepperedDigest, sha256, timingSafeEqual, toHexDigits } from "./credential-digest.ts";
import { type Actor, ALL_RIGHTS, type PartnerActor, requireRight } from "./partner-actor.ts";
import { generateCredential, isCredential } from "./partner-credentials.ts";

/**
 * The credentials that an operation accepts. `public`: none, or an API key with or without its secret; `sign_in`: none;
 * `session`: a session token; `read`, `manage`: a session token, or an API key with its secret and this right; `admin`:
 * the administrator's token.
 */
export type Access = "public" | "sign_in" | "session" | "read" | "manage" | "admin";

/**
 * Credentials from the headers of a request: API key, secret, and the `Authorization` header. A field is null if its
 * header is absent.
 */
export interface OfferedCredentials extends OfferedPair {
  authorization: string | null;
}

const WHERE_KEYS_GO = "an API key goes into X-API-Key and its secret into X-API-Secret";
/** What is missing and how to send it, at the end of the message of `credentials_required`. */
const SESSION = "a session: send `Authorization: Bearer <session_token>`";
const SESSION_OR_PAIR =
  "a session, or an API key with its secret: send `Authorization: Bearer <session_token>`, or X-API-Key and X-API-Secret";

/**
 * Returns the caller of an operation, authenticated by the credentials that it accepts. A public operation rejects an
 * invalid API key and does not ignore it. Throws `credentials_required`, `credentials_invalid`, `session_expired`,
 * `key_forbidden`, `store_unavailable`, `internal` (an API key, but no configured pepper) and `route_not_found` (no
 * configured administrator).
 */
export async function authenticate(
  ctx: Context,
  request: { access: Access; offered: OfferedCredentials },
): Promise<Actor> {
  const { access, offered } = request;
  switch (access) {
    case "sign_in":
      return { kind: "anonymous" };
    case "public":
      if (hasPair(offered)) return authenticateKey(ctx, offered);
      // Ignored, the build would be nobody's. A session is no credential of public operations and remains ignored.
      if (/cw_(?:live|secret)_/.test(offered.authorization ?? ""))
        throw failure("credentials_invalid", `Authorization contains an API key: ${WHERE_KEYS_GO}`);
      return { kind: "anonymous" };
    case "session":
      return authenticateSession(ctx, bearer(offered, SESSION));
    case "read":
    case "manage": {
      const actor = await authenticateEither(ctx, offered);
      requireRight({ actor }, access);
      return actor;
    }
    case "admin":
      if (ctx.config.adminToken === null) throw noSuchEndpoint();
      return authenticateAdmin(
        ctx,
        bearer(offered, "the administrator's token: send `Authorization: Bearer <token>`"),
      );
  }
}

/**
 * Authenticates a partner by session, by API key and secret, or by both: then the actor has the session and its rights,
 * and the key's id and version. All credentials that the request has must be valid and belong to the same partner;
 * otherwise throws the errors of `authenticate`.
 */
async function authenticateEither(ctx: Context, offered: OfferedCredentials): Promise<Actor> {
  if (!hasPair(offered)) return authenticateSession(ctx, bearer(offered, SESSION_OR_PAIR));
  const byPair = await authenticateKey(ctx, { key: offered.key, secret: offered.secret ?? "" });
  if (offered.authorization === null) return byPair;
  const bySession = await authenticateSession(ctx, bearer(offered, SESSION));
  if (bySession.partner.address === byPair.partner.address) {
    const { keyId, keyVersion } = byPair;
    return { ...bySession, keyId, keyVersion };
  }
  throw failure("credentials_invalid", "the session and the API key belong to different partners");
}

/** Returns true if a request has an API key or a secret. */
function hasPair(offered: OfferedPair): boolean {
  return offered.key !== null || offered.secret !== null;
}

/**
 * Returns the bearer token of a request. `what` names the missing credentials in the error message. Throws
 * `credentials_required` without an Authorization header, and `credentials_invalid` if it is malformed.
 */
function bearer({ authorization }: OfferedCredentials, what: string): string {
  if (authorization === null) throw failure("credentials_required", `this endpoint needs ${what}`);
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw failure(
      "credentials_invalid",
      `the Authorization header must be \`Bearer <token>\`; ${WHERE_KEYS_GO}`,
    );
  return token;
}

/**
 * Returns the partner of a session token. Throws `credentials_invalid` if the token is malformed, `session_expired` if
 * its session is unknown, expired, signed out or revoked, and `store_unavailable`.
 */
async function authenticateSession(ctx: Context, token: string): Promise<PartnerActor> {
  if (!isCredential("session", token))
    throw failure(
      "credentials_invalid",
      `the session token is malformed: send \`session_token\` of POST /v1/partners/login; ${WHERE_KEYS_GO}`,
    );
  const session = await sha256(token);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isSessionLive(ctx, owner)) {
    throw failure("session_expired", "the session has expired or was revoked; sign in again");
  }
  return partnerActor(owner, { proof: "session", session, keyId: null, rights: ALL_RIGHTS });
}

/**
 * Returns true if a stored session is valid: it has not expired, and the approval of the partner was not revoked after
 * it began.
 */
export function isSessionLive(ctx: Context, owner: SessionOwner): boolean {
  return owner.live && owner.expiresAt.getTime() > ctx.now();
}

/**
 * API key and secret from the `X-API-Key` and `X-API-Secret` headers of a request. A field is null if its header is
 * absent.
 */
export interface OfferedPair {
  key: string | null;
  secret: string | null;
}

/** What a rejected key or secret is answered with, whatever is wrong with them. */
const INVALID_PAIR =
  "the API key or its secret is not valid: X-API-Key is cw_live_…, X-API-Secret is cw_secret_…, both of one pair that was neither rotated nor revoked";

/** Digests of an API key and its secret under one pepper. */
interface PairDigests {
  pepper: Pepper;
  key: Uint8Array;
  secret: Uint8Array;
}

/**
 * Random API key and secret that replace missing or malformed ones, so that an invalid request takes as long as a valid
 * one. Generated by the first authentication with an API key.
 */
const decoys = { key: "", secret: "" };

/**
 * Returns the partner of an API key, whose secret is verified if given. Not cached, so that a revocation takes effect
 * immediately. Throws `credentials_invalid`, whatever is wrong with the pair, `key_forbidden` for a client address that
 * is not allowed, `store_unavailable`, and `internal` without a pepper.
 */
export async function authenticateKey(ctx: Context, offered: OfferedPair): Promise<PartnerActor> {
  if (decoys.key === "")
    Object.assign(decoys, { key: generateCredential("live"), secret: generateCredential("secret") });
  const hasKey = isCredential("live", offered.key ?? "");
  const hasSecret = isCredential("secret", offered.secret ?? "");
  const key = (hasKey ? offered.key : null) ?? decoys.key;
  const secret = (hasSecret ? offered.secret : null) ?? decoys.secret;
  const digests = await Promise.all(
    ctx.config.partnerPeppers.map((pepper) => digestPair(pepper, { key, secret })),
  );
  const [newest] = digests;
  if (newest === undefined) throw new AppError("internal", "configuration: missing: PARTNER_PEPPERS");
  const owner = await selectKeyOwner(
    ctx.db,
    digests.map((digest) => toHexDigits(digest.key)),
  );
  const used = digests.find(({ pepper }) => pepper.version === owner.pepperVersion) ?? newest;
  const equal = timingSafeEqual(used.secret, hexToBytes(`0x${owner.secretDigest}`));
  const proof = offered.secret === null ? "key" : "pair";
  const proven = proof === "key" || (equal && hasSecret);
  if (!hasKey || !owner.found || !owner.live || !proven) {
    throw failure("credentials_invalid", INVALID_PAIR);
  }
  if (owner.allowList.length > 0 && !isInRanges(ctx.clientAddress, owner.allowList))
    throw failure(
      "key_forbidden",
      `this API key does not work from your address, ${ctx.clientAddress}: its \`allow_list\` does not contain it`,
    );
  noteUse(ctx, owner);
  return partnerActor(owner, { proof, session: null, keyId: owner.keyId, rights: owner.rights });
}

/** Precision of the stored time of a key's last use, in milliseconds. */
const USE_STEP_MS = 60_000;

/** Records the use of a key in the background, at most once a minute. */
function noteUse(ctx: Context, { keyId, address, lastUsedAt }: KeyOwner): void {
  const now = ctx.now();
  if (lastUsedAt !== null && now - new Date(lastUsedAt).getTime() < USE_STEP_MS) return;
  ctx.waitUntil(notePairUse(ctx.db, { keyId, address, now: new Date(now) }).catch(() => undefined));
}

/** Returns the digests of an API key and its secret under a pepper. */
async function digestPair(pepper: Pepper, pair: { key: string; secret: string }): Promise<PairDigests> {
  const [key, secret] = await Promise.all([
    pepperedDigest(pepper, { use: "key", value: pair.key }),
    pepperedDigest(pepper, { use: "secret", value: pair.secret }),
  ]);
  return { pepper, key, secret };
}

/** Creates the actor of an authenticated partner from its database row. */
function partnerActor(
  owner: KeyOwner | SessionOwner,
  by: Pick<PartnerActor, "proof" | "session" | "keyId" | "rights">,
): PartnerActor {
  const { address, partnerId, partnerType, vaults, keyVersion } = owner;
  const partner = { address: getAddress(address), partnerId, partnerType, vaults };
  return { kind: "partner", partner, keyVersion, ...by };
}

/**
 * Verifies the administrator's token against `ADMIN_TOKEN`. Throws `route_not_found` if `ADMIN_TOKEN` is not
 * configured, and `credentials_invalid` if the token is wrong.
 */
async function authenticateAdmin(ctx: Context, token: string): Promise<{ kind: "admin" }> {
  const { adminToken } = ctx.config;
  if (adminToken === null) throw noSuchEndpoint();
  const [given, expected] = await Promise.all([sha256(token), sha256(adminToken)]);
  if (timingSafeEqual(hexToBytes(`0x${given}`), hexToBytes(`0x${expected}`))) return { kind: "admin" };
  throw failure("credentials_invalid", "this is not the administrator's token");
}
