import { getAddress, hexToBytes } from "viem";
import type { Pepper } from "../config.ts";
import type { Context } from "../context.ts";
import { type KeyOwner, selectKeyOwner } from "../db/queries/api-key-queries.ts";
import { type SessionOwner, selectSessionOwner } from "../db/queries/session-queries.ts";
import { AppError, failure } from "../errors.ts";
import { pepperedDigest, sha256, timingSafeEqual, toHexDigits } from "./credential-digest.ts";
import { generateCredential, isCredential } from "./partner-credentials.ts";
import type { Actor, PartnerActor } from "./request-actor.ts";

/**
 * The credentials that an operation takes: `public` an optional API key, `sign_in` none, `session` a session token,
 * `session_or_pair` a session token or an API key with its secret, `admin` the administrator's token.
 */
export type Access = "public" | "sign_in" | "session" | "session_or_pair" | "admin";

/** Credentials from the headers of a request; null when the header is absent. */
export interface OfferedCredentials extends OfferedPair {
  authorization: string | null;
}

/**
 * Authenticates the caller of an operation. Invalid credentials are refused, even where none are needed.
 * Throws `credentials_required`, `credentials_invalid`, `session_expired`, `store_unavailable`,
 * and `route_not_found` for an admin route when no administrator is configured.
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
      return hasPair(offered) ? authenticateKey(ctx, offered) : { kind: "anonymous" };
    case "session":
      return authenticateSession(ctx, bearer(offered, "a session"));
    case "session_or_pair":
      return authenticateEither(ctx, offered);
    case "admin":
      if (ctx.config.adminToken === null) throw failure("route_not_found", "no endpoint has this path");
      return authenticateAdmin(ctx, bearer(offered, "the administrator's token"));
  }
}

/** Checks every credential of the request: all must be valid and belong to one partner. */
async function authenticateEither(ctx: Context, offered: OfferedCredentials): Promise<Actor> {
  if (!hasPair(offered))
    return authenticateSession(ctx, bearer(offered, "a session, or an API key with its secret"));
  const byPair = await authenticateKey(ctx, { key: offered.key, secret: offered.secret ?? "" });
  if (offered.authorization === null) return byPair;
  const bySession = await authenticateSession(ctx, bearer(offered, "a session"));
  if (bySession.partner.address === byPair.partner.address) return bySession;
  throw failure("credentials_invalid", "the session and the API key belong to different partners");
}

function hasPair(offered: OfferedPair): boolean {
  return offered.key !== null || offered.secret !== null;
}

function bearer({ authorization }: OfferedCredentials, what: string): string {
  if (authorization === null) throw failure("credentials_required", `this endpoint needs ${what}`);
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw failure("credentials_invalid", "the Authorization header must be `Bearer <token>`");
  return token;
}

/**
 * Finds the partner of a session token. Throws `credentials_invalid` for a malformed token, `session_expired` for one that
 * is unknown, expired, ended or revoked, and `store_unavailable`.
 */
async function authenticateSession(ctx: Context, token: string): Promise<PartnerActor> {
  if (!isCredential("session", token)) throw failure("credentials_invalid", "the session token is malformed");
  const session = await sha256(token);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isSessionLive(ctx, owner)) {
    throw failure("session_expired", "the session has expired or was ended; sign in again");
  }
  return partnerActor(owner, { proof: "session", session });
}

/** Returns true while a stored session is valid: not expired, and its partner not revoked. */
export function isSessionLive(ctx: Context, owner: SessionOwner): boolean {
  return owner.live && owner.expiresAt.getTime() > ctx.now();
}

/** `X-API-Key` and `X-API-Secret` of a request; null when the header is absent. */
export interface OfferedPair {
  key: string | null;
  secret: string | null;
}

/** Digests of a key pair under one pepper. */
interface PairDigests {
  pepper: Pepper;
  key: Uint8Array;
  secret: Uint8Array;
}

/** Random credentials that replace missing ones, so that an invalid request takes as long as a valid one. */
const decoys = { key: "", secret: "" };

/**
 * Finds the partner of an API key, or of a key with its secret. Uncached, so that a revocation takes effect at once.
 * Malformed, unknown, revoked, swapped and wrong credentials cannot be told apart by response or timing.
 * Throws `credentials_invalid`, `store_unavailable`; `internal` when the deployment has no pepper.
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
    throw failure("credentials_invalid", "the API key or its secret is not valid");
  }
  return partnerActor(owner, { proof, session: null });
}

async function digestPair(pepper: Pepper, pair: { key: string; secret: string }): Promise<PairDigests> {
  const [key, secret] = await Promise.all([
    pepperedDigest(pepper, { use: "key", value: pair.key }),
    pepperedDigest(pepper, { use: "secret", value: pair.secret }),
  ]);
  return { pepper, key, secret };
}

function partnerActor(
  owner: KeyOwner | SessionOwner,
  by: Pick<PartnerActor, "proof" | "session">,
): PartnerActor {
  const { address, partnerId, partnerType, vaults, keyVersion } = owner;
  const partner = { address: getAddress(address), partnerId, partnerType, vaults };
  return { kind: "partner", partner, keyVersion, ...by };
}

/** Checks the administrator's token against `ADMIN_TOKEN`. Throws `route_not_found` when none is configured, and `credentials_invalid`. */
async function authenticateAdmin(ctx: Context, token: string): Promise<{ kind: "admin" }> {
  const { adminToken } = ctx.config;
  if (adminToken === null) throw failure("route_not_found", "no endpoint has this path");
  const [given, expected] = await Promise.all([sha256(token), sha256(adminToken)]);
  if (timingSafeEqual(hexToBytes(`0x${given}`), hexToBytes(`0x${expected}`))) return { kind: "admin" };
  throw failure("credentials_invalid", "this is not the administrator's token");
}
