import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { composeApp, loadRoutes } from "../../src/app.ts";
import { errorTable } from "../../src/errors.ts";
import { errorsPageBody } from "../../src/openapi/errors-page-body.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { testContext } from "../support/context.ts";

const routes = await loadRoutes();
const files = globSync("src/routes/*.ts").sort();
/** The file an operation is looked for in: `vaults.get` in vaults.ts, `admin.vaults.add` in admin-vaults.ts. */
const fileOf = (operationId: string): string =>
  `src/routes/${operationId.replace(/^admin\./, "admin-").split(".")[0]}-routes.ts`;

const Operation = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  tags: z.array(z.string()).length(1),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: z.record(z.string(), z.unknown()).default({}) }),
  ),
});
const Document = z.object({
  openapi: z.literal("3.1.0"),
  info: z.object({ version: z.literal("1.0.0") }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  tags: z.array(z.object({ name: z.string() })),
});
const operationsOf = (document: unknown) =>
  Object.entries(Document.parse(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
const built: unknown = JSON.parse(JSON.stringify(openApiDocument(routes, "https://causeway.example")));
const described = operationsOf(built);
const namesOf = (entries: readonly { method: string; path: string; operationId: string }[]) =>
  entries.map(({ method, path, operationId }) => `${method} ${path} ${operationId}`).sort();

describe("routes", () => {
  test.each(routes)("$operationId is in the file of its resource", ({ operationId }) => {
    expect(readFileSync(fileOf(operationId), "utf8")).toContain(`operationId: "${operationId}"`);
  });

  test.each(files)("%s exports one list of all its routes", async (file) => {
    const [, listed] =
      /export const (\w+Routes): readonly AnyRoute\[\]/.exec(readFileSync(file, "utf8")) ?? [];
    const module: Record<string, unknown> = await import(`../../${file}`);
    const list = module[listed ?? ""];
    expect(list).toEqual(routes.filter(({ operationId }) => fileOf(operationId) === file));
    expect(list).not.toEqual([]);
  });

  test("have distinct ids and distinct methods and paths", () => {
    expect(new Set(routes.map(({ operationId }) => operationId)).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  test("declare exactly the parameters of their path", () => {
    for (const { path, params } of routes) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(Object.keys(params?.shape ?? {})).toEqual(named);
    }
  });

  test("use GET only for reads and no-store for responses to one caller", () => {
    for (const { method, cache, body, operationId, path } of routes) {
      if (method === "get") expect([operationId, body]).toEqual([operationId, undefined]);
      else expect([operationId, cache]).toEqual([operationId, "no-store"]);
      const forOne = /deposits|positions|status|quote/.test(path);
      if (forOne) expect([operationId, cache]).toEqual([operationId, "no-store"]);
    }
  });
});

test("builds, exits and authorizations count as builds, other reads by their own limit", () => {
  const counted = (limit: string | null) =>
    routes.filter((route) => (route.limit === undefined ? "reads" : route.limit) === limit);
  const idsOf = (limit: string | null) =>
    counted(limit)
      .map(({ operationId }) => operationId)
      .sort();
  expect(idsOf("build")).toEqual([
    "deposits.authorize",
    "deposits.cancel",
    "quotes.build",
    "withdrawals.authorize",
    "withdrawals.build",
    "withdrawals.cancel",
    "withdrawals.cancel-signed",
    "withdrawals.claim",
  ]);
  expect(idsOf("quote")).toEqual(["quotes.get", "withdrawals.quote"]);
  expect(idsOf("nonce")).toEqual(["applications.nonce", "partners.nonce"]);
  expect([idsOf("positions"), idsOf("status")]).toEqual([["positions.get"], ["status.get"]]);
  expect(idsOf("reads")).toEqual(expect.arrayContaining(["actions.get", "prices.list", "vaults.list"]));
  expect(idsOf(null)).toEqual(["health.live"]);
});

describe("declared error codes", () => {
  test.each(routes)("of $operationId exist and are distinct", ({ errors }) => {
    for (const code of errors) expect(Object.keys(errorTable)).toContain(code);
    expect(new Set(errors).size).toBe(errors.length);
  });

  test("of authentication and rate limiting are not declared by routes", () => {
    const edge = ["internal", "route_not_found", "method_not_allowed", "body_too_large"];
    for (const { errors } of routes) for (const code of edge) expect(errors).not.toContain(code);
  });

  test("of a quote are all among those of the build", () => {
    const byId = new Map(routes.map((route) => [route.operationId, route.errors]));
    const ofQuote = byId.get("quotes.get") ?? [];
    expect(ofQuote.length).toBeGreaterThan(10);
    expect(byId.get("quotes.build")).toEqual(expect.arrayContaining([...ofQuote]));
  });
});

describe("the OpenAPI document", () => {
  test("has exactly the routes, generated and committed", () => {
    const committed: unknown = JSON.parse(readFileSync("openapi.json", "utf8"));
    expect(namesOf(described)).toEqual(namesOf(routes));
    expect(namesOf(operationsOf(committed))).toEqual(namesOf(routes));
  });

  test.each(routes)("lists every error code of $operationId under its status", (route) => {
    const responses = described.find(({ operationId }) => operationId === route.operationId)?.responses ?? {};
    const codes = [
      ...route.errors,
      "internal" as const,
      ...(route.method === "get" ? [] : ["body_too_large" as const]),
    ];
    for (const code of codes) {
      const response = responses[errorTable[code].status];
      expect(response?.description).toContain(`\`${code}\``);
      expect(Object.keys(response?.content ?? {})).toEqual(["application/problem+json"]);
    }
    const takesInput = [route.params, route.query, route.headers, route.body].some(
      (part) => part !== undefined,
    );
    // A read refuses parameters even if it has none; the probes of monitors do not.
    const refuses = route.method === "get" && route.ignoresUnknownQuery !== true;
    expect("422" in responses).toBe(takesInput || refuses);
    // Whoever has an answer that may be kept is told so, in no words.
    expect(responses["304"]?.content).toEqual(route.cache === "no-store" ? undefined : {});
  });

  test("uses only tags that it describes", () => {
    const explained = Document.parse(built).tags.map(({ name }) => name);
    for (const { tags } of described) expect(explained).toEqual(expect.arrayContaining(tags));
  });
});

/** The console's document, as far as these tests read it. */
const CONSOLE = "<!doctype html><title>Console</title>";
/** What a browser accepts when it opens a page. */
const OPENS_PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("the composed app", () => {
  const assets = {
    fetch: async (url: string) =>
      url.endsWith("/docs-pages.json")
        ? Response.json({ errors: errorsPageBody() })
        : new URL(url).pathname === "/"
          ? new Response(CONSOLE, { headers: { "content-type": "text/html", etag: '"1"' } })
          : new Response(readFileSync(basename(new URL(url).pathname), "utf8")),
  };
  const config = { adminToken: "t".repeat(32), assets, publicUrl: "https://deployed.example" };
  const app = composeApp((_bindings, { requestId }) => testContext({ requestId: requestId(), config }));
  const executionCtx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    app.fetch(
      new Request(`https://causeway.example${path}`, init),
      {},
      executionCtx as unknown as ExecutionContext,
    );
  const probe = (path: string): string => path.replaceAll(/\{\w+\}/g, "x");

  test.each(routes)("serves $method $path and answers 405 to other methods", async ({ method, path }) => {
    const wrong = await send(probe(path), { method: "PROPFIND" });
    expect([wrong.status, wrong.headers.get("allow")?.split(", ")]).toEqual([
      405,
      expect.arrayContaining([method.toUpperCase(), "OPTIONS"]),
    ]);
    const right = await send(probe(path), { method: method.toUpperCase() });
    expect([404, 405]).not.toContain(right.status);
  });

  test.each([
    ["/v1/%63hains", 200],
    ["/v1/chainsaw", 404],
    ["//v1/chains", 404],
    ["/v1/chains/", 200],
    ["/v1", 404],
  ])("answers %s with %i", async (path, status) => {
    expect((await send(path)).status).toBe(status);
  });

  test("answers a browser that opens a path without a page with the console, which says so", async () => {
    const response = await send("/vault/mistyped", { headers: OPENS_PAGE });
    expect([response.status, await response.text()]).toEqual([404, CONSOLE]);
    const { headers } = response;
    expect(["content-type", "cache-control", "etag"].map((name) => headers.get(name))).toEqual([
      "text/html",
      "private, no-store",
      null,
    ]);
  });

  test.each<[string, RequestInit]>([
    ["/vault/mistyped", { headers: { accept: "*/*" } }],
    ["/vault/mistyped", { headers: OPENS_PAGE, method: "POST" }],
    ["/v1/vault", { headers: OPENS_PAGE }],
  ])("answers a program that requests %s with a problem document: %j", async (path, init) => {
    const response = await send(path, init);
    const kind = response.headers.get("content-type");
    expect([response.status, kind, await response.json()]).toEqual([
      404,
      "application/problem+json",
      expect.objectContaining({ code: "route_not_found" }),
    ]);
  });

  test("answers the liveness check without dependencies", async () => {
    const response = await send("/health");
    expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
    expect(response.headers.get("server-timing")).toBe("total;dur=0");
  });

  test("serves the OpenAPI document with its own URL and CORS", async () => {
    const response = await send("/openapi.json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const committed: object = JSON.parse(readFileSync("openapi.json", "utf8"));
    expect(await response.json()).toEqual({ ...committed, servers: [{ url: "https://deployed.example" }] });
  });

  test.each([
    ["are no assets", null],
    ["is none among the assets", { fetch: async () => new Response("", { status: 404 }) }],
  ])("answers 500 for the OpenAPI document and the pages when there %s", async (_what, none) => {
    const bare = composeApp((_bindings, { requestId }) =>
      testContext({ requestId: requestId(), config: { assets: none } }),
    );
    for (const path of ["/openapi.json", "/docs/errors", "/docs/guide"]) {
      const request = new Request(`https://causeway.example${path}`);
      const response = await bare.fetch(request, {}, executionCtx as unknown as ExecutionContext);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        500,
        expect.objectContaining({ code: "internal" }),
      ]);
    }
  });

  test("describes every error code on /docs/errors at the anchor of problem types", async () => {
    const text = await (await send("/docs/errors")).text();
    for (const [code, { status, title }] of Object.entries(errorTable)) {
      expect(text).toContain(`<h2 class="code" id="${code}">${code}</h2>\n<p>${status}. ${title}. `);
    }
  });

  test.each(["/docs/errors"])("serves %s with a policy against scripts and frames", async (path) => {
    const response = await send(path);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self';/);
    expect(policy).toMatch(/; frame-ancestors 'none'$/);
    expect(await response.text()).not.toMatch(/<script/);
  });

  test("serves the API reference with scripts of its own origin only", async () => {
    const response = await send("/docs");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self' https://deployed.example;");
    const scripts = (await response.text()).match(/<script[^>]*>/g) ?? [];
    for (const script of scripts) expect(script).not.toMatch(/src="(https?:)?\/\//);
    expect(scripts).toHaveLength(2);
  });
});
