import { describe, expect, test } from "vitest";
import * as z from "zod";
import { EdgeCache } from "../../scripts/stack/edge-cache/edge-cache.ts";
import { composeApp, loadRoutes } from "../../src/app.ts";
import { createApp } from "../../src/http/create-app.ts";
import { testContext } from "../support/context.ts";

const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
const app = composeApp(() => testContext());
/** The real routes, with handlers that all succeed: only the edge decides what may be stored. */
const answering = createApp(
  (await loadRoutes()).map((route) => ({
    ...route,
    handler: () => ({}),
    response: { ...route.response, schema: z.object({}) },
  })),
  () => testContext(),
);
const cacheOf = (worker: typeof app | typeof answering = app) =>
  new EdgeCache(async (request) => worker.fetch(request, {}, execution));

const RULES = "/v1/intel/rules";
const ADDRESS = `0x${"ab".repeat(20)}`;
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  new Request(`https://causeway.example${path}`, { headers, method });
const plain = await (await cacheOf().fetch(get(RULES))).text();

describe("no answer for one caller is stored", () => {
  test.each([
    "/v1/partners/me/style.css",
    "/v1/partners/me;x.css",
    "/v1/partners/me%2Fx.js",
    "/v1/partners/me%3Fx.css",
    `/v1/positions/${ADDRESS}/logo.svg`,
    `/v1/positions/${ADDRESS}.json`,
    `/v1/deposits/trk_${"1".repeat(32)}/app.js`,
    `/v1/withdrawals/trk_${"1".repeat(32)}.css`,
    "/v1/admin/audit/robots.txt",
    "/docs/../v1/partners/me",
    "/docs/%2e%2e/v1/partners/me",
  ])("under a path that looks like a file: %s", async (path) => {
    for (const worker of [app, answering]) {
      const cache = cacheOf(worker);
      await cache.fetch(get(path, { "x-api-key": "k", "x-api-secret": "s" }));
      await cache.fetch(get(path));
      expect(cache.keys).toEqual([]);
    }
  });

  test.each([
    { "X-API-KEY": "k" },
    { "x-api-secret": "" },
    { Authorization: "" },
    { authorization: "Basic dTpw" },
    { authorization: "bearer\tt" },
  ])("with credentials in any spelling: %j", async (headers) => {
    for (const method of ["GET", "HEAD"]) {
      const cache = cacheOf();
      await cache.fetch(get(RULES, headers as Record<string, string>, method));
      expect([method, cache.keys]).toEqual([method, []]);
    }
  });

  test.each(["?api_key=k", "?x-api-key=k", "?access_token=t", "?authorization=Bearer%20t"])(
    "with credentials in the query: %s",
    async (query) => {
      const cache = cacheOf();
      await cache.fetch(get(RULES + query));
      await cache.fetch(get(`/docs${query}`));
      expect(cache.keys).toEqual([]);
    },
  );

  test("when a caller with a key and one without arrive together", async () => {
    const cache = cacheOf();
    const [own, shared] = await Promise.all([
      cache.fetch(get(RULES, { "x-api-key": "k" })),
      cache.fetch(get(RULES)),
    ]);
    expect([own.headers.get("cf-cache-status"), await own.text()]).not.toEqual(["BYPASS", plain]);
    expect([shared.status, await shared.text()]).toEqual([200, plain]);
    expect(cache.keys).toEqual([RULES]);
    for (const answer of cache.answers) expect(await answer.text()).toBe(plain);
  });

  test("when a caller with a key asks for what is stale", async () => {
    const cache = cacheOf();
    await cache.fetch(get(RULES));
    cache.now = 301_000;
    await cache.fetch(get(RULES, { "x-api-key": "k" }));
    for (const answer of cache.answers) expect(await answer.text()).toBe(plain);
    const next = await cache.fetch(get(RULES));
    expect([next.status, await next.text()]).toEqual([200, plain]);
    expect(cache.keys).toEqual([RULES]);
  });

  test("in place of a preflight, and no preflight either", async () => {
    const cache = cacheOf();
    const preflight = { origin: "https://evil.example", "access-control-request-method": "GET" };
    await cache.fetch(get(RULES, preflight, "OPTIONS"));
    expect(cache.keys).toEqual([]);
    await cache.fetch(get(RULES, preflight));
    expect(cache.answers.map(({ headers }) => headers.get("access-control-allow-origin"))).toEqual(["*"]);
  });
});

describe("no answer is poisoned", () => {
  test.each([
    { "if-none-match": "*" },
    { "if-none-match": 'W/"x", *' },
    { range: "bytes=999999-" },
    { "if-match": '"x"', "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" },
  ])("by a condition: %j", async (headers) => {
    const cache = cacheOf();
    await cache.fetch(get(RULES, headers as Record<string, string>));
    const next = await cache.fetch(get(RULES));
    expect([next.status, await next.text()]).toEqual([200, plain]);
    for (const answer of cache.answers) expect([answer.status, await answer.text()]).toEqual([200, plain]);
  });

  test.each([
    { "x-http-method-override": "DELETE" },
    { "x-original-url": "/v1/partners/me" },
    { "x-forwarded-scheme": "nothttps" },
    { "x-forwarded-host": "evil.example" },
    { "cloudflare-workers-version-key": "evil" },
  ])("by a header that the key has: %j", async (headers) => {
    const cache = cacheOf();
    await cache.fetch(get(RULES, headers as Record<string, string>));
    const next = await cache.fetch(get(RULES));
    // The platform stores such a request apart; what a plain caller gets comes from the Worker.
    expect([next.headers.get("cf-cache-status"), await next.text()]).toEqual(["MISS", plain]);
    for (const answer of cache.answers) expect(await answer.text()).toBe(plain);
  });

  test.each([
    `/v1/vaults/1:${ADDRESS},rules`,
    `/v1/vaults/1:${ADDRESS}%2Crules`,
    "/v1/tokens?chain_id=1,rules",
    "/v1/tokens?chain_id=1%0d%0acache-tag:rules",
    "/v1/vaults?chain_id=1%0d%0aset-cookie:a=b",
    "/v1/vaults?chain_id=1%20rules",
  ])("with tags or headers of the caller: %s", async (path) => {
    const cache = cacheOf(answering);
    const response = await cache.fetch(get(path));
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(cache.answers.map(({ headers }) => headers.get("cache-tag") ?? "").join()).not.toMatch(/rules/);
    expect(cache.keys).toEqual([]);
  });
});

describe("no answer is split", () => {
  test.each([
    `/v1/vaults/8453%3a${ADDRESS}`,
    `/v1/vaults/8453:0x${"AB".repeat(20)}`,
    `/v1/vaults/08453:${ADDRESS}`,
    "/v1/vaults;a=1",
    "/v1/vaults%20",
    "/v1/vaults%00",
    "/v1/vaults%E2%80%8B",
    "/v1/vaults?chain_id=1&chain_id=2",
    "/v1/vaults?chain_id=1&amp;limit=2",
    "/v1/vaults?chain_id=1;limit=2",
    "/v1/vaults?chain_id=+1",
    "/v1/vaults?chain_id=1e0",
    "/v1/vaults?chain_id=0x1",
    "/v1/vaults?chain_id[]=1",
    "/v1/vaults?limit=5&limit%00=5",
    `/v1/vaults?cursor=${"A".repeat(9_000)}`,
    `/v1/prices?ids=1:${ADDRESS}&ids=`,
  ])("by another spelling: %s", async (path) => {
    const cache = cacheOf(answering);
    await cache.fetch(get(path));
    expect(cache.keys).toEqual([]);
  });
});
