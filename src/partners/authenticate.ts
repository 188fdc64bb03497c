import { getAddress, hexToBytes } from "viem";
import type { Pepper } from "../config.ts";
import type { Context } from "../context.ts";
import { type KeyOwner, selectKeyOwner } from "../db/queries/api-keys.ts";
import { type SessionOwner, selectSessionOwner } from "../db/queries/sessions.ts";
import { AppError, failure } from "../errors.ts";
import type { Actor, PartnerActor } from "./actor.ts";
import { generateCredential, isCredential } from "./credentials.ts";
import { pepperedDigest, sha256, timingSafeEqual, toHexDigits } from "./digest.ts";

/**
 * Who may call an operation. `public` takes a key if one is given, `sign_in` takes nothing, `session` a session,
 * `session_or_pair` a session or a key with its secret, `admin` the administrator's token.
 */
export type Access = "public" | "sign_in" | "session" | "session_or_pair" | "admin";

/** The credentials of a request as its headers have them; null: no such header. */
export interface OfferedCredentials extends OfferedPair {
  authorization: string | null;
}

/**
 * Says on whose behalf a request is made. What is offered counts: wrong credentials are refused, never ignored.
 * Throws `credentials_required`, `credentials_invalid`, `session_expired`, `store_unavailable`,
 * `route_not_found` for an admin route where no administrator is configured.
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

/** All that is offered must be right, and of one partner. */
async function authenticateEither(ctx: Context, offered: OfferedCredentials): Promise<Actor> {
  if (!hasPair(offered))
    return authenticateSession(ctx, bearer(offered, "a session, or a key with its secret"));
  const byPair = await authenticateKey(ctx, { key: offered.key, secret: offered.secret ?? "" });
  if (offered.authorization === null) return byPair;
  const bySession = await authenticateSession(ctx, bearer(offered, "a session"));
  if (bySession.partner.address === byPair.partner.address) return bySession;
  throw failure("credentials_invalid", "the session and the key are of different partners");
}

function hasPair(offered: OfferedPair): boolean {
  return offered.key !== null || offered.secret !== null;
}

function bearer({ authorization }: OfferedCredentials, what: string): string {
  if (authorization === null) throw failure("credentials_required", `this needs ${what}`);
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw failure("credentials_invalid", "the Authorization header is not a Bearer token");
  return token;
}

/**
 * Finds the partner of a session's token. Throws `credentials_invalid` for what is no token, `session_expired`
 * for one that is over, ended, revoked or was never given out, `store_unavailable`.
 */
async function authenticateSession(ctx: Context, token: string): Promise<PartnerActor> {
  if (!isCredential("session", token)) throw failure("credentials_invalid", "this is no session token");
  const session = await sha256(token);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isSessionLive(ctx, owner)) {
    throw failure("session_expired", "the session is over; sign in again");
  }
  return partnerActor(owner, { proof: "session", session });
}

/** Whether a session that was found still works. */
export function isSessionLive(ctx: Context, owner: SessionOwner): boolean {
  return owner.live && owner.expiresAt.getTime() > ctx.now();
}

/** What a request brought along in `X-API-Key` and `X-API-Secret`; null: no such header. */
export interface OfferedPair {
  key: string | null;
  secret: string | null;
}

interface PairDigests {
  pepper: Pepper;
  key: Uint8Array;
  secret: Uint8Array;
}

/** Stand in for what is not there, so that the same work is done for it. Nobody has them. */
const decoys = { key: "", secret: "" };

/**
 * Finds the partner of a key, or of a key and its secret. Nothing is remembered from one request to the next.
 * Malformed, unknown, revoked, swapped and wrong are told apart by neither the answer nor the time it takes.
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
    throw failure("credentials_invalid", "the API key, or its secret, is not valid");
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

/**
 * Checks the administrator's token against `ADMIN_TOKEN`. Throws `route_not_found` where there is none
 * configured, `credentials_invalid`.
 */
async function authenticateAdmin(ctx: Context, token: string): Promise<{ kind: "admin" }> {
  const { adminToken } = ctx.config;
  if (adminToken === null) throw failure("route_not_found", "no endpoint has this path");
  const [given, expected] = await Promise.all([sha256(token), sha256(adminToken)]);
  if (timingSafeEqual(hexToBytes(`0x${given}`), hexToBytes(`0x${expected}`))) return { kind: "admin" };
  throw failure("credentials_invalid", "this is not the administrator's token");
}
