import { type AppError, type ErrorCode, failure } from "../errors.ts";
import { type ApplicationStatus, applicationStatuses } from "../schemas/application.ts";

/** What an administrator can decide, from which states, and what comes of it. */
export const decisions = {
  approve: { from: ["pending"], to: "approved" },
  reject: { from: ["pending"], to: "rejected" },
  revoke: { from: ["approved"], to: "revoked" },
  reopen: { from: ["rejected", "revoked"], to: "pending" },
} as const satisfies Record<string, { from: readonly ApplicationStatus[]; to: ApplicationStatus }>;
export type Decision = keyof typeof decisions;

/** The failure for somebody whose application is not approved; `approved` itself is none. */
export function notApprovedFailure(status: Exclude<ApplicationStatus, "approved"> | null): AppError {
  switch (status) {
    case null:
      return failure("application_required", "this address has not applied");
    case "pending":
      return failure("application_pending", "this address's application has not been decided yet");
    case "rejected":
      return failure("application_rejected", "this address's application was rejected; it may apply again");
    case "revoked":
      return failure("application_revoked", "this address's application was revoked");
  }
}

/** The failure for a step that the application's state does not allow. */
export function stepFailure(step: Decision | "file", status: ApplicationStatus): AppError {
  const detail = `an application that is ${status} cannot be ${STEP_DONE[step]}`;
  if (status === "approved" || (step === "file" && status === "pending"))
    return failure("application_exists", detail);
  return failure(`application_${status}`, detail);
}

/** The codes with which a decision is refused by the states that it cannot start from. */
export function decisionErrorCodes(decision: Decision): ErrorCode[] {
  const from: readonly ApplicationStatus[] = decisions[decision].from;
  const others = applicationStatuses.filter((status) => !from.includes(status));
  return others.map((status) => stepFailure(decision, status).code);
}

const STEP_DONE: Readonly<Record<Decision | "file", string>> = {
  approve: "approved",
  reject: "rejected",
  revoke: "revoked",
  reopen: "reopened",
  file: "sent again",
};
