import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { ApiContract, type ApiOperation } from "../../../scripts/smoke/api-contract.ts";
import { sendRequest } from "../../../scripts/smoke/http-request.ts";
import { credentialsOf } from "../../../scripts/stress/fuzz/credentials.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";

const stack = inject("stack");
let contract: ApiContract;
let operations: readonly ApiOperation[];
let credentials: Record<string, Record<string, string>>;

beforeAll(async () => {
  contract = await ApiContract.of(stack.api);
  operations = contract.operations;
});
/** For each test its own: one of the operations signs out. */
beforeEach(async () => {
  credentials = await credentialsOf(stack);
});

type Kind = "sign-in" | "portal" | "admin" | "money" | "public";

/** The rules that hold for an operation, by its path. */
function kindOf({ path }: ApiOperation): Kind {
  if (path.startsWith("/v1/admin/")) return "admin";
  if (/^\/v1\/partners\/(nonce|register|login)$|^\/v1\/applications\//.test(path)) return "sign-in";
  if (path.startsWith("/v1/partners/")) return "portal";
  return path.startsWith("/v1/quote") ? "money" : "public";
}

const urlOf = ({ path }: ApiOperation) => `${stack.api}${path.replaceAll(/\{\w+\}/g, "none")}`;
/** Headers that let the caller in, where the operation wants any. */
const admitting = ({ path }: ApiOperation) =>
  credentials[path.startsWith("/v1/admin/") ? "admin_token" : "session"] ?? {};

describe("every response of every operation", () => {
  test("has nosniff and HSTS headers", async () => {
    for (const operation of operations) {
      for (const method of [operation.method.toUpperCase(), "DELETE", "OPTIONS"]) {
        const { headers, status } = await sendRequest(urlOf(operation), {
          method,
          headers: admitting(operation),
        });
        expect([operation.operationId, method, headers.get("x-content-type-options")]).toContain("nosniff");
        expect(headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
        const kept = headers.get("cache-control")?.startsWith("public") === true;
        expect(kept || /^[\w-]{1,64}$/.test(headers.get("x-request-id") ?? "")).toBe(true);
        expect(status).toBeLessThan(500);
      }
    }
  });

  test("has no-store when it is for one caller", async () => {
    for (const operation of operations.filter((one) => kindOf(one) !== "public")) {
      const { headers } = await sendRequest(urlOf(operation), {
        method: operation.method.toUpperCase(),
        headers: admitting(operation),
        ...(operation.body === null ? {} : { body: {} }),
      });
      expect([operation.operationId, headers.get("cache-control")]).toEqual([
        operation.operationId,
        "private, no-store",
      ]);
      const timed = kindOf(operation) === "money";
      expect([operation.operationId, headers.has("server-timing")]).toEqual([operation.operationId, timed]);
    }
  });
});

describe("CORS of every operation", () => {
  const preflight = (operation: ApiOperation, asked: string) =>
    sendRequest(urlOf(operation), {
      method: "OPTIONS",
      headers: {
        origin: "https://page.example",
        "access-control-request-method": operation.method.toUpperCase(),
        "access-control-request-headers": asked,
      },
    });

  test("allows all operations but those of administrators, without credentials", async () => {
    for (const operation of operations) {
      const open = kindOf(operation) !== "admin";
      const { headers } = await preflight(operation, "content-type,x-api-key");
      const origin = headers.get("access-control-allow-origin");
      expect([operation.operationId, origin]).toEqual([operation.operationId, open ? "*" : null]);
      expect(headers.has("access-control-allow-credentials")).toBe(false);
      const answer = await sendRequest(urlOf(operation), {
        method: operation.method.toUpperCase(),
        headers: { origin: "https://page.example", ...admitting(operation) },
      });
      expect(answer.headers.get("access-control-allow-origin")).toBe(open ? "*" : null);
    }
  });

  test("forbids the API secret everywhere, and the administrator's token", async () => {
    for (const operation of operations) {
      const { headers } = await preflight(operation, "x-api-secret,authorization");
      const allowed = headers.get("access-control-allow-headers") ?? "";
      const forbidden = kindOf(operation) === "admin" ? /./ : /secret|\*/i;
      expect([operation.operationId, forbidden.test(allowed)]).toEqual([operation.operationId, false]);
    }
  });
});

describe("every write of partners and administrators", () => {
  const writes = () =>
    operations.filter((one) => one.body !== null && ["sign-in", "portal", "admin"].includes(kindOf(one)));

  test("refuses unknown fields where an administrator decides", async () => {
    expect(writes().length).toBeGreaterThan(10);
    for (const operation of writes().filter((one) => kindOf(one) === "admin")) {
      const answer = await sendRequest(urlOf(operation), {
        method: operation.method.toUpperCase(),
        headers: admitting(operation),
        body: { __proto_: 1, is_admin: true },
      });
      expect([operation.operationId, ...findingsOf(answer)]).toEqual(
        expect.arrayContaining([operation.operationId, "body.is_admin", "body.__proto_"]),
      );
    }
  });

  /** Most bytes of a body, where it is not 64 KiB: a list of 500 claims is larger. */
  const MOST_BYTES: Readonly<Record<string, number>> = { "admin.vaults.add": 256 * 1024 };

  test("accepts bodies of up to 64 KiB from every caller, and of 256 KiB with claims", async () => {
    for (const operation of writes()) {
      const method = operation.method.toUpperCase();
      const most = MOST_BYTES[operation.operationId] ?? 65_536;
      for (const headers of [admitting(operation), {}]) {
        const json = { "content-type": "application/json", ...headers };
        const over = await sendRequest(urlOf(operation), {
          method,
          headers: json,
          raw: `{}${" ".repeat(most - 1)}`,
        });
        expect(problemOf(over)).toMatchObject({ status: 413, code: "body_too_large" });
        expect(contract.problems(operation, over)).toEqual([]);
      }
      const full = { "content-type": "application/json", ...admitting(operation) };
      const fits = await sendRequest(urlOf(operation), {
        method,
        headers: full,
        raw: `{}${" ".repeat(most - 2)}`,
      });
      expect([operation.operationId, fits.status]).not.toContain(413);
    }
  });
});
