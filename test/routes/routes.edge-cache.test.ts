import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { EdgeCache } from "../../scripts/stack/edge-cache/edge-cache.ts";
import { composeApp, loadRoutes } from "../../src/app.ts";
import { createApp } from "../../src/http/create-app.ts";
import { Reply } from "../../src/http/define-route.ts";
import { pageReply } from "../../src/http/paginated-response.ts";
import { encodeCursor } from "../../src/lib/pagination.ts";
import { testContext } from "../support/context.ts";

const routes = await loadRoutes();
const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
const app = composeApp(() => testContext());
const cacheOf = () => new EdgeCache((request) => app.fetch(request, {}, execution));
const get = (path: string, headers: Record<string, string> = {}) =>
  new Request(`https://causeway.example${path}`, { headers });

/** The cache in front of the real routes, whose handlers all succeed. */
function answeredCache(): EdgeCache {
  const answered = gets.map((route) => ({
    ...route,
    handler: () => ({}),
    response: { ...route.response, schema: z.object({}) },
  }));
  const answering = createApp(answered, () => testContext());
  return new EdgeCache(async (request) => answering.fetch(request, {}, execution));
}

const gets = routes.filter(({ method }) => method === "get");
const pathOf = (path: string) => path.replaceAll(/\{\w+\}/g, `8453:0x${"1".repeat(40)}`);
const pages = [
  "/",
  "/docs",
  "/docs/errors",
  "/llms.txt",
  "/robots.txt",
  "/favicon.ico",
  "/nowhere",
  "/v1/vaults?unknown=1",
  "/v1/tokens",
];
/** Static files, as the platform serves them: they may be stored, to be asked about every time. */
const assets = {
  fetch: async () =>
    new Response("<!doctype html>", { headers: { "cache-control": "public, max-age=0, must-revalidate" } }),
};

describe("the platform's cache in front of the Worker", () => {
  test("is on, by configuration", () => {
    expect(readFileSync("wrangler.toml", "utf8")).toMatch(/^\[cache\]\nenabled = true$/m);
  });

  test.each([...gets.map(({ path }) => pathOf(path)), ...pages])(
    "is told by %s what to do with it",
    async (path) => {
      const response = await app.fetch(get(path), {}, execution);
      expect(response.headers.get("cache-control")).toMatch(
        /^(?:private, no-store|public, max-age=0, s-maxage=\d+)/,
      );
      const own = response.headers.get("cloudflare-cdn-cache-control");
      const isPublic = response.headers.get("cache-control")?.startsWith("public") === true;
      // With s-maxage the platform would serve nothing stale; without stale-if-error, for ever.
      const stale = /^public, max-age=\d+, stale-while-revalidate=\d+, stale-if-error=\d+$/;
      expect(own).toEqual(isPublic ? expect.stringMatching(stale) : null);
    },
  );

  test("keeps nothing of routes for one caller, and no error", async () => {
    const cache = cacheOf();
    for (const { path, access, cache: rule } of gets) {
      const response = await cache.fetch(get(pathOf(path)));
      const mayKeep = access === "public" && rule !== "no-store" && response.status === 200;
      expect([path, cache.keys.includes(pathOf(path))]).toEqual([path, mayKeep]);
    }
    for (const path of ["/nowhere", "/v1/vaults?unknown=1", "/v1/tokens"]) await cache.fetch(get(path));
    expect(cache.answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(cache.keys.filter((key) => key.includes("unknown"))).toEqual([]);
  });

  test("keeps nothing that belongs to one request", async () => {
    const cache = cacheOf();
    for (const path of ["/v1/chains", "/v1/bridges", "/v1/intel/rules", "/docs", "/docs/errors"]) {
      await cache.fetch(get(path, { "x-request-id": "mine", origin: "https://app.example" }));
    }
    expect(cache.keys.length).toBeGreaterThan(3);
    for (const { headers } of cache.answers) {
      for (const name of ["x-request-id", "server-timing", "ratelimit", "set-cookie", "vary"])
        expect([name, headers.get(name)]).toEqual([name, null]);
      if (headers.get("content-type") === "application/json")
        expect(headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  test("keeps nothing that was asked with a key, a secret or a session", async () => {
    for (const headers of [{ "x-api-key": "k" }, { "x-api-secret": "s" }, { authorization: "Bearer t" }]) {
      const cache = cacheOf();
      await cache.fetch(get("/v1/intel/rules", headers));
      expect(cache.keys).toEqual([]);
    }
  });

  test.each([
    { "x-api-key": "" },
    { "x-api-key": "k" },
    { "x-api-secret": "s" },
    { authorization: "Bearer t" },
  ])("keeps no page that was asked with %j", async (headers) => {
    const cache = cacheOf();
    for (const path of ["/docs", "/docs/errors", "/llms.txt", "/robots.txt", "/favicon.ico"])
      await cache.fetch(get(path, headers));
    expect(cache.keys).toEqual([]);
  });

  test("keeps the console's page under no query", async () => {
    const console = composeApp(() => testContext({ config: { assets } }));
    const cache = new EdgeCache((request) => console.fetch(request, {}, execution));
    for (const path of ["/", "/?utm_source=a", "/?1"])
      expect([path, (await cache.fetch(get(path))).status]).toEqual([path, 200]);
    expect(cache.keys).toEqual(["/"]);
  });

  test("keeps every page of a list by the URL that the page before names, and by no other", async () => {
    const cursor = encodeCursor([`1:0x${"ab".repeat(20)}`]);
    const page = { rows: [], next: cursor };
    const next = pageReply(page, { path: "/v1/vaults", query: { limit: 2, chain_id: 1, q: undefined } });
    const path = next instanceof Reply ? next.headers["link"]?.slice(1).split(">")[0] : undefined;
    expect(path).toBe(`/v1/vaults?chain_id=1&cursor=${cursor}&limit=2`);
    const cache = answeredCache();
    for (const spelled of [
      `${cursor}=`,
      ` ${cursor}`,
      cursor.toLowerCase(),
      btoa(` ["1:0x${"ab".repeat(20)}"]`),
    ])
      await cache.fetch(get(`/v1/vaults?chain_id=1&cursor=${encodeURIComponent(spelled)}&limit=2`));
    expect(cache.keys).toEqual([]);
    await cache.fetch(get(path ?? ""));
    expect(cache.keys).toEqual([path]);
  });

  test("answers without the Worker while it is fresh, once more while it is stale, and by tag not at all", async () => {
    const cache = cacheOf();
    const asked = async () => {
      await cache.fetch(get("/v1/intel/rules"));
      return cache.misses;
    };
    expect(await asked()).toBe(1);
    cache.now = 299_000;
    expect(await asked()).toBe(1);
    cache.now = 301_000;
    expect(await asked()).toBe(2);
    cache.purge({ tags: ["rules"] });
    expect(await asked()).toBe(3);
  });

  test("serves a stale answer while it refreshes it, and while the Worker fails only as long", async () => {
    let failing = false;
    const worker = (request: Request) =>
      failing ? Promise.resolve(new Response(null, { status: 503 })) : app.fetch(request, {}, execution);
    const cache = new EdgeCache(worker);
    const statusAt = async (seconds: number) => {
      cache.now = seconds * 1_000;
      const response = await cache.fetch(get("/v1/intel/rules"));
      return `${response.status} ${response.headers.get("cf-cache-status")}`;
    };
    expect([await statusAt(0), await statusAt(299)]).toEqual(["200 MISS", "200 HIT"]);
    expect([await statusAt(301), await statusAt(302)]).toEqual(["200 UPDATING", "200 HIT"]);
    failing = true;
    expect([await statusAt(700), await statusAt(4_200)]).toEqual(["200 UPDATING", "200 UPDATING"]);
    expect(await statusAt(4_202)).toBe("503 EXPIRED");
  });

  test("hands no header that is meant for the platform to the caller", async () => {
    const { headers } = await cacheOf().fetch(get("/v1/intel/rules"));
    expect([headers.get("cloudflare-cdn-cache-control"), headers.get("cache-tag")]).toEqual([null, null]);
    expect(headers.get("cache-control")).toMatch(/^public, max-age=0, s-maxage=300/);
  });

  test("fills itself on HEAD, and answers HEAD, a range and a known ETag from what it has", async () => {
    const cache = cacheOf();
    const head = await cache.fetch(
      new Request("https://causeway.example/v1/intel/rules", { method: "HEAD" }),
    );
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const part = await cache.fetch(get("/v1/intel/rules", { range: "bytes=0-3" }));
    expect([part.status, (await part.text()).length]).toEqual([206, 4]);
    const etag = head.headers.get("etag") ?? "";
    expect((await cache.fetch(get("/v1/intel/rules", { "if-none-match": etag }))).status).toBe(304);
    expect((await (await cache.fetch(get("/v1/intel/rules"))).text()).length).toBeGreaterThan(4);
    expect(cache.misses).toBe(1);
  });

  test("is not poisoned by headers that are no part of its key", async () => {
    const path = "/v1/intel/rules";
    const plain = await (await cacheOf().fetch(get(path))).text();
    for (const headers of [
      { "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example" },
      { "x-original-url": "/v1/chains", "x-rewrite-url": "/v1/chains", "x-http-method-override": "POST" },
      { "x-request-id": "<script>", origin: "https://evil.example", referer: "https://evil.example" },
      { accept: "text/html", "accept-language": "de", "accept-encoding": "br", "user-agent": "evil" },
      { range: "bytes=0-3", "if-range": "x", "if-modified-since": "Thu, 01 Jan 2037 00:00:00 GMT" },
      { cookie: "session=x", "cf-connecting-ip": "192.0.2.1", "content-type": "text/plain" },
    ]) {
      const cache = cacheOf();
      await cache.fetch(get(path, headers));
      for (const answer of cache.answers) {
        expect([answer.status, await answer.text()]).toEqual([200, plain]);
        expect(JSON.stringify([...answer.headers])).not.toMatch(/evil|script|192\.0\.2\.1/);
      }
    }
  });

  test("keeps no empty answer for a matching ETag in place of the body", async () => {
    const cache = cacheOf();
    const etag = (await cacheOf().fetch(get("/v1/intel/rules"))).headers.get("etag") ?? "";
    await cache.fetch(get("/v1/intel/rules", { "if-none-match": etag }));
    expect(cache.keys).toEqual([]);
    await cache.fetch(get("/v1/intel/rules"));
    expect(cache.answers.map(({ status }) => status)).toEqual([200]);
  });

  test("is not split by names that are invented, repeated or cased otherwise", async () => {
    const cache = cacheOf();
    const path = "/v1/intel/rules";
    const variants = ["?x=1", "?X=2", "?utm_source=a", "?__proto__=1", "?a=1&a=2", "?%78=1", "?callback=f"];
    for (const variant of variants) await cache.fetch(get(path + variant));
    for (const variant of ["/V1/intel/rules", "/v1/INTEL/rules", "//v1/intel/rules", "/v1/intel//rules"])
      await cache.fetch(get(variant));
    expect(cache.keys).toEqual([]);
  });

  test("is not split by the order of parameters, by escapes, by letter case or by other spellings of a value", async () => {
    const cache = answeredCache();
    const address = "0xabcdefabcdefabcdefabcdefabcdefabcdefabcd";
    for (const variant of [
      "?limit=20&dimension=risk",
      "?dimension=Risk",
      "?dimension=RISK&limit=20",
      "?dimension=%72isk",
      "?dimension=risk&dimension=risk",
      "?dimension=risk&limit=20&",
      "?&dimension=risk",
      "?dimension=risk&limit",
      "?dimension",
      "?",
      "?offset=00",
      "?since=2026-11-23T00:00:00Z",
    ])
      await cache.fetch(get(`/v1/intel/notable${variant}`));
    for (const variant of [
      `?asset=${address.toUpperCase().replace("X", "x")}`,
      "?asset=USDC",
      "?chain_id=1&asset=usdc",
      "?min_tvl_usd=1.50",
      "?min_tvl_usd=1.0",
      `?ids=2:${address},1:${address}`,
      `?ids=1:${address},1:${address}`,
      `?ids=1:${address}%2C2%3A${address}`,
      "?q=a+b&q=a+b",
      "?q=a%20b",
      "?q=%61",
      "?Limit=5",
      "?limit=%35",
    ])
      await cache.fetch(get(`/v1/vaults${variant}`));
    expect(cache.keys).toEqual([]);
  });

  test.each([
    "/v1/intel/notable?dimension=risk&limit=20",
    "/v1/intel/notable?since=7d",
    "/v1/intel/feed?dimension=capital&limit=5&offset=10&since=24h",
    "/v1/vaults?asset=usdc&chain_id=1",
    "/v1/tokens?chain_id=1&format=tokenlist",
  ])("keeps %s, which is the canonical spelling", async (path) => {
    const cache = answeredCache();
    expect((await cache.fetch(get(path))).status).toBe(200);
    expect(cache.keys).toEqual([path]);
  });

  test.each([
    ["/v1/intel/rules/", "/v1/intel/rules"],
    ["/v1/intel/%72ules", "/v1/intel/rules"],
    ["/docs?utm_source=a", "/docs"],
    ["/docs/errors/", "/docs/errors"],
    ["/docs/guide?x", "/docs/guide"],
    ["/llms.txt?1", "/llms.txt"],
  ])("answers %s, and keeps only %s", async (spelled, canonical) => {
    const cache = cacheOf();
    const [other, plain] = [await cache.fetch(get(spelled)), await cache.fetch(get(canonical))];
    expect(other.status).toBe(plain.status);
    expect(cache.keys).toEqual(plain.status === 200 ? [canonical] : []);
  });

  test("has a tag on every answer that it keeps of a resource", () => {
    for (const { cache, operationId } of gets)
      if (cache !== "no-store")
        expect([operationId, (cache.tags ?? []).length]).toEqual([operationId, expect.any(Number)]);
    const untagged = gets.filter(({ cache }) => cache !== "no-store" && (cache.tags ?? []).length === 0);
    expect(untagged).toEqual([]);
  });
});
