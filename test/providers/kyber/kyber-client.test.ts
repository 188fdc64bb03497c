import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { Breakers } from "../../../src/lib/circuit-breaker.ts";
import { createKyberClient, type KyberClient } from "../../../src/providers/kyber/kyber-client.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import { failureOf, scopeOf } from "../../support/across/stage.ts";
import { holdTimeouts } from "../../support/local-server.ts";
import { stoppedClock } from "../../support/stopped-clock.ts";

const good: Reply = { kind: "json", body: { code: 0, data: { text: "fine" } } };
const schema = z.object({ code: z.literal(0), data: z.object({ text: z.string() }) });
const refusal = (code: number, status = 400): Reply => ({
  kind: "json",
  status,
  body: { code, message: "SECRET text of the service", details: null },
});

const api = serveApi();
let scope: ProviderScope;
let client: KyberClient;
beforeEach(() => {
  scope = scopeOf();
  client = createKyberClient({ apiUrl: `${api.url}/`, clientId: "tester" });
});
const ask = (body?: unknown) => client.ask(scope, { path: "/ethereum/api/v1/routes?a=1", body, schema });

describe("a request to KyberSwap", () => {
  test("names the client, and is POST when it has a body", async () => {
    api.replyWith(good);
    expect((await ask()).parsed.data.text).toBe("fine");
    await ask({ a: 1 });
    expect(api.requests.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual([
      { method: "GET", path: "/api/ethereum/api/v1/routes", query: { a: "1" }, body: "" },
      { method: "POST", path: "/api/ethereum/api/v1/routes", query: { a: "1" }, body: '{"a":1}' },
    ]);
    expect(api.requests.map(({ headers }) => headers["x-client-id"])).toEqual(["tester", "tester"]);
    expect(scope.timing.requests("provider")).toBe(2);
  });

  test("keeps the digits of every number, so that a route can be sent back unchanged", async () => {
    const text = '{"code":0,"data":{"text":"x","big":79228162514264337593543950336123,"half":1.50}}';
    api.replyWith({ kind: "text", text });
    expect(JSON.stringify((await ask()).json)).toBe(text);
  });

  test.each<[string, Reply, string]>([
    ["400 with 4008", refusal(4008), "no_route"],
    ["400 with an unknown code", refusal(4999), "no_route"],
    ["400 without JSON", { kind: "text", status: 400, text: "<html>" }, "no_route"],
    ["422 with 4222", refusal(4222, 422), "no_route"],
    ["200 with 4011", refusal(4011, 200), "no_route"],
    ["404", { kind: "json", status: 404, body: {} }, "no_route"],
    ["429", { kind: "json", status: 429, body: {} }, "rate_limited"],
    ["500", refusal(500, 500), "upstream_unavailable"],
    ["500 with 4008", refusal(4008, 500), "upstream_unavailable"],
    ["504", { kind: "json", status: 504, body: {} }, "upstream_timeout"],
    ["a reset connection", { kind: "reset" }, "upstream_unavailable"],
    ["half a body", { kind: "cut", text: '{"code":0,"data":{"text":"fine"}}' }, "upstream_unavailable"],
    ["no JSON", { kind: "text", text: "<!doctype html>" }, "upstream_unavailable"],
    ["another shape", { kind: "json", body: { code: 0, data: { text: 1 } } }, "upstream_rejected"],
    [
      "a redirect",
      { kind: "text", status: 302, headers: { location: "/x" }, text: "" },
      "upstream_unavailable",
    ],
    ["64 MiB", { kind: "flood", bytes: 64 << 20, declared: false }, "upstream_unavailable"],
  ])("is never retried after %s", async (_name, reply, code) => {
    api.replyWith(reply);
    const { error: failed } = await failureOf(ask());
    expect(failed.code).toBe(code);
    expect(failed.message).not.toContain("SECRET");
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [4008, "no_quote"],
    [4009, "amount_too_high"],
    [4011, "token_unknown"],
    [4000, "request_refused"],
    [4222, "slippage_exceeded"],
  ])("names the reason of code %i: %s", async (code, reason) => {
    api.replyWith(refusal(code));
    expect((await failureOf(ask())).error.members).toMatchObject({ reasons: [{ code: reason }] });
  });
});

describe("a rate limit of KyberSwap", () => {
  test.each([
    ["x-ratelimit-reset-after", "7", 7],
    ["retry-after", "3", 3],
    ["x-ratelimit-reset-after", "7200", 60],
    ["x-ratelimit-reset-after", "soon", 5],
  ])("with %s: %s stops requests for %i s, at most 60 s", async (header, value, seconds) => {
    let now = 1_000_000;
    scope = { ...scope, now: () => now };
    api.replyWith({ kind: "json", status: 429, headers: { [header]: value }, body: {} }, good);
    expect((await failureOf(ask())).error.members).toEqual({ retry_after: seconds });
    now += seconds * 1000 - 1;
    expect((await failureOf(ask())).code).toBe("rate_limited");
    expect(api.requests).toHaveLength(1);
    now += 1;
    expect((await ask()).parsed.code).toBe(0);
  });

  test("is not shortened by the response to a request that was sent before", async () => {
    const now = 1_000_000;
    const answers: ((response: Response) => void)[] = [];
    const fetch = () => new Promise<Response>((resolve) => answers.push(resolve));
    scope = { ...scope, now: () => now, fetch };
    const both = [failureOf(ask()), failureOf(ask())];
    await expect.poll(() => answers.length).toBe(2);
    for (const [index, wait] of ["60", "3"].entries()) {
      answers[index]?.(new Response("{}", { status: 429, headers: { "retry-after": wait } }));
      expect((await both[index])?.code).toBe("rate_limited");
    }
    scope = { ...scope, now: () => now + 3_000 };
    expect((await failureOf(ask())).error.members).toEqual({ retry_after: 57 });
  });
});

describe("a KyberSwap that does not answer", () => {
  test("ends a request after 2 s, and is then left alone", async () => {
    const deadlines = holdTimeouts();
    const passed: number[] = [];
    const { now, skip } = stoppedClock();
    scope = { ...scope, now, breakers: new Breakers(now) };
    api.answer(() => {
      const ms = deadlines.expire();
      passed.push(ms);
      skip(ms);
      return { kind: "hang" };
    });
    for (let index = 0; index < 3; index += 1) expect((await failureOf(ask())).code).toBe("upstream_timeout");
    expect([passed, api.requests.length]).toEqual([[2_000], 1]);
    api.replyWith(good);
    skip(2_000);
    expect((await ask()).parsed.code).toBe(0);
  });

  test("is not blamed for the caller's own deadline", async () => {
    const deadlines = holdTimeouts();
    const { now, skip } = stoppedClock();
    const breakers = new Breakers(now);
    api.answer(() => {
      skip(deadlines.expire());
      return { kind: "hang" };
    });
    for (let index = 0; index < 3; index += 1) {
      scope = { ...scopeOf(), now, breakers, deadline: now() + 60 };
      expect((await failureOf(ask())).code).toBe("upstream_timeout");
    }
    expect(api.requests).toHaveLength(3);
  });
});
