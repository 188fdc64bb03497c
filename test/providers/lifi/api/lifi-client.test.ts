import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { AppError } from "../../../../src/errors.ts";
import { createLifiClient } from "../../../../src/providers/lifi/api/lifi-client.ts";
import { type EndpointFamily, RateLimitMemory } from "../../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { type Answer, fakeLifi, scopeOf } from "../../../support/lifi/fake-lifi.ts";
import { fetchOfLateBodies, holdTimeouts, realFetch, sendSlowly } from "../../../support/local-server.ts";

const Body = z.object({ ok: z.boolean() });
const OK: Answer = { body: { ok: true, more: "fields" } };

interface Ask {
  family?: EndpointFamily;
  timeoutMs?: number;
  apiKey?: string;
  memory?: RateLimitMemory;
  now?: () => number;
  fetch?: typeof realFetch;
}

let deadlines: ReturnType<typeof holdTimeouts>;
beforeEach(() => {
  deadlines = holdTimeouts();
});

function asker(url: string, options: Ask = {}) {
  const memory = options.memory ?? new RateLimitMemory();
  const client = createLifiClient({ apiUrl: url, apiKey: options.apiKey ?? null, rateLimits: memory });
  const scope = { ...scopeOf(options.now), fetch: options.fetch ?? realFetch };
  return (family: EndpointFamily = options.family ?? "quote") =>
    client.ask(scope, {
      family,
      path: "/quote",
      timeoutMs: options.timeoutMs ?? 2_000,
      schema: Body,
    });
}

/** The public code of a failure; its words must be ours alone. */
async function failed(promise: Promise<unknown>): Promise<{ code: string; members: unknown }> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no failure of ours: ${String(error)}`);
  expect(error.message).not.toMatch(/li\.fi|li\.quest|secret|127\.0\.0\.1|<html>/i);
  return { code: error.code, members: error.members };
}

describe("LifiClient.ask()", () => {
  test("sends the API key in its header and accepts unknown fields", async () => {
    await using server = await fakeLifi(OK);
    expect(await asker(server.url, { apiKey: "secret-key" })()).toEqual({ ok: true });
    expect(server.received[0]?.headers["x-lifi-api-key"]).toBe("secret-key");
    expect(server.received[0]?.path).toBe("/v1/quote");
  });

  test("sends no key header without a key", async () => {
    await using server = await fakeLifi(OK);
    await asker(server.url)();
    expect(server.received[0]?.headers["x-lifi-api-key"]).toBeUndefined();
  });

  test("retries once after a 500", async () => {
    await using server = await fakeLifi({ status: 500, body: { code: 1006, message: "secret" } }, OK);
    expect(await asker(server.url)()).toEqual({ ok: true });
    expect(server.received).toHaveLength(2);
  });
});

describe("a failure of LifiClient.ask()", () => {
  test.each<[string, Answer, string]>([
    ["html", { status: 502, body: "<html>bad gateway</html>" }, "upstream_unavailable"],
    ["html with status 200", { body: "<html>challenge</html>" }, "upstream_unavailable"],
    ["an empty body", { body: "" }, "upstream_unavailable"],
    ["truncated JSON", { body: '{"ok": tr' }, "upstream_unavailable"],
    ["another shape", { body: { ok: "yes" } }, "upstream_rejected"],
    ["null", { body: null }, "upstream_rejected"],
    [
      "a redirect",
      { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" },
      "upstream_unavailable",
    ],
    ["503", { status: 503, body: {} }, "upstream_unavailable"],
    ["504", { status: 504, body: "gateway timeout" }, "upstream_timeout"],
    ["a revoked key", { status: 401, body: { code: 1010, message: "secret" } }, "upstream_unavailable"],
    ["a reset connection", (response) => response.destroy(), "upstream_unavailable"],
    [
      "a declared 64 MiB",
      (response) => {
        response.writeHead(200, { "content-length": String(64 * 1024 * 1024) });
        response.write("{");
      },
      "upstream_unavailable",
    ],
    [
      "an oversize stream",
      (response) => void response.end("x".repeat(5 * 1024 * 1024)),
      "upstream_unavailable",
    ],
    ["a hang", () => void deadlines.expire(), "upstream_timeout"],
  ])("is thrown on %s", async (_, answer, code) => {
    await using server = await fakeLifi(answer);
    expect((await failed(asker(server.url)())).code).toBe(code);
    expect(server.received).toHaveLength(1);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    [
      "a hang after the headers",
      (response) => {
        response.writeHead(200);
        response.flushHeaders();
      },
    ],
    ["a body sent byte by byte", (response) => sendSlowly(response, 20)],
  ])("is upstream_timeout for %s", async (_, answer) => {
    await using server = await fakeLifi(answer);
    const ask = asker(server.url, { fetch: fetchOfLateBodies(deadlines) });
    expect((await failed(ask())).code).toBe("upstream_timeout");
    expect(server.received).toHaveLength(1);
  });

  test("is thrown after two 500, without a second retry", async () => {
    await using server = await fakeLifi({ status: 500, body: {} });
    expect((await failed(asker(server.url)())).code).toBe("upstream_unavailable");
    expect(server.received).toHaveLength(2);
  });

  test("is thrown after one 500 when no time is left for a retry", async () => {
    await using server = await fakeLifi({ status: 500, body: {} });
    expect((await failed(asker(server.url, { timeoutMs: 700, now: () => 0 })())).code).toBe(
      "upstream_unavailable",
    );
    expect(server.received).toHaveLength(1);
  });

  test("is upstream_unavailable when the connection is refused", async () => {
    const server = await fakeLifi(OK);
    await server[Symbol.asyncDispose]();
    expect((await failed(asker(server.url)())).code).toBe("upstream_unavailable");
  });

  test("is never no_route outside quotes", async () => {
    await using server = await fakeLifi({ status: 400, body: { code: 1011 } });
    expect((await failed(asker(server.url, { family: "other" })())).code).toBe("upstream_unavailable");
  });
});

describe("the rate limit of LifiClient", () => {
  test("blocks an endpoint family after a 429 until its reset, at most a minute", async () => {
    let now = 1_000_000;
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "7134" };
    await using server = await fakeLifi({ status: 429, headers, body: { code: 1005 } }, OK);
    const ask = asker(server.url, { now: () => now });
    expect(await failed(ask())).toEqual({ code: "rate_limited", members: { retry_after: 60 } });
    now += 59_000;
    expect(await failed(ask())).toEqual({ code: "rate_limited", members: { retry_after: 1 } });
    expect(server.received).toHaveLength(1);
    expect(await ask("other")).toEqual({ ok: true });
    now += 1_000;
    expect(await ask()).toEqual({ ok: true });
  });

  test("lasts one minute after a 429 without headers", async () => {
    await using server = await fakeLifi({ status: 429, body: "slow down" });
    const limited = { code: "rate_limited", members: { retry_after: 60 } };
    expect(await failed(asker(server.url)())).toEqual(limited);
  });

  test("starts with a response without remaining requests, which is still used", async () => {
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "30" };
    await using server = await fakeLifi({ headers, body: { ok: true } });
    const ask = asker(server.url, { now: () => 5_000 });
    expect(await ask()).toEqual({ ok: true });
    expect(await failed(ask())).toEqual({ code: "rate_limited", members: { retry_after: 30 } });
    expect(server.received).toHaveLength(1);
  });

  test("is shared by two clients with the same RateLimitMemory", async () => {
    const memory = new RateLimitMemory();
    await using server = await fakeLifi({ status: 429, headers: { "retry-after": "9" }, body: {} });
    await failed(asker(server.url, { memory, now: () => 0 })());
    const other = await failed(asker(server.url, { memory, now: () => 0 })());
    expect(other.members).toEqual({ retry_after: 9 });
    expect(server.received).toHaveLength(1);
  });
});
