import { beforeEach, describe, expect, test } from "vitest";
import { fetchDepositStatus, fetchSuggestedFees } from "../../../src/providers/across/across-api.ts";
import type { ProviderScope } from "../../../src/providers/provider.ts";
import { type Api, type Reply, serveApi, startApi } from "../../support/across/emulator.ts";
import { failureOf, feesBody, hash, requestOf, scopeOf } from "../../support/across/stage.ts";

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
  test.concurrent.each<[string, Reply, number, () => Promise<unknown>]>([
    ["a quote without response", { kind: "hang" }, 5_000, () => quoteAt("hang")],
    ["a quote sent byte by byte", drip(), 5_000, () => quoteAt("drip")],
    ["a status without response", { kind: "hang" }, 4_000, () => statusAt("hang")],
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
