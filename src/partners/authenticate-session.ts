import { getAddress } from "viem";
import type { Context } from "../context.ts";
import { type SessionOwner, selectSessionOwner } from "../db/queries/sessions.ts";
import { failure } from "../errors.ts";
import type { PartnerActor } from "./actor.ts";
import { isCredential } from "./credentials.ts";
import { sha256 } from "./digest.ts";

/**
 * Finds the partner of a session's token. Throws `credentials_invalid` for what is no token, `session_expired`
 * for one that is over, ended, revoked or was never given out, `store_unavailable`.
 */
export async function authenticateSession(ctx: Context, token: string): Promise<PartnerActor> {
  if (!isCredential("session", token)) throw failure("credentials_invalid", "this is no session token");
  const session = await sha256(token);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isAlive(ctx, owner)) {
    throw failure("session_expired", "the session is over; sign in again");
  }
  const { address, partnerId, partnerType, vaults, keyVersion } = owner;
  const partner = { address: getAddress(address), partnerId, partnerType, vaults };
  return { kind: "partner", partner, proof: "session", keyVersion, session };
}

/** Whether a session that was found still works. */
export function isAlive(ctx: Context, owner: SessionOwner): boolean {
  return owner.live && owner.expiresAt.getTime() > ctx.now();
}
