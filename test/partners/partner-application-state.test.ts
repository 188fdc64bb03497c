import { describe, expect, test } from "vitest";
import {
  decisionErrorCodes,
  decisions,
  notApprovedFailure,
  stepFailure,
} from "../../src/partners/partner-application-state.ts";
import { applicationStatuses } from "../../src/schemas/partner-application-schema.ts";

describe("application decisions", () => {
  test("have these source and target statuses", () => {
    expect(decisions).toEqual({
      approve: { from: ["pending"], to: "approved" },
      reject: { from: ["pending"], to: "rejected" },
      revoke: { from: ["approved"], to: "revoked" },
      reopen: { from: ["rejected", "revoked"], to: "pending" },
    });
  });

  test("stepFailure() says where the status of an application that was sent already can be read", () => {
    expect(stepFailure("file", "pending").message).toBe(
      "an application that is pending cannot be sent again: GET /v1/applications/{address} shows its status",
    );
    expect(stepFailure("approve", "approved").message).toBe(
      "an application that is approved cannot be approved",
    );
  });

  test("stepFailure() returns the code of the application's status", () => {
    const table = Object.fromEntries(
      (["approve", "reject", "revoke", "reopen", "file"] as const).map((step) => [
        step,
        applicationStatuses.map((status) => stepFailure(step, status).code),
      ]),
    );
    const decided = [
      "application_pending",
      "application_exists",
      "application_rejected",
      "application_revoked",
    ];
    expect(table).toEqual({
      approve: decided,
      reject: decided,
      revoke: decided,
      reopen: decided,
      file: ["application_exists", "application_exists", "application_rejected", "application_revoked"],
    });
  });

  test("decisionErrorCodes() returns the codes of the statuses that a decision cannot start from", () => {
    expect({
      approve: decisionErrorCodes("approve"),
      reject: decisionErrorCodes("reject"),
      revoke: decisionErrorCodes("revoke"),
      reopen: decisionErrorCodes("reopen"),
    }).toEqual({
      approve: ["application_exists", "application_rejected", "application_revoked"],
      reject: ["application_exists", "application_rejected", "application_revoked"],
      revoke: ["application_pending", "application_rejected", "application_revoked"],
      reopen: ["application_pending", "application_exists"],
    });
  });

  test("notApprovedFailure() returns one code for each status", () => {
    expect(
      [null, "pending" as const, "rejected" as const, "revoked" as const].map(
        (s) => notApprovedFailure(s).code,
      ),
    ).toEqual(["application_required", "application_pending", "application_rejected", "application_revoked"]);
  });
});

test.each([
  [null, "POST /v1/applications/wallet"],
  ["pending", "GET /v1/applications/{address}"],
  ["rejected", "POST /v1/applications/wallet"],
  ["revoked", "only the operator can restore it"],
] as const)("the refusal of an application that is %s says what to do", (status, what) => {
  expect(notApprovedFailure(status).message).toContain(what);
});
