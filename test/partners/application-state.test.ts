import { describe, expect, test } from "vitest";
import {
  decisionErrorCodes,
  decisions,
  notApprovedFailure,
  stepFailure,
} from "../../src/partners/application-state.ts";
import { applicationStatuses } from "../../src/schemas/application.ts";

describe("decisions", () => {
  test("lead from and to these states", () => {
    expect(decisions).toEqual({
      approve: { from: ["pending"], to: "approved" },
      reject: { from: ["pending"], to: "rejected" },
      revoke: { from: ["approved"], to: "revoked" },
      reopen: { from: ["rejected", "revoked"], to: "pending" },
    });
  });

  test("that are not allowed are refused by the state they met", () => {
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

  test("can be refused with the codes of the states that they cannot start from", () => {
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

  test("that are missing keep a wallet out, each by its own code", () => {
    expect(
      [null, "pending" as const, "rejected" as const, "revoked" as const].map(
        (s) => notApprovedFailure(s).code,
      ),
    ).toEqual(["application_required", "application_pending", "application_rejected", "application_revoked"]);
  });
});
