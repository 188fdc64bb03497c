import { type Address, getAddress } from "viem";
import type { Context } from "../context.ts";
import {
  type ApplicationRow,
  selectApplication,
  selectApplications,
  updateApplicationStatus,
  upsertApplication,
} from "../db/queries/application-queries.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { failure } from "../errors.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import type {
  Application,
  ApplicationInput,
  ApplicationReceipt,
  ApplicationRecord,
  ApplicationStatus,
} from "../schemas/partner-application-schema.ts";
import { type Decision, decisions, stepFailure } from "./partner-application-state.ts";
import { verifySignedNonce } from "./siwe-message.ts";

/**
 * Stores a partner application that the applicant's wallet has signed; a rejected applicant may apply again. Throws
 * `store_unavailable` and the errors of `verifySignedNonce` and `stepFailure`.
 */
export async function submitApplication(ctx: Context, input: ApplicationInput): Promise<ApplicationReceipt> {
  const { form, ...signed } = input;
  await verifySignedNonce(ctx, { purposes: ["apply"], signed });
  const id = `app_${ctx.randomId()}`;
  const { address } = signed;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const filed = await upsertApplication(ctx.db, { id, address, form, now: new Date(ctx.now()) });
    if (filed !== null) return { application_id: filed.id, status: filed.status };
    const existing = await selectApplication(ctx.db, { address });
    // It has been rejected in the meantime, so it can be sent again.
    if (existing === null || existing.status === "rejected") continue;
    throw stepFailure("file", existing.status);
  }
  throw overtaken();
}

/** Maximum number of attempts to change an application while its status changes between two statements. */
const MAX_ATTEMPTS = 3;

const overtaken = () =>
  failure("store_unavailable", "the application was changed at the same time; this request changed nothing");

/**
 * Returns the public state of an address's partner application. Throws `application_not_found`, `store_unavailable`.
 */
export async function getApplication(ctx: Context, address: Address): Promise<Application> {
  const row = await selectApplication(ctx.db, { address });
  if (row === null) throw failure("application_not_found", `${address} has not applied to become a partner`);
  return toApplication(row);
}

/**
 * Returns one page of partner applications, newest first. `before` is the position of the last one on the previous
 * page, or null for the first page. A null `status` selects all. Throws `store_unavailable`.
 */
export async function listApplications(
  ctx: Context,
  page: { status: ApplicationStatus | null; limit: number; before: TimePosition | null },
): Promise<Page<ApplicationRecord>> {
  const found = await selectApplications(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: ApplicationRow) => timeCursorParts({ at: row.createdAt, id: row.id });
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf });
  return { rows: rows.map(toApplicationRecord), next };
}

/**
 * Applies an administrator's decision to a partner application. A revocation invalidates API keys and sessions
 * immediately. Throws `application_not_found`, `store_unavailable`, and the errors of `stepFailure`.
 */
export async function decideApplication(
  ctx: Context,
  input: { applicationId: string; decision: Decision; note: string },
): Promise<ApplicationRecord> {
  const { applicationId: id, decision } = input;
  const { from, to }: { from: readonly ApplicationStatus[]; to: ApplicationStatus } = decisions[decision];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const changed = await updateApplicationStatus(ctx.db, {
      ...{ id, from, to },
      note: makeAuditNote(ctx, { action: `application.${decision}`, actor: "admin", note: input.note }),
      decidedAt: to === "pending" ? null : new Date(ctx.now()),
    });
    const row = await selectApplication(ctx.db, { id });
    if (row === null) throw failure("application_not_found", `there is no application ${id}`);
    if (changed) return toApplicationRecord(row);
    // Otherwise another decision has made this one possible in the meantime.
    if (!from.includes(row.status)) throw stepFailure(decision, row.status);
  }
  throw overtaken();
}

/** Converts a row of the `applications` table to the public state of the application. */
function toApplication(row: ApplicationRow): Application {
  return {
    address: getAddress(row.address),
    status: row.status,
    created_at: row.createdAt.toISOString(),
    decided_at: row.decidedAt?.toISOString() ?? null,
  };
}

/** Converts a row of the `applications` table to the application that administrators see. */
function toApplicationRecord(row: ApplicationRow): ApplicationRecord {
  return { ...toApplication(row), application_id: row.id, form: row.form, note: row.note };
}
