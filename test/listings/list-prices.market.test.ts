import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { listPrices } from "../../src/listings/list-prices.ts";
import { pricesOfRequest, requestMarketPrices } from "../../src/prices/read-prices.ts";
import { contractsClient, head } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { serve } from "../support/local-server.ts";

const { chainId, timestamp } = head;
const START = timestamp * 1000;
const tokenOf = (n: number): Address => `0x${n.toString(16).padStart(40, "0")}`;
const listOf = (numbers: readonly number[]) => numbers.map((n) => ({ chainId, address: tokenOf(n) }));
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** A deployment whose price API gives a token's number as its price, and null to the token 0xdead. */
async function deployment() {
  const state = { status: 200, nowMs: START };
  const asked: string[][] = [];
  const api = await serve((request, response) => {
    const ids = request.path.split("/").at(-1)?.split("?")[0]?.split(",") ?? [];
    asked.push(ids.map((id) => id.split(":")[1] ?? ""));
    response.statusCode = state.status;
    const known = ids.filter((id) => !id.endsWith("dead"));
    const coins = known.map((id) => [
      id,
      { price: Number(id.split(":")[1]), timestamp: state.nowMs / 1000 - 30, confidence: 0.99 },
    ]);
    response.end(JSON.stringify({ coins: Object.fromEntries(coins) }));
  });
  const prices = { apiUrl: api.url, feeds: new Map() };
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const ctx = { ...testContext({ clients: [client], config: { prices } as never }), now: () => state.nowMs };
  const list = async (numbers: readonly number[]) =>
    (await listPrices(ctx, listOf(numbers))).map(({ usd }) => usd);
  return { ctx, state, asked, list };
}

describe("listPrices() and the price API", () => {
  test("asks only for tokens of which this isolate has no price, and writes nothing to Redis", async () => {
    const { ctx, asked, list } = await deployment();
    expect(await list([1, 2, 0xdead])).toEqual(["1.00", "2.00", null]);
    expect(await list([2, 3, 0xdead])).toEqual(["2.00", "3.00", null]);
    expect(await list([3, 1])).toEqual(["3.00", "1.00"]);
    expect(asked).toEqual([[tokenOf(1), tokenOf(2), tokenOf(0xdead)], [tokenOf(3)]]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ctx.redis.commands).toEqual([]);
  });

  test("asks once for a token that several lists want at the same time", async () => {
    const { asked, list } = await deployment();
    const answers = await Promise.all([list([1, 2]), list([2, 1]), list([2, 3])]);
    expect(answers).toEqual([
      ["1.00", "2.00"],
      ["2.00", "1.00"],
      ["2.00", "3.00"],
    ]);
    expect(asked.flat().sort()).toEqual([tokenOf(1), tokenOf(2), tokenOf(3)]);
  });

  test("shows a price for five minutes while it is asked again, and for an hour if the API fails", async () => {
    const { state, asked, list } = await deployment();
    await list([1]);
    state.nowMs += 2 * 60_000;
    expect(await list([1])).toEqual(["1.00"]);
    await expect.poll(() => asked.length).toBe(2);
    state.status = 500;
    state.nowMs += 50 * 60_000;
    expect(await list([1, 2])).toEqual(["1.00", null]);
    state.nowMs += 11 * 60_000;
    expect(await list([1])).toEqual([null]);
    state.status = 200;
    state.nowMs += 60_000;
    expect(await list([1, 2])).toEqual(["1.00", "2.00"]);
  });

  test("leaves the price API to builds after it refused a list", async () => {
    const { ctx, state, list } = await deployment();
    state.status = 429;
    expect(await list([1])).toEqual([null]);
    state.status = 200;
    requestMarketPrices(ctx, [{ chainId, token: tokenOf(1) }]);
    const prices = await pricesOfRequest(ctx, [{ chainId, token: tokenOf(1) }]);
    expect([...prices.values()]).toMatchObject([{ usd: 10n ** 18n, source: "market" }]);
  });

  test("asks at most 60 times a minute, however many tokens clients choose", async () => {
    const { ctx, state, asked, list } = await deployment();
    for (let round = 0; round < 70; round += 1) await list(from(1 + 100 * round, 100));
    expect(asked).toHaveLength(60);
    expect(await list([2_999, 9_999])).toEqual(["2999.00", null]);
    expect(ctx.logged.filter(({ event }) => event === "market_prices_missing")).toHaveLength(1);
    state.nowMs += 60_000;
    expect(await list([9_999])).toEqual(["9999.00"]);
  });
});
