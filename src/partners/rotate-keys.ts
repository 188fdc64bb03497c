import type { Context } from "../context.ts";
import { replacePair } from "../db/queries/api-keys.ts";
import { failure } from "../errors.ts";
import type { RotatedKeys } from "../schemas/partner.ts";
import { requirePartner } from "./actor.ts";
import { noteOf } from "./audit-note.ts";
import { makeKeyPair } from "./key-pair.ts";

/**
 * Replaces the partner's pair; the old one and all other sessions are dead when this returns. Of several at
 * once exactly one succeeds. Throws `credentials_invalid` to the others, `store_unavailable`.
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
  if (!replaced) {
    throw failure(
      "credentials_invalid",
      "these keys were replaced or revoked meanwhile; nothing was changed by this request",
    );
  }
  return shown;
}
