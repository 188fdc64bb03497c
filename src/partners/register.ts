import type { Context } from "../context.ts";
import { insertPartner } from "../db/queries/partners.ts";
import { failure } from "../errors.ts";
import type { RegisterInput, Registration } from "../schemas/partner.ts";
import { refusalFor } from "./application-state.ts";
import { noteOf } from "./audit-note.ts";
import { makeKeyPair } from "./key-pair.ts";
import { proveAddress } from "./prove-address.ts";
import { makeSession } from "./session.ts";

/**
 * Makes a partner of an approved applicant and gives it its key pair, which is shown this once, and a session.
 * Throws `nonce_invalid`, `signature_invalid`; `application_required`, `_pending`, `_rejected`, `_revoked`;
 * `partner_exists`; `store_unavailable`, `simulation_unavailable`.
 */
export async function register(ctx: Context, input: RegisterInput): Promise<Registration> {
  const { address, signature, nonce, name, website, description } = input;
  await proveAddress(ctx, { purpose: "register", signed: { address, signature, nonce } });
  const now = ctx.now();
  const [pair, session] = await Promise.all([makeKeyPair(ctx), makeSession(now)]);
  const partnerId = `ptr_${ctx.randomId()}`;
  const made = await insertPartner(ctx.db, {
    address,
    partnerId,
    profile: { name, website, contactEmail: input.contact_email, description },
    pair: pair.stored,
    session,
    now: new Date(now),
    note: noteOf(ctx, { action: "partner.register", actor: address.toLowerCase() }),
  });
  if (made.name === null) {
    if (made.application !== "approved") throw refusalFor(made.application);
    throw failure("partner_exists", `${address} is a partner already`);
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
