import type { Context } from "../context.ts";
import { deleteSession } from "../db/queries/sessions.ts";
import { requirePartner } from "./actor.ts";

/** Ends the session that asks. Throws `credentials_required`, `store_unavailable`. */
export async function logout(ctx: Context): Promise<void> {
  const { session } = requirePartner(ctx);
  if (session !== null) await deleteSession(ctx.db, session);
}
