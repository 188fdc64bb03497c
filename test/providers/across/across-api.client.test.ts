import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fetchDepositStatus, fetchSuggestedFees } from "../../../src/providers/across/across-api.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";
import { type Api, type Reply, startApi } from "../../support/across/emulator.ts";
import { failureOf, feesBody, hash, requestOf, scopeOf } from "../../support/across/stage.ts";

const good: Reply = { kind: "json", body: feesBody(requestOf(), 1_900_000_000) };
const html: Reply = { kind: "text", text: "<!doctype html><title>Just a moment...</title>" };
const failing: Reply = { kind: "json", status: 500, body: { message: "Internal server error" } };

let api: Api;
let scope: ProviderScope;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
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

describe("a price", () => {
  test("is asked with GET, or with POST when there is a message", async () => {
    api.replyWith(good);
    expect((await quote()).outputAmount).toBe(99_900_000n);
    await quote("0x1234");
    expect(api.requests.map(({ method, path, query, body }) => ({ method, path, query, body }))).toEqual([
      { method: "GET", path: "/api/suggested-fees", query: { amount: "1" }, body: "" },
      { method: "POST", path: "/api/suggested-fees", query: { amount: "1" }, body: '{"message":"0x1234"}' },
    ]);
    expect(scope.timing.requests("provider")).toBe(2);
  });

  test("carries the key as a bearer token, and nothing where there is none", async () => {
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

describe("the one retry", () => {
  test.each<[string, Reply]>([
    ["a 500", failing],
    ["a 503", { kind: "json", status: 503, body: {} }],
    ["a reset connection", { kind: "reset" }],
    ["a truncated answer", { kind: "cut", text: JSON.stringify(good) }],
  ])("follows %s after 250 ms", async (_, first) => {
    api.replyWith(first, good);
    const { value, ms } = await timed(() => quote());
    expect(value.outputAmount).toBe(99_900_000n);
    expect(api.requests).toHaveLength(2);
    expect(ms).toBeGreaterThanOrEqual(249);
    expect(ms).toBeLessThan(4_000);
  });

  test("follows a failed POST too, which changes nothing", async () => {
    api.replyWith(failing, good);
    await quote("0x12");
    expect(api.requests).toHaveLength(2);
  });

  test("is the only one", async () => {
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
  ])("does not follow %s", async (_, reply, code) => {
    api.replyWith(reply);
    const { value, ms } = await timed(() => failureOf(quote()));
    expect(value.code).toBe(code);
    expect(api.requests).toHaveLength(1);
    expect(ms).toBeLessThan(4_000);
  });
});

describe("the deadline", () => {
  test.concurrent.each<[string, Reply, number, () => Promise<unknown>]>([
    ["a price that never comes", { kind: "hang" }, 5_000, () => quoteAt("hang")],
    ["a price byte by byte", drip(), 5_000, () => quoteAt("drip")],
    ["a status that never comes", { kind: "hang" }, 4_000, () => statusAt("hang")],
  ])(
    "ends %s",
    async (_name, reply, budget, ask) => {
      slow.set(reply.kind, reply);
      const { value, ms } = await timed(() => failureOf(ask()));
      expect(value.code).toBe("upstream_timeout");
      expect(ms).toBeGreaterThan(budget - 50);
      expect(ms).toBeLessThan(budget + 3_000);
    },
    10_000,
  );

  test("covers the retry: after a slow failure there is none left to wait for", async () => {
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

test("the second attempt has only what the first left", async () => {
  let clock = 0;
  const late: ProviderScope = { ...scopeOf(), now: () => clock };
  api.answer(() => {
    clock += 4_400;
    return api.requests.length === 1 ? failing : { kind: "hang" };
  });
  const asked = fetchSuggestedFees(late, { settings: settings(), query: {}, message: "0x" });
  const { value, ms } = await timed(() => failureOf(asked));
  expect(value.code).toBe("upstream_timeout");
  expect(ms).toBeLessThan(4_000);
});

/** Several slow answers at once: the handler picks by the query. */
const slow = new Map<string, Reply>();
function drip(): Reply {
  return { kind: "drip", text: JSON.stringify(feesBody(requestOf(), 1)), everyMs: 200 };
}
async function slowApi(): Promise<Api> {
  const served = await startApi();
  served.answer(({ query }) => slow.get(query["kind"] ?? "hang") ?? { kind: "hang" });
  return served;
}
async function quoteAt(kind: string): Promise<unknown> {
  const served = await slowApi();
  const ask = { settings: { apiUrl: served.url }, query: { kind }, message: "0x" } as const;
  return fetchSuggestedFees(scopeOf(), ask).finally(() => served.close());
}
async function statusAt(_: string): Promise<unknown> {
  const served = await slowApi();
  const ask = { settings: { apiUrl: served.url }, txHash: hash("1") };
  return fetchDepositStatus(scopeOf(), ask).finally(() => served.close());
}

describe("a status", () => {
  test("is asked by the source transaction", async () => {
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

  test("is null while the indexer does not know it", async () => {
    api.replyWith({ kind: "json", status: 404, body: { error: "DepositNotFoundException", message: "no" } });
    expect(await status()).toBeNull();
  });

  test("fails on anything unusable", async () => {
    api.replyWith({ kind: "json", body: { status: "somewhere", originChainId: 1, destinationChainId: 2 } });
    expect((await failureOf(status())).code).toBe("upstream_unavailable");
  });
});
