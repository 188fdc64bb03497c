import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { Breakers } from "../../../src/lib/circuit-breaker.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";
import { createVeloraClient, type VeloraClient } from "../../../src/providers/velora/velora-client.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import { failureOf, scopeOf } from "../../support/across/stage.ts";
import { holdTimeouts } from "../../support/local-server.ts";
import { stoppedClock } from "../../support/stopped-clock.ts";

const good: Reply = { kind: "json", body: { text: "fine" } };
const schema = z.object({ text: z.string() });
const refusal = (error: string, status = 400): Reply => ({ kind: "json", status, body: { error } });

const api = serveApi();
let scope: ProviderScope;
let client: VeloraClient;
beforeEach(() => {
  scope = scopeOf();
  client = createVeloraClient({ apiUrl: `${api.url}/` });
});
const ask = () => client.ask(scope, { path: "/prices", query: new URLSearchParams({ a: "1" }), schema });

describe("a request to Velora", () => {
  test("is a GET request with the query", async () => {
    api.replyWith(good);
    expect(await ask()).toEqual({ text: "fine" });
    expect(api.requests).toMatchObject([{ method: "GET", path: "/api/prices", query: { a: "1" } }]);
    expect(scope.timing.requests("provider")).toBe(1);
  });

  test.each<[string, Reply, string]>([
    ["400", refusal("SECRET text of the service"), "no_route"],
    ["400 without JSON", { kind: "text", status: 400, text: "<html>" }, "no_route"],
    ["404", refusal("No routes found", 404), "no_route"],
    ["422", refusal("Unsupported network", 422), "no_route"],
    ["200 with an error", refusal("Invalid tokens", 200), "no_route"],
    ["403", refusal("SECRET", 403), "upstream_unavailable"],
    ["429", refusal("SECRET", 429), "rate_limited"],
    ["500", refusal("SECRET", 500), "upstream_unavailable"],
    ["504", refusal("SECRET", 504), "upstream_timeout"],
    ["a reset connection", { kind: "reset" }, "upstream_unavailable"],
    ["half a body", { kind: "cut", text: '{"text":"fine"}' }, "upstream_unavailable"],
    ["no JSON", { kind: "text", text: "<!doctype html>" }, "upstream_unavailable"],
    ["another shape", { kind: "json", body: { text: 1 } }, "upstream_rejected"],
    [
      "a redirect",
      { kind: "text", status: 302, headers: { location: "/x" }, text: "" },
      "upstream_unavailable",
    ],
    ["64 MiB", { kind: "flood", bytes: 64 << 20, declared: false }, "upstream_unavailable"],
  ])("is never retried after %s", async (_name, reply, code) => {
    api.replyWith(reply);
    const failed = await failureOf(ask());
    expect(failed.code).toBe(code);
    expect(failed.error.message).not.toContain("SECRET");
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    ["No routes found with enough liquidity", "insufficient_liquidity"],
    ["ESTIMATED_LOSS_GREATER_THAN_MAX_IMPACT", "insufficient_liquidity"],
    ["Token 0x12 Not Found", "token_unknown"],
    ["Invalid srcToken", "token_unknown"],
    ["Unsupported chain", "exchange_unavailable"],
    ['Validation failed: "amount"', "request_refused"],
    ["something new", "no_quote"],
  ])("names the reason of %j: %s", async (text, reason) => {
    api.replyWith(refusal(text));
    expect((await failureOf(ask())).reasons).toEqual([reason]);
  });
});

test.each([
  ["3", 3],
  ["7200", 60],
  ["soon", 5],
])(
  "a rate limit of Velora with retry-after %s stops requests for %i s, at most 60 s",
  async (value, seconds) => {
    let now = 1_000_000;
    scope = { ...scope, now: () => now };
    api.replyWith({ kind: "json", status: 429, headers: { "retry-after": value }, body: {} }, good);
    expect((await failureOf(ask())).error.members).toEqual({ retry_after: seconds });
    now += seconds * 1000 - 1;
    expect((await failureOf(ask())).code).toBe("rate_limited");
    expect(api.requests).toHaveLength(1);
    now += 1;
    expect(await ask()).toEqual({ text: "fine" });
  },
);

describe("a Velora that does not answer", () => {
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
    expect(await ask()).toEqual({ text: "fine" });
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
