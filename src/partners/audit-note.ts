import type { Context } from "../context.ts";
import type { AuditNote } from "../db/queries/audit.ts";

/** The audit row's part that does not depend on what is changed; the actor is the request's own. */
export function noteOf(ctx: Context, change: { action: string; actor: string; note?: string }): AuditNote {
  return {
    id: `aud_${ctx.randomId()}`,
    at: new Date(ctx.now()),
    actor: change.actor,
    action: change.action,
    note: change.note ?? "",
    requestId: ctx.requestId,
  };
}
