import { beforeEach, describe, expect, test } from "vitest";
import { fetchDepositStatus, fetchSuggestedFees } from "../../../src/providers/across/across-api.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";
import { type Reply, serveApi } from "../../support/across/emulator.ts";
import { failureOf, feesBody, hash, requestOf, scopeOf } from "../../support/across/stage.ts";
import { fetchOfLateBodies, holdTimeouts } from "../../support/local-server.ts";

const good: Reply = { kind: "json", body: feesBody(requestOf(), 1_900_000_000) };
const html: Reply = { kind: "text", text: "<!doctype html><title>Just a moment...</title>" };
const failing: Reply = { kind: "json", status: 500, body: { message: "Internal server error" } };

const api = serveApi();
let scope: ProviderScope;
beforeEach(() => {
  scope = scopeOf();
});

const settings = () => ({ apiUrl: api.url });
const quote = (message: `0x${string}` = "0x") =>
  fetchSuggestedFees(scope, { settings: settings(), query: { amount: "1" }, message });
const status = () => fetchDepositStatus(scope, { settings: settings(), txHash: hash("1") });

/** Runs and measures, in milliseconds. */
async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await run();
  return { value, ms: performance.now() - start };
}

describe("fetchSuggestedFees()", () => {
  test("sends GET, or POST when the delivery has a message", async () => {
    api.replyWith(good);
    expect((await quote()).outputAmount).toBe(99_900_000n);
    await quote("0x1234");
    expect(api.requests.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual([
      { method: "GET", path: "/api/suggested-fees", query: { amount: "1" }, body: "" },
      { method: "POST", path: "/api/suggested-fees", query: { amount: "1" }, body: '{"message":"0x1234"}' },
    ]);
    expect(scope.timing.requests("provider")).toBe(2);
  });

  test("sends the API key as a bearer token, and no header without a key", async () => {
    api.replyWith(good);
    await quote();
    const keyed = { ...settings(), apiKey: "secret" };
    await fetchSuggestedFees(scope, { settings: keyed, query: {}, message: "0x" });
    await fetchSuggestedFees(scope, { settings: keyed, query: {}, message: "0x12" });
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer secret",
      "Bearer secret",
    ]);
  });
});

describe("the retry of an API request", () => {
  test.each<[string, Reply]>([
    ["a 500", failing],
    ["a 503", { kind: "json", status: 503, body: {} }],
    ["a reset connection", { kind: "reset" }],
    ["a truncated response", { kind: "cut", text: JSON.stringify(good) }],
  ])("retries after %s, 250 ms later", async (_, first) => {
    api.replyWith(first, good);
    const { value, ms } = await timed(() => quote());
    expect(value.outputAmount).toBe(99_900_000n);
    expect(api.requests).toHaveLength(2);
    expect(ms).toBeGreaterThanOrEqual(249);
    expect(ms).toBeLessThan(4_000);
  });

  test("retries a POST too, which has no side effects", async () => {
    api.replyWith(failing, good);
    await quote("0x12");
    expect(api.requests).toHaveLength(2);
  });

  test("retries only once", async () => {
    api.replyWith(failing);
    expect((await failureOf(quote())).code).toBe("upstream_unavailable");
    expect(api.requests).toHaveLength(2);
  });

  test.each<[string, Reply, string]>([
    ["400", { kind: "json", status: 400, body: { code: "AMOUNT_TOO_LOW", message: "" } }, "no_route"],
    ["429", { kind: "json", status: 429, headers: { "retry-after": "9" }, body: {} }, "rate_limited"],
    ["a web page", html, "upstream_unavailable"],
    [
      "another shape",
      { kind: "json", body: { ...feesBody(requestOf(), 1), outputAmount: null } },
      "upstream_unavailable",
    ],
    ["no JSON", { kind: "text", text: '{"estimated' }, "upstream_unavailable"],
    [
      "a redirect",
      { kind: "text", status: 302, headers: { location: "http://127.0.0.1:1/" }, text: "" },
      "upstream_unavailable",
    ],
    ["64 MiB, declared", { kind: "flood", bytes: 64 << 20, declared: true }, "upstream_unavailable"],
    ["64 MiB, undeclared", { kind: "flood", bytes: 64 << 20, declared: false }, "upstream_unavailable"],
  ])("does not retry after %s", async (_, reply, code) => {
    api.replyWith(reply);
    const { value, ms } = await timed(() => failureOf(quote()));
    expect(value.code).toBe(code);
    expect(api.requests).toHaveLength(1);
    expect(ms).toBeLessThan(4_000);
  });
});

describe("the timeout of an API request", () => {
  test.each<[string, number, () => Promise<unknown>]>([
    ["a quote", 5_000, () => quote()],
    ["a status", 4_000, () => status()],
  ])("ends %s after %i ms without a response", async (_, ms, ask) => {
    const deadlines = holdTimeouts();
    const passed: number[] = [];
    scope = { ...scope, now: () => 0 };
    api.answer(() => {
      passed.push(deadlines.expire());
      return { kind: "hang" };
    });
    expect((await failureOf(ask())).code).toBe("upstream_timeout");
    expect([passed, api.requests.length]).toEqual([[ms], 1]);
  });

  test("ends a quote sent byte by byte", async () => {
    scope = { ...scope, fetch: fetchOfLateBodies(holdTimeouts()) };
    api.replyWith({ kind: "drip", text: JSON.stringify(feesBody(requestOf(), 1)), everyMs: 200 });
    expect((await failureOf(quote())).code).toBe("upstream_timeout");
    expect(api.requests).toHaveLength(1);
  });

  test("includes the retry: after a slow failure no time is left for one", async () => {
    let clock = 0;
    const late: ProviderScope = { ...scopeOf(), now: () => clock };
    api.answer(() => {
      clock += 4_700;
      return failing;
    });
    const asked = fetchSuggestedFees(late, { settings: settings(), query: {}, message: "0x" });
    expect((await failureOf(asked)).code).toBe("upstream_unavailable");
    expect(api.requests).toHaveLength(1);
  });
});

test("a retry has only the time that the first attempt left", async () => {
  const deadlines = holdTimeouts();
  const passed: number[] = [];
  let clock = 0;
  const late: ProviderScope = { ...scopeOf(), now: () => clock };
  api.answer(() => {
    if (api.requests.length === 1) {
      clock += 4_400;
      return failing;
    }
    passed.push(deadlines.expire());
    return { kind: "hang" };
  });
  const asked = fetchSuggestedFees(late, { settings: settings(), query: {}, message: "0x" });
  expect((await failureOf(asked)).code).toBe("upstream_timeout");
  expect(passed).toEqual([600]);
});

describe("fetchDepositStatus()", () => {
  test("queries by the source transaction hash", async () => {
    api.replyWith({
      kind: "json",
      body: { status: "pending", originChainId: 1, destinationChainId: "42161" },
    });
    expect(await status()).toMatchObject({ status: "pending", destinationChainId: 42161, fillTx: null });
    expect(api.requests[0]).toMatchObject({
      path: "/api/deposit/status",
      query: { depositTxnRef: hash("1") },
    });
  });

  test("returns null while the indexer does not know the deposit", async () => {
    api.replyWith({ kind: "json", status: 404, body: { error: "DepositNotFoundException", message: "no" } });
    expect(await status()).toBeNull();
  });

  test("throws for an unreadable response", async () => {
    api.replyWith({ kind: "json", body: { status: "somewhere", originChainId: 1, destinationChainId: 2 } });
    expect((await failureOf(status())).code).toBe("upstream_unavailable");
  });
});
