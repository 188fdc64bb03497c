import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { loadRoutes } from "../../src/app.ts";
import type { AnyRoute } from "../../src/http/define-route.ts";
import {
  asAdmin,
  asPair,
  asSession,
  call,
  decide,
  makePartner,
  newWallet,
} from "../support/partners/wallet.ts";

const routes = await loadRoutes();

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

type Headers = Record<string, string>;

/** Refusals that are about who asks, not what is asked. */
const REFUSALS = new Set([
  "credentials_required",
  "credentials_invalid",
  "session_expired",
  "route_not_found",
]);

/** What a caller gets to see of an operation: the refusal's code, or that it is open. */
async function accessOf(route: AnyRoute, headers: Headers): Promise<string> {
  const path = route.path
    .replace("{address}", newWallet().address)
    .replace("{user_address}", newWallet().address)
    .replace("{tracking_id}", `trk_${"0".repeat(32)}`)
    .replace("{vault_id}", `1:0x${"0".repeat(40)}`)
    .replaceAll(/\{\w+\}/g, "none");
  const body = route.body === undefined ? {} : { body: {} };
  const answer = await call(causeway, [route.method.toUpperCase(), path], { headers, ...body });
  const code = String(answer.body["code"] ?? "");
  return REFUSALS.has(code) ? code : "open";
}

const columns = ["anonymous", "partner A", "partner B", "A by key", "A by pair", "revoked", "admin"] as const;

/** Operations that end the credentials they are called with. */
const ENDING = new Set(["partners.rotate-keys", "partners.logout"]);

/** A working caller of each kind. */
async function callers(): Promise<Record<(typeof columns)[number], Headers>> {
  const [a, b, gone] = await Promise.all([1, 2, 3].map(() => makePartner(causeway)));
  if (a === undefined || b === undefined || gone === undefined) throw new Error("no partners");
  await decide(causeway, "revoke", gone.applicationId);
  return {
    anonymous: {},
    "partner A": asSession(a.session_token),
    "partner B": asSession(b.session_token),
    "A by key": { "x-api-key": a.api_key },
    "A by pair": asPair(a),
    revoked: { ...asSession(gone.session_token), ...asPair(gone) },
    admin: asAdmin,
  };
}

const row = ([name = "", ...cells]: readonly string[]): string =>
  [name.padEnd(30), ...cells.map((cell) => cell.padEnd(20))].join(" ").trimEnd();

test("every operation admits exactly the callers of the committed access table", async () => {
  const lasting = await callers();
  const lines = [row(["operation", ...columns])];
  for (const route of [...routes].sort((x, y) => (x.operationId < y.operationId ? -1 : 1))) {
    const cells: string[] = [];
    for (const column of columns) {
      const caller = ENDING.has(route.operationId) ? await callers() : lasting;
      cells.push(await accessOf(route, caller[column]));
    }
    lines.push(row([route.operationId, ...cells]));
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("routes.access.txt");
});

test("admin operations answer 404 when no administrator is configured", async () => {
  const without = causeway.isolate({ ADMIN_TOKEN: undefined });
  for (const route of routes.filter(({ access }) => access === "admin")) {
    for (const method of [route.method.toUpperCase(), "OPTIONS", "DELETE"]) {
      const path = route.path.replaceAll(/\{\w+\}/g, "none");
      const response = await without.send(path, { method, headers: asAdmin });
      const unknown = await without.send("/v1/nowhere", { method });
      expect([response.status, Object.keys(Object.fromEntries(response.headers))]).toEqual([
        404,
        Object.keys(Object.fromEntries(unknown.headers)),
      ]);
      const { request_id: _, ...body } = (await response.json()) as Record<string, unknown>;
      expect(await unknown.json()).toMatchObject(body);
    }
  }
});

test("all operations but those of administrators allow CORS", async () => {
  for (const route of routes) {
    const path = route.path.replaceAll(/\{\w+\}/g, "none");
    const crossOrigin = route.access !== "admin";
    const preflight = { origin: "https://page.example", "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", route.method.toUpperCase()]) {
      const response = await causeway.send(path, { method, headers: preflight });
      const allowed = response.headers.get("access-control-allow-origin");
      expect([route.operationId, method, allowed]).toEqual([
        route.operationId,
        method,
        crossOrigin ? "*" : null,
      ]);
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
      expect(response.headers.get("access-control-allow-headers")?.toLowerCase() ?? "").not.toMatch(/secret/);
    }
  }
});

test("responses of sign-in, partners and administration have no-store and no Server-Timing", async () => {
  for (const route of routes.filter(({ access }) => access !== "public")) {
    const response = await causeway.send(route.path.replaceAll(/\{\w+\}/g, "none"), {
      method: route.method.toUpperCase(),
    });
    const { headers } = response;
    expect([route.operationId, headers.get("cache-control"), headers.get("server-timing")]).toEqual([
      route.operationId,
      "private, no-store",
      null,
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});
