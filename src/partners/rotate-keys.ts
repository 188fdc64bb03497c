import type { Context } from "../context.ts";
import { replacePair } from "../db/queries/api-keys.ts";
import { selectSessionOwner } from "../db/queries/sessions.ts";
import { type AppError, failure } from "../errors.ts";
import type { RotatedKeys } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { noteOf } from "./audit-note.ts";
import { isAlive } from "./authenticate-session.ts";
import { makeKeyPair } from "./key-pair.ts";

/**
 * Replaces the partner's pair; the old one and all other sessions are dead when this returns. Of several at
 * once exactly one succeeds. Throws `credentials_invalid` or `session_expired` to the others, `store_unavailable`.
 */
export async function rotateKeys(ctx: Context): Promise<RotatedKeys> {
  const { partner, keyVersion, session } = requirePartner(ctx);
  const { shown, stored } = await makeKeyPair(ctx);
  const replaced = await replacePair(ctx.db, {
    address: partner.address,
    keyVersion,
    pair: stored,
    session,
    now: new Date(ctx.now()),
    note: noteOf(ctx, { action: "partner.rotate", actor: partner.address.toLowerCase() }),
  });
  if (!replaced) throw await refusalOf(ctx, session);
  return shown;
}

/**
 * What the loser of a race is told: that what it came with works no longer, as it would have been a moment later. A
 * session that lives on lost to a request of its own; 401 keeps clients from sending it again by themselves, which
 * would kill the pair that the other request has just been shown.
 */
async function refusalOf(ctx: Context, session: string | null): Promise<AppError> {
  if (session === null) return failure("credentials_invalid", `the key pair ${MEANWHILE}`);
  const owner = await selectSessionOwner(ctx.db, session);
  if (owner === null || !isAlive(ctx, owner))
    return failure("session_expired", "the session was ended meanwhile; sign in again");
  return failure("credentials_invalid", `the key pair that this session was to replace ${MEANWHILE}`);
}

const MEANWHILE = "was replaced meanwhile; nothing was changed by this request";
