import type { ServerResponse } from "node:http";
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { createLogger } from "../../src/lib/logger.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import {
  agedMarketPrice,
  fetchMarketPrices,
  type MarketScope,
  toMarketPrice,
} from "../../src/prices/market-prices.ts";
import type { ChainToken } from "../../src/prices/price.ts";
import { MarketBreaker } from "../../src/prices/price-book.ts";
import { fetchOfLateBodies, holdTimeouts, realFetch, sendSlowly, serve } from "../support/local-server.ts";

const NOW = 1_700_000_000_000;
const at = NOW / 1000 - 60;
const USD = 10n ** 18n;
const USDC: Address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const coin = (change: object = {}) => ({ price: 0.999912, timestamp: at, confidence: 0.99, ...change });

const never = (): never => {
  throw new Error("no price");
};

const scopeOf = (apiUrl: string | null, breaker = new MarketBreaker()): MarketScope => ({
  ...{ apiUrl, breaker, fetch: realFetch, now: () => NOW },
  timing: new Timing(() => NOW),
  log: createLogger(() => undefined, {}),
});
const token = (chainId: number, address: Address = USDC): ChainToken => ({ chainId, token: address });
const send = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};

describe("fetchMarketPrices()", () => {
  test("asks for many tokens at once by the API's names of their chains", async () => {
    const server = await serve((_, response) =>
      send(response, { coins: { [`ethereum:${USDC}`]: coin(), [`31337:${USDC.toLowerCase()}`]: coin() } }),
    );
    const prices = await fetchMarketPrices(scopeOf(`${server.url}/`), [token(1), token(43114), token(31337)]);
    const ids = ["ethereum", "avax", "31337"].map((chain) => `${chain}:${USDC.toLowerCase()}`);
    expect(server.requests.map(({ path }) => path)).toEqual([
      `/prices/current/${ids.join(",")}?searchWidth=1h`,
    ]);
    expect([...prices.keys()]).toEqual([1, 31337].map((chainId) => `${chainId}:${USDC.toLowerCase()}`));
  });

  test("asks for at most 50 tokens in one request", async () => {
    const server = await serve((_, response) => send(response, { coins: {} }));
    await fetchMarketPrices(
      scopeOf(server.url),
      Array.from({ length: 101 }, (_, index) => token(index + 1)),
    );
    expect(server.requests.map(({ path }) => path.split(",").length).sort()).toEqual([1, 50, 50]);
  });

  test("keeps the prices of a request that succeeds beside one that fails, and waits as long as asked", async () => {
    const server = await serve(({ path }, response) => {
      if (!path.includes(",")) return send(response, { coins: { [`ethereum:${USDC}`]: coin() } });
      response.writeHead(429, { "retry-after": "40" });
      response.end();
    });
    const breaker = new MarketBreaker();
    const tokens = [...Array.from({ length: 50 }, (_, index) => token(index + 2)), token(1)];
    const prices = await fetchMarketPrices(scopeOf(server.url, breaker), tokens);
    expect([...prices.keys()]).toEqual([`1:${USDC.toLowerCase()}`]);
    expect([breaker.isOpen(NOW + 39_999), breaker.isOpen(NOW + 40_001)]).toEqual([true, false]);
    const alone = new MarketBreaker();
    await expect(fetchMarketPrices(scopeOf(server.url, alone), tokens.slice(0, 50))).rejects.toMatchObject({
      message: expect.stringContaining("429"),
    });
    expect([alone.isOpen(NOW + 39_999), alone.isOpen(NOW + 40_001)]).toEqual([true, false]);
  });

  test.each([
    ["all requests fail", 500, { state: "open", hangs: 1, until: NOW + 5_000 }],
    ["one request succeeds", 200, { state: "closed", hangs: 0, until: null }],
  ])("counts many tokens as one to the breaker when %s", async (_, status, report) => {
    const server = await serve(({ path }, response) =>
      send(response, { coins: {} }, path.includes(",") ? 500 : status),
    );
    const breaker = new MarketBreaker();
    const tokens = Array.from({ length: 151 }, (_, index) => token(index + 1));
    await fetchMarketPrices(scopeOf(server.url, breaker), tokens).catch(() => undefined);
    expect(server.requests).toHaveLength(4);
    expect(breaker.report(NOW)).toMatchObject(report);
  });

  test("asks nothing without an API or tokens", async () => {
    expect(await fetchMarketPrices(scopeOf(null), [token(1)])).toEqual(new Map());
    expect(await fetchMarketPrices(scopeOf("http://127.0.0.1:9"), [])).toEqual(new Map());
  });

  test("loses no other price by a malformed, a foreign or an absurd coin", async () => {
    const odd = {
      "ethereum:0x1": coin(),
      [`base:${USDC}`]: "0.99",
      [`optimism:${USDC}`]: coin({ price: -1 }),
    };
    const server = await serve((_, response) =>
      send(response, { coins: { ...odd, [`ethereum:${USDC}`]: coin() }, more: 1 }),
    );
    const prices = await fetchMarketPrices(scopeOf(server.url), [token(1), token(10), token(8453)]);
    expect([...prices.keys()]).toEqual([`1:${USDC.toLowerCase()}`]);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ["an error status", (response) => send(response, "{}", 500)],
    ["a page", (response) => send(response, "<html>")],
    ["NaN", (response) => send(response, `{"coins":{"ethereum:${USDC}":{"price":NaN}}}`)],
    ["another shape", (response) => send(response, { coins: [] })],
    ["too much", (response) => send(response, `{"coins":{"a":"${"x".repeat(200_000)}"}}`)],
    ["a redirect", (response) => send(response, "", 302)],
  ])("fails by %s, and is not asked again for five seconds", async (_what, answer) => {
    const server = await serve((_, response) => answer(response));
    const breaker = new MarketBreaker();
    const ask = () => fetchMarketPrices(scopeOf(server.url, breaker), [token(1)]);
    await expect(ask()).rejects.toThrow();
    await expect(ask()).rejects.toThrow("not asked now");
    expect([server.requests.length, breaker.isOpen(NOW + 4_999), breaker.isOpen(NOW + 5_000)]).toEqual([
      1,
      true,
      false,
    ]);
  });

  test("gives up on an API that hangs after 1.5 seconds", async () => {
    const fetch = fetchOfLateBodies(holdTimeouts());
    const server = await serve((_, response) => sendSlowly(response, 5));
    await expect(fetchMarketPrices({ ...scopeOf(server.url), fetch }, [token(1)])).rejects.toThrow(
      "no answer within 1500 ms",
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe("toMarketPrice()", () => {
  const of = (change: object) => toMarketPrice(coin(change), NOW);

  test.each<[number, bigint]>([
    [1, USD],
    [0.999912, 999_912n * 10n ** 12n],
    [1e-7, 10n ** 11n],
    [63_251.12000000001, 63_251_120_000_000_010n * 10n ** 6n],
    [0.1 + 0.2, 300_000_000_000_000_040n],
    [1e9, 10n ** 27n],
    [1e-18, 1n],
  ])("takes %d to the last digit", (price, usd) => {
    expect(of({ price })?.usd).toBe(usd);
  });

  test.each([
    { price: 0 },
    { price: -1 },
    { price: 1e-19 },
    { price: 1e9 + 1 },
    { price: 1e308 },
    { price: "1.00" },
    { price: null },
    { timestamp: undefined },
    { timestamp: NOW / 1000 - 3_601 },
    { timestamp: NOW / 1000 + 301 },
    { confidence: 1.01 },
    { confidence: -0.1 },
  ])("refuses %o", (change) => {
    expect(of(change)).toBeNull();
  });

  test.each([3_600, 900, -300])(
    "takes one that is %d seconds old, with an error of half a percent",
    (age) => {
      const price = of({ timestamp: NOW / 1000 - age });
      expect(price).toMatchObject({ errorBps: 50, disputed: false, judges: age <= 900, unit: null });
    },
  );

  test("judges only by a confident price of the last quarter of an hour", () => {
    const judges = (change: object) => of(change)?.judges;
    expect([judges({}), judges({ confidence: 0.9 })]).toEqual([true, true]);
    const old = { timestamp: NOW / 1000 - 901 };
    expect([judges({ confidence: 0.899 }), judges({ confidence: undefined }), judges(old)]).toEqual([
      ...[false, false, false],
    ]);
    expect(agedMarketPrice({ ...(of({}) ?? never()), judges: false }, NOW).judges).toBe(false);
  });

  test("stops judging while it is cached", () => {
    const price = of({}) ?? never();
    expect(agedMarketPrice(price, NOW + 839_000)).toBe(price);
    expect(agedMarketPrice(price, NOW + 841_000)).toEqual({ ...price, judges: false });
  });
});
