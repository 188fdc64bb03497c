import type { Context } from "../context.ts";
import { selectApplication, updateApplicationStatus } from "../db/queries/applications.ts";
import { failure } from "../errors.ts";
import type { ApplicationRecord } from "../schemas/application.ts";
import { type Decision, decisions, stepRefusal } from "./application-state.ts";
import { toApplicationRecord } from "./application-wire.ts";
import { noteOf } from "./audit-note.ts";

/**
 * Decides an application, with its audit row. A revocation kills the partner's keys and sessions: each request
 * looks. Throws `application_not_found`; `application_pending`, `_rejected`, `_revoked` or `_exists` (approved)
 * when its state does not allow the step; `store_unavailable`.
 */
export async function decideApplication(
  ctx: Context,
  input: { applicationId: string; decision: Decision; note: string },
): Promise<ApplicationRecord> {
  const { applicationId: id, decision } = input;
  const { from, to } = decisions[decision];
  const changed = await updateApplicationStatus(ctx.db, {
    id,
    from,
    to,
    note: noteOf(ctx, { action: `application.${decision}`, actor: "admin", note: input.note }),
    decidedAt: to === "pending" ? null : new Date(ctx.now()),
  });
  const row = await selectApplication(ctx.db, { id });
  if (row === null) throw failure("application_not_found", `there is no application ${id}`);
  if (!changed) throw stepRefusal(decision, row.status);
  return toApplicationRecord(row);
}
