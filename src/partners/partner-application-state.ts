import { type AppError, type ErrorCode, failure } from "../errors.ts";
import { type ApplicationStatus, applicationStatuses } from "../schemas/partner-application-schema.ts";

/**
 * For each decision of an administrator about a partner application: the statuses in which it is possible (`from`), and
 * the status that results (`to`).
 */
export const decisions = {
  approve: { from: ["pending"], to: "approved" },
  reject: { from: ["pending"], to: "rejected" },
  revoke: { from: ["approved"], to: "revoked" },
  reopen: { from: ["rejected", "revoked"], to: "pending" },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>;
/** An administrator's decision about a partner application. */
export type Decision = keyof typeof decisions;

/**
 * Returns the error for an address whose partner application is not approved. A null status means that the address has
 * not applied.
 */
export function notApprovedFailure(status: Exclude<ApplicationStatus, "approved"> | null): AppError {
  switch (status) {
    case null:
      return failure(
        "application_required",
        "this address has not applied to become a partner: POST /v1/applications/wallet applies",
      );
    case "pending":
      return failure(
        "application_pending",
        "the application of this address has not been decided yet: GET /v1/applications/{address} shows when it is",
      );
    case "rejected":
      return failure(
        "application_rejected",
        "the application of this address was rejected: it can apply again with POST /v1/applications/wallet",
      );
    case "revoked":
      return failure(
        "application_revoked",
        "the approval of this address was revoked: only the operator can restore it",
      );
  }
}

/**
 * Returns the error for a partner application whose status does not allow it to be submitted (`file`) or decided:
 * `application_exists` if it is approved, or pending and submitted again; otherwise `application_<status>`.
 */
export function stepFailure(step: Decision | "file", status: ApplicationStatus): AppError {
  const how = step === "file" ? ": GET /v1/applications/{address} shows its status" : "";
  const detail = `an application that is ${status} cannot be ${STEP_DONE[step]}${how}`;
  if (status === "approved" || (step === "file" && status === "pending"))
    return failure("application_exists", detail);
  return failure(`application_${status}`, detail);
}

/** Returns the error codes of a decision about a partner application: one for each status that it cannot start from. */
export function decisionErrorCodes(decision: Decision): ErrorCode[] {
  const from: readonly ApplicationStatus[] = decisions[decision].from;
  const others = applicationStatuses.filter((status) => !from.includes(status));
  return others.map((status) => stepFailure(decision, status).code);
}

/** Past participles of the steps of a partner application, for error messages. */
const STEP_DONE: Readonly<Record<Decision | "file", string>> = {
  approve: "approved",
  reject: "rejected",
  revoke: "revoked",
  reopen: "reopened",
  file: "sent again",
};
