import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { EdgeCache } from "../../scripts/stack/edge-cache/edge-cache.ts";

type Headers = Record<string, string>;
/** A request by its URL, with headers and, in `method`, another method than GET. */
const ask = (path: string, { method = "GET", ...headers }: Headers = {}) =>
  new Request(`https://worker.example${path}`, { method, headers });

/** A cache in front of a Worker that answers every request with the same headers and a counter as body. */
function cacheBefore(headers: Headers, { status = 200, maxBytes = 1_000 } = {}) {
  const seen: Request[] = [];
  const cache = new EdgeCache(
    async (request) => {
      seen.push(request);
      const etag = headers["etag"];
      if (etag !== undefined && request.headers.get("if-none-match") === etag)
        return new Response(null, { status: 304, headers });
      return new Response([204, 304].includes(status) ? null : `body ${seen.length}`, { status, headers });
    },
    { maxBytes },
  );
  /** Sends requests one after the other and returns what the cache did with each. */
  const outcomes = async (...requests: readonly Request[]) => {
    const done: (string | null)[] = [];
    for (const request of requests) done.push((await cache.fetch(request)).headers.get("cf-cache-status"));
    return done.join(" ");
  };
  return { cache, seen, outcomes };
}
const PUBLIC = { "cache-control": "public, max-age=60" };
/** What the cache does with two requests for one URL, one second apart. */
const twice = async (headers: Headers, options: { status?: number; maxBytes?: number } = {}) =>
  cacheBefore(headers, options).outcomes(ask("/a"), ask("/a"));

describe("the key", () => {
  test.each([
    ["another path", "/b", {}],
    ["a trailing slash", "/a/?x=1&y=2", {}],
    ["another order of the query", "/a?y=2&x=1", {}],
    ["a method override", "/a?x=1&y=2", { "x-http-method-override": "POST" }],
    ["a forwarded host", "/a?x=1&y=2", { "x-forwarded-host": "evil.example" }],
    ["a rewritten URL", "/a?x=1&y=2", { "x-rewrite-url": "/admin" }],
    ["an unusual scheme", "/a?x=1&y=2", { "x-forwarded-scheme": "nothttps" }],
  ])("has %s", async (_what, path, headers) => {
    expect(await cacheBefore(PUBLIC).outcomes(ask("/a?x=1&y=2"), ask(path, headers))).toBe("MISS MISS");
  });

  test.each([
    ["host", new Request("https://other.example/a")],
    ["method", ask("/a", { method: "HEAD" })],
    ["cookies", ask("/a", { cookie: "session=1" })],
    ["languages", ask("/a", { "accept-language": "de" })],
    ["keys", ask("/a", { "x-api-key": "k" })],
    ["sessions", ask("/a", { authorization: "Bearer t" })],
    ["https", ask("/a", { "x-forwarded-scheme": "https" })],
  ])("has no %s", async (_what, request) => {
    expect(await cacheBefore(PUBLIC).outcomes(ask("/a"), request)).toBe("MISS HIT");
  });

  test("has the Worker's version", async () => {
    const { cache, outcomes } = cacheBefore(PUBLIC);
    await outcomes(ask("/a"));
    cache.version = "2";
    expect(await outcomes(ask("/a"))).toBe("MISS");
  });
});

describe("what is stored", () => {
  test.each([
    ["public with a lifetime", PUBLIC, 200, "MISS HIT"],
    ["a lifetime alone", { "cache-control": "max-age=60" }, 200, "MISS HIT"],
    ["s-maxage over max-age", { "cache-control": "max-age=0, s-maxage=60" }, 200, "MISS HIT"],
    ["private", { "cache-control": "private, max-age=60" }, 200, "BYPASS BYPASS"],
    ["no-store", { "cache-control": "no-store" }, 200, "BYPASS BYPASS"],
    ["no-store in capitals", { "cache-control": "No-Store" }, 200, "BYPASS BYPASS"],
    ["no-cache, asked about every time", { "cache-control": "no-cache" }, 200, "MISS EXPIRED"],
    ["a cookie", { ...PUBLIC, "set-cookie": "a=b" }, 200, "BYPASS BYPASS"],
    [
      "a cookie that another field's exception leaves in",
      { "cache-control": 'max-age=60, private="x-set-cookie, age"', "set-cookie": "a=b" },
      200,
      "BYPASS BYPASS",
    ],
    ["Vary: *", { ...PUBLIC, vary: "*" }, 200, "BYPASS BYPASS"],
    ["an expiry to come", { expires: "Thu, 01 Jan 1970 00:01:00 GMT" }, 200, "MISS HIT"],
    ["an expiry to come, 401", { expires: "Thu, 01 Jan 1970 00:01:00 GMT" }, 401, "MISS HIT"],
    ["an expiry that is over", { expires: "Thu, 01 Jan 1970 00:00:00 GMT" }, 200, "MISS EXPIRED"],
    ["an expiry that is no date", { expires: "0" }, 200, "MISS EXPIRED"],
    [
      "an expiry before the lifetime",
      { "cache-control": "max-age=60", expires: "Thu, 01 Jan 1970 00:00:00 GMT" },
      200,
      "MISS HIT",
    ],
    ["nothing said, 200", {}, 200, "MISS HIT"],
    ["nothing said, 404", {}, 404, "MISS HIT"],
    ["nothing said, 405", {}, 405, "MISS HIT"],
    ["nothing said, 401", {}, 401, "BYPASS BYPASS"],
    ["nothing said, 500", {}, 500, "BYPASS BYPASS"],
    ["a failure that may be stored", PUBLIC, 500, "MISS HIT"],
    ["a failure of the platform", PUBLIC, 522, "BYPASS BYPASS"],
    ["a part", PUBLIC, 206, "MISS MISS"],
    ["no lifetime and no default", { "cache-control": "public" }, 401, "BYPASS BYPASS"],
  ])("%s", async (_what, headers, status, expected) => {
    expect(await twice(headers, { status })).toBe(expected);
  });

  test.each([
    'max-age=60, private="set-cookie"',
    'max-age=60, private="Set-Cookie"',
    'max-age=60, private="x-user, Set-Cookie"',
  ])("excepts the cookie that %s names", async (directives) => {
    const { cache } = cacheBefore({ "cache-control": directives, "set-cookie": "a=b" });
    const first = await cache.fetch(ask("/a"));
    const [second, third] = await Promise.all([cache.fetch(ask("/a")), cache.fetch(ask("/a"))]);
    for (const [response, status, cookie] of [
      [first, "MISS", "a=b"],
      [second, "HIT", null],
      [third, "HIT", null],
    ] as const) {
      expect(response.headers.get("cf-cache-status")).toBe(status);
      expect(response.headers.get("set-cookie")).toBe(cookie);
    }
  });

  test("gives no concurrent caller an excepted cookie", async () => {
    const headers = { "cache-control": 'max-age=60, no-cache="Set-Cookie"', "set-cookie": "a=b" };
    const { cache } = cacheBefore(headers);
    const responses = await Promise.all([cache.fetch(ask("/a")), cache.fetch(ask("/a"))]);
    expect(responses.map((response) => response.headers.get("set-cookie"))).toEqual(["a=b", null]);
    expect(await responses[1]?.text()).toBe("body 1");
  });

  test("obeys the most specific header alone", async () => {
    const strict = { "cache-control": "private, no-store" };
    expect(await twice({ ...strict, "cdn-cache-control": "max-age=60" })).toBe("MISS HIT");
    const off = { "cloudflare-cdn-cache-control": "no-store", "cdn-cache-control": "max-age=60" };
    expect(await twice({ ...PUBLIC, ...off })).toBe("BYPASS BYPASS");
  });

  test("is nothing that is too large", async () => {
    expect(await twice(PUBLIC, { maxBytes: 3 })).toBe("MISS MISS");
  });

  test("is nothing of other methods and of upgrades", async () => {
    const { outcomes } = cacheBefore(PUBLIC);
    const others = ["POST", "PUT", "PATCH", "DELETE"].map((method) => ask("/a", { method }));
    expect(await outcomes(...others, ask("/a", { upgrade: "websocket" }))).toMatch(/^BYPASS(?: BYPASS){4}$/);
    expect(await outcomes(ask("/a"))).toBe("MISS");
  });

  test("is an answer to credentials only where it says so", async () => {
    const authorized = ask("/a", { authorization: "Bearer t" });
    for (const [rule, expected] of [
      ["max-age=60", "BYPASS MISS"],
      ["public, max-age=60", "MISS HIT"],
      ["s-maxage=60", "MISS HIT"],
      ["max-age=60, must-revalidate", "MISS HIT"],
    ] as const)
      expect([rule, await cacheBefore({ "cache-control": rule }).outcomes(authorized, ask("/a"))]).toEqual([
        rule,
        expected,
      ]);
    // A key is no credential to the platform: this is why every answer to one has to say so itself.
    expect(await cacheBefore({}).outcomes(ask("/a", { "x-api-key": "k" }), ask("/a"))).toBe("MISS HIT");
  });

  test("is not guessed for a type that contradicts the path", async () => {
    const { outcomes } = cacheBefore({ "content-type": "text/html" });
    expect(await outcomes(ask("/me/style.css"), ask("/me/style.css"))).toBe("BYPASS BYPASS");
    expect(await outcomes(ask("/me"), ask("/me"))).toBe("MISS HIT");
  });

  test.each([
    [{ range: "bytes=2-3" }, 206, "dy"],
    [{ range: "bytes=2-" }, 206, "dy 1"],
    [{ range: "bytes=2-99" }, 206, "dy 1"],
    [{ range: "bytes=0-1,3-4" }, 200, "body 1"],
    [{ range: "bytes=6-" }, 416, ""],
    [{ range: "bytes=2-3", "if-range": '"v1"' }, 206, "dy"],
    [{ range: "bytes=2-3", "if-range": '"v0"' }, 200, "body 1"],
  ])("is cut to the bytes that are asked for: %j", async (headers: Headers, status, body) => {
    const { cache } = cacheBefore({ ...PUBLIC, etag: '"v1"' });
    await cache.fetch(ask("/a"));
    const response = await cache.fetch(ask("/a", headers));
    expect([response.status, await response.text()]).toEqual([status, body]);
  });

  test("is one variant for each value that Vary names, letter by letter", async () => {
    const { outcomes } = cacheBefore({ ...PUBLIC, vary: "Accept-Encoding" });
    const [one, other] = ["gzip, br", "br, gzip"].map((value) => ask("/a", { "accept-encoding": value }));
    if (one === undefined || other === undefined) throw new Error("two requests");
    expect(await outcomes(one, one, other, other, one)).toBe("MISS HIT MISS HIT HIT");
  });
});

describe("time", () => {
  /** What the cache does at the given seconds with an answer of these directives, fresh for ten seconds. */
  async function history(rule: string, seconds: readonly number[], failing = false) {
    let fails = false;
    const cache = new EdgeCache(async () =>
      fails
        ? new Response(null, { status: 503 })
        : new Response("x", { headers: { "cache-control": `max-age=10${rule}` } }),
    );
    const outcomes: string[] = [];
    for (const at of seconds) {
      cache.now = at * 1_000;
      outcomes.push((await cache.fetch(ask("/a"))).headers.get("cf-cache-status") ?? "");
      fails = failing;
    }
    return outcomes.join(" ");
  }

  test.each([
    ["", "MISS HIT EXPIRED"],
    [", stale-while-revalidate=5", "MISS HIT UPDATING"],
    [", stale-while-revalidate=1", "MISS HIT EXPIRED"],
    [", s-maxage=10, stale-while-revalidate=5", "MISS HIT EXPIRED"],
    [", must-revalidate, stale-while-revalidate=5", "MISS HIT EXPIRED"],
    [", proxy-revalidate, stale-while-revalidate=5", "MISS HIT EXPIRED"],
  ])("with max-age=10%s", async (rule, expected) => {
    expect(await history(rule, [0, 9, 12])).toBe(expected);
  });

  test.each([
    ["", "MISS STALE STALE"],
    [", stale-if-error=30", "MISS STALE EXPIRED"],
    [", stale-if-error=0", "MISS EXPIRED EXPIRED"],
    [", s-maxage=10, stale-if-error=30", "MISS EXPIRED EXPIRED"],
  ])("while the Worker fails, with max-age=10%s", async (rule, expected) => {
    expect(await history(rule, [0, 12, 86_400], true)).toBe(expected);
  });

  test("a guessed lifetime is two hours", async () => {
    const { cache, outcomes } = cacheBefore({});
    await outcomes(ask("/a"));
    cache.now = 7_199_000;
    expect(await outcomes(ask("/a"))).toBe("HIT");
    cache.now = 7_201_000;
    expect(await outcomes(ask("/a"))).toBe("EXPIRED");
  });

  test("a 304 to the stored tag renews the answer", async () => {
    const { cache, outcomes, seen } = cacheBefore({ ...PUBLIC, etag: '"v1"' });
    await outcomes(ask("/a"));
    cache.now = 61_000;
    expect(await outcomes(ask("/a"), ask("/a"))).toBe("REVALIDATED HIT");
    expect(seen[1]?.headers.get("if-none-match")).toBe('"v1"');
    expect(await (await cache.fetch(ask("/a"))).text()).toBe("body 1");
  });

  test("requests that arrive together run the Worker once, unless its answer is for one alone", async () => {
    const [stored, passed] = [cacheBefore(PUBLIC), cacheBefore({ "cache-control": "no-store" })];
    for (const { cache } of [stored, passed]) await Promise.all([1, 2, 3].map(() => cache.fetch(ask("/a"))));
    expect([stored.seen.length, passed.seen.length]).toEqual([1, 3]);
  });
});

describe("a purge", () => {
  const tagged = () => cacheBefore({ ...PUBLIC, "cache-tag": "Vaults, vault:1:0xab,has space" });

  test.each([
    [{ tags: ["vaults"] }, "MISS"],
    [{ tags: ["VAULT:1:0xAB"] }, "MISS"],
    [{ tags: ["other"], pathPrefixes: ["/a"] }, "MISS"],
    [{ purgeEverything: true }, "MISS"],
    [{ tags: ["vault"] }, "HIT"],
    [{ tags: ["has space"] }, "HIT"],
    [{ pathPrefixes: ["https://worker.example/a"] }, "HIT"],
  ])("by %j leaves a %s", async (purge, expected) => {
    const { cache, outcomes } = tagged();
    await outcomes(ask("/a"));
    cache.purge(purge);
    expect(await outcomes(ask("/a"))).toBe(expected);
  });
});

test("a stored body outlives the response that it came from", async () => {
  const server = createServer((_, response) =>
    response.setHeader("cache-control", "public, max-age=60").end("body"),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const cache = new EdgeCache(() => fetch(`http://127.0.0.1:${port}`), { maxBytes: 1_000 });
    expect(await (await cache.fetch(ask("/a"))).text()).toBe("body");
    // Node cancels the stream of a fetched response, or of its clone, that is collected.
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let round = 0; round < 10; round++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const again = await cache.fetch(ask("/a"));
    expect([again.headers.get("cf-cache-status"), await again.text()]).toEqual(["HIT", "body"]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
