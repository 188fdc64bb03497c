import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type AnyRoute, defineRoute } from "../../src/http/define-route.ts";
import { appOf, headersOf, read } from "../support/http/app.ts";

const accesses = ["public", "sign_in", "session", "manage", "admin"] as const;
type Access = (typeof accesses)[number];
const routeFor = (access: Access, method: "get" | "post" = "get"): AnyRoute =>
  defineRoute({
    operationId: `${access}.do`,
    method,
    path: `/${access}`,
    summary: "Do",
    tag: "Things",
    access,
    cache: "no-store",
    response: { schema: z.object({ done: z.boolean() }), description: "Done" },
    errors: [],
    handler: () => ({ done: true }),
  });
const TOKEN = "t".repeat(32);
const { send } = appOf(
  accesses.map((access) => routeFor(access)),
  { adminToken: TOKEN },
);
const closed = appOf(
  accesses.map((access) => routeFor(access)),
  { adminToken: null },
);
const preflight = {
  method: "OPTIONS",
  headers: { origin: "https://app.example", "access-control-request-method": "GET" },
};

describe("CORS by access", () => {
  test.each(["public", "sign_in", "session", "manage"] as const)(
    "allows other origins to call %s routes",
    async (access) => {
      const [asked, answered] = [await send(`/${access}`, preflight), await send(`/${access}`)];
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(answered.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  test("may not call what takes the administrator's token", async () => {
    const headers = { origin: "https://app.example", authorization: `Bearer ${TOKEN}` };
    for (const response of [await send("/admin", preflight), await send("/admin", { headers })]) {
      expect(headersOf(response, "access-control-")).toEqual({});
    }
  });
});

describe("requests without credentials", () => {
  test.each([
    ["public", 200],
    ["sign_in", 200],
    ["session", 401],
    ["manage", 401],
    ["admin", 401],
  ] as const)("to %s routes get %i", async (access, status) => {
    const response = await send(`/${access}`);
    expect(response.status).toBe(status);
    if (status === 401)
      expect(await response.json()).toMatchObject({ code: "credentials_required", status: 401 });
  });
});

describe("an API key in the Authorization header", () => {
  test.each(["Bearer cw_live_x", "cw_secret_x", "ApiKey cw_live_x"])(
    "is refused on public routes with where it belongs: %s",
    async (authorization) => {
      const response = await send("/public", { headers: { authorization } });
      expect(await read(response)).toMatchObject({
        status: 401,
        body: {
          code: "credentials_invalid",
          detail: expect.stringContaining("an API key goes into X-API-Key and its secret into X-API-Secret"),
        },
      });
    },
  );

  test.each(["Bearer cw_session_x", "Bearer x", ""])(
    "%j is ignored on public routes",
    async (authorization) => {
      expect((await send("/public", { headers: { authorization } })).status).toBe(200);
    },
  );
});

describe("requests with credentials elsewhere", () => {
  test.each([
    [
      "manage",
      { "api-key": "cw_live_x" },
      "send `Authorization: Bearer <session_token>`, or X-API-Key and X-API-Secret",
    ],
    ["session", { cookie: "session=x" }, "a session: send `Authorization: Bearer <session_token>`"],
    ["admin", { "x-admin-token": TOKEN }, "the administrator's token: send `Authorization: Bearer <token>`"],
  ] as const)("to %s routes are told how to send them", async (access, headers, text) => {
    expect(await read(await send(`/${access}`, { headers }))).toMatchObject({
      status: 401,
      body: { code: "credentials_required", detail: expect.stringContaining(text) },
    });
  });
});

describe("administrator routes", () => {
  const as = (authorization: string): RequestInit => ({ headers: { authorization } });

  test("admit the configured token only", async () => {
    expect((await send("/admin", as(`Bearer ${TOKEN}`))).status).toBe(200);
    for (const wrong of [
      `Bearer ${"x".repeat(32)}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      TOKEN,
      "Bearer",
    ]) {
      expect(await read(await send("/admin", as(wrong)))).toMatchObject({
        status: 401,
        body: { code: "credentials_invalid" },
      });
    }
  });

  test("answer 404 for every method and token when no administrator is configured", async () => {
    for (const init of [as(`Bearer ${TOKEN}`), {}, { method: "DELETE" }]) {
      expect(await read(await closed.send("/admin", init))).toMatchObject({
        status: 404,
        body: { code: "route_not_found" },
      });
    }
  });
});

test.each(accesses)("%s routes have Server-Timing only when they check no credentials", async (access) => {
  for (const init of [{}, { method: "DELETE" }, { method: "OPTIONS" }, preflight]) {
    const response = await send(`/${access}`, init);
    expect([init, response.headers.has("server-timing")]).toEqual([init, access === "public"]);
  }
  const writing = appOf([routeFor(access, "post")], { adminToken: TOKEN });
  const refused = await writing.send(`/${access}`, { method: "POST", body: "x".repeat(65_537) });
  expect([refused.status, refused.headers.has("server-timing")]).toEqual([413, access === "public"]);
});

test("administrator routes without configuration have the headers of an unknown path", async () => {
  const named = ({ headers, status }: Response) => [status, ...headers.keys()];
  for (const init of [{}, preflight])
    expect(named(await closed.send("/admin", init))).toEqual(named(await closed.send("/nowhere", init)));
});
