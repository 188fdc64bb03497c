import type { Context } from "../context.ts";
import { insertSession } from "../db/queries/sessions.ts";
import { failure } from "../errors.ts";
import type { Login } from "../schemas/partner.ts";
import type { SignedNonce } from "../schemas/signing.ts";
import { refusalFor } from "./application-state.ts";
import { getPartner } from "./get-partner.ts";
import { proveAddress } from "./prove-address.ts";
import { makeSession } from "./session.ts";

/**
 * Begins a session for a partner that signed for it. Throws `nonce_invalid`, `signature_invalid`;
 * `application_required`, `_pending`, `_rejected`, `_revoked`; `partner_not_found` for an approved applicant
 * who has not registered; `store_unavailable`, `simulation_unavailable`.
 */
export async function login(ctx: Context, signed: SignedNonce): Promise<Login> {
  const { address } = signed;
  await proveAddress(ctx, { purpose: "login", signed });
  const { token, digest, expiresAt } = await makeSession(ctx.now());
  const made = await insertSession(ctx.db, { digest, address, expiresAt, now: new Date(ctx.now()) });
  if (!made.begun) {
    if (made.application !== "approved") throw refusalFor(made.application);
    throw failure("partner_not_found", `${address} has not registered yet`);
  }
  const partner = await getPartner(ctx, address);
  return { session_token: token, expires_at: expiresAt.toISOString(), partner };
}
