import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { insertPartner, selectPartner } from "../db/queries/partner-queries.ts";
import { deleteSession, insertSession } from "../db/queries/session-queries.ts";
import { type AppError, failure } from "../errors.ts";
import { DAY_MS } from "../lib/durations.ts";
import type { Login, RegisterInput, Registration } from "../schemas/partner-schema.ts";
import type { SignedNonce } from "../schemas/signing-schema.ts";
import { sha256 } from "./credential-digest.ts";
import { requirePartner } from "./partner-actor.ts";
import { generateKeyPair } from "./partner-api-keys.ts";
import { notApprovedFailure } from "./partner-application-state.ts";
import { generateCredential } from "./partner-credentials.ts";
import { getPartner } from "./partner-profile.ts";
import { verifySignedNonce } from "./siwe-message.ts";

/** Lifetime of a session, in milliseconds. */
const SESSION_MS = DAY_MS;

/** A new session of a partner. The partner sees the token once; the database stores only its SHA-256 digest. */
export interface NewSession {
  token: string;
  digest: string;
  expiresAt: Date;
}

/** Generates a session: a token with 256 random bits, its digest and its expiry. `now` is in UNIX milliseconds. */
async function makeSession(now: number): Promise<NewSession> {
  const token = generateCredential("session");
  return { token, digest: await sha256(token), expiresAt: new Date(now + SESSION_MS) };
}

/**
 * Registers an approved applicant as a partner. Returns an API key with its secret, which cannot be read again, and a
 * session of 24 hours. Throws `partner_exists`, `store_unavailable`, `internal` without a pepper, and the errors of
 * `verifySignedNonce` and `notApprovedFailure`.
 */
export async function register(ctx: Context, input: RegisterInput): Promise<Registration> {
  const { address, signature, nonce, name, website, description } = input;
  await verifyRegistration(ctx, { address, signature, nonce });
  const now = ctx.now();
  const [pair, session] = await Promise.all([generateKeyPair(ctx), makeSession(now)]);
  const partnerId = `ptr_${ctx.randomId()}`;
  const made = await insertPartner(ctx.db, {
    address,
    partnerId,
    profile: { name, website, contactEmail: input.contact_email, description },
    pair: pair.stored,
    session,
    now: new Date(now),
    note: makeAuditNote(ctx, { action: "partner.register", actor: address.toLowerCase() }),
  });
  if (made.name === null) {
    if (made.application !== "approved") throw notApprovedFailure(made.application);
    throw alreadyRegistered(address);
  }
  return {
    ...pair.shown,
    address,
    name: made.name,
    partner_id: partnerId,
    created_at: new Date(now).toISOString(),
    session_token: session.token,
    expires_at: session.expiresAt.toISOString(),
  };
}

/**
 * Verifies the signature of a registration. A login nonce, which a partner gets by default, is accepted so that the
 * error is `partner_exists` and not `nonce_invalid`.
 */
async function verifyRegistration(ctx: Context, signed: SignedNonce): Promise<void> {
  const purpose = await verifySignedNonce(ctx, { purposes: ["register", "login"], signed });
  if (purpose === "register") return;
  if ((await selectPartner(ctx.db, signed.address)) !== null) throw alreadyRegistered(signed.address);
  throw failure("nonce_invalid", "the nonce was issued for a login: request one with purpose `register`");
}

const alreadyRegistered = (address: string): AppError =>
  failure("partner_exists", `${address} is registered already: sign in with POST /v1/partners/login`);

/**
 * Starts a session of 24 hours for a partner that has signed the login message. Throws `store_unavailable`,
 * `partner_not_found` before the registration, and the errors of `verifySignedNonce` and `notApprovedFailure`.
 */
export async function login(ctx: Context, signed: SignedNonce): Promise<Login> {
  const { address } = signed;
  await verifySignedNonce(ctx, { purposes: ["login"], signed });
  const { token, digest, expiresAt } = await makeSession(ctx.now());
  const made = await insertSession(ctx.db, { digest, address, expiresAt, now: new Date(ctx.now()) });
  if (!made.begun) {
    if (made.application !== "approved") throw notApprovedFailure(made.application);
    throw failure("partner_not_found", `${address} has not registered yet: POST /v1/partners/register`);
  }
  const partner = await getPartner(ctx, address);
  return { session_token: token, expires_at: expiresAt.toISOString(), partner };
}

/**
 * Ends the session with which the caller authenticated. Does nothing for a caller with only a key pair. Throws
 * `credentials_required`, `store_unavailable`.
 */
export async function logout(ctx: Context): Promise<void> {
  const { session } = requirePartner(ctx);
  if (session !== null) await deleteSession(ctx.db, session);
}
