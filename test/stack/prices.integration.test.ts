import type { Address } from "viem";
import { zeroAddress } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { pricesVariable } from "../../scripts/stack/worker/prices.ts";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { parseConfig } from "../../src/config/config.ts";
import { feedPrices, feedQuery } from "../../src/prices/feeds/chainlink-feed-reads.ts";
import { clientOn } from "../support/chains/rpc-node.ts";
import { bindings } from "../support/context.ts";
import { type BridgedStack, manifestOf, startBridged } from "../support/stack/bridged.ts";
import { control } from "../support/stack/harness.ts";

const USD = 10n ** 18n;
let stack: BridgedStack;
beforeAll(async () => {
  stack = await startBridged();
});
afterAll(() => stack?.close());
afterEach(() => fetch(`${stack.hub.prices}/__control`, { method: "DELETE" }));

/** Reads a chain's feeds as a Worker with the stack's variable does. */
async function feedsOn(index: 0 | 1) {
  const manifest = manifestOf(stack);
  const chain = manifest[index];
  const deployed = index === 0 ? stack.one : stack.two;
  if (chain === undefined) throw new Error("no chain");
  const { prices } = parseConfig({ ...bindings, PRICES: pricesVariable(stack.hub, manifest) });
  const feeds = prices.feeds.get(chain.chain_id);
  if (feeds === undefined) throw new Error("no feeds");
  const { client } = clientOn([{ url: deployed.url }] as never, { chainId: chain.chain_id });
  const tokens = feeds.tokens.map(({ token }) => token);
  const request = { chainId: chain.chain_id, feeds, tokens, isConfirmed: () => false };
  const { value, block } = await runQuery(client, feedQuery(request));
  const { prices: judged, unused } = feedPrices(value, block.timestamp);
  const usd = (token: Address) => judged.get(`${chain.chain_id}:${token.toLowerCase()}`)?.usd ?? null;
  return { usd, problems: unused.map(({ problem }) => problem) };
}

const set = (body: object) => control(stack.hub.prices, body);
const usdc = () => ({ chain_id: stack.one.plan.chainId, address: stack.one.tokens.USDC });

async function ask(ids: readonly string[], init: RequestInit = {}) {
  const response = await fetch(`${stack.hub.prices}/prices/current/${ids.join(",")}?searchWidth=1h`, init);
  return ((await response.json()) as { coins: Record<string, { price: number }> }).coins;
}

describe("the stack's feeds", () => {
  test("say on both chains what the table expects, and what the exchange pays", async () => {
    for (const [index, { tokens }] of [stack.one, stack.two].entries()) {
      const { usd, problems } = await feedsOn(index as 0 | 1);
      expect(problems).toEqual([]);
      expect([tokens.USDC, tokens.USDT, tokens.WETH, tokens.WBTC, zeroAddress].map(usd)).toEqual(
        [1n, 1n, 2_500n, 60_000n, 2_500n].map((dollars) => dollars * USD),
      );
    }
  });

  test.each<[object, bigint | null, string[]]>([
    [{ feed_usd: "0.88" }, (USD * 88n) / 100n, []],
    [{ mode: "stale" }, null, ["stale"]],
    [{ mode: "zero" }, null, ["not_positive"]],
    [{ age_s: 5_000 }, USD, []],
  ])("follow %o", async (change, price, expected) => {
    expect((await set({ prices: [{ ...usdc(), ...change }] })).status).toBe(200);
    const { usd, problems } = await feedsOn(0);
    expect([usd(stack.one.tokens.USDC), problems]).toEqual([price, expected]);
  });

  test("follow the sequencer down and up again, and recover with a DELETE", async () => {
    const chain_id = stack.two.plan.chainId;
    for (const up of [false, true]) {
      expect((await set({ sequencer: { chain_id, up } })).status).toBe(200);
      expect((await feedsOn(1)).problems).toEqual(["sequencer_down"]);
    }
    await fetch(`${stack.hub.prices}/__control`, { method: "DELETE" });
    expect((await feedsOn(1)).problems).toEqual([]);
  });
});

describe("the emulated price API", () => {
  test("answers for tokens with a price, and leaves others out", async () => {
    const { chain_id, address } = usdc();
    const [known, native, unknown] = [`${chain_id}:${address}`, `${chain_id}:${zeroAddress}`, `1:${address}`];
    const coins = await ask([known, native, unknown]);
    expect(Object.entries(coins).map(([id, { price }]) => [id, price])).toEqual([
      [known, 1],
      [native, 2_500],
    ]);
  });

  test("follows its own price, knows none, and hangs", async () => {
    const id = `${usdc().chain_id}:${usdc().address}`;
    const now = async (change: object) => {
      await set({ prices: [{ ...usdc(), ...change }] });
      return (await ask([id]))[id]?.price ?? null;
    };
    expect([
      await now({ market_usd: "1.10" }),
      await now({ market_usd: null }),
      await now({ market_usd: "1", mode: "stale" }),
      await now({ mode: "zero" }),
    ]).toEqual([1.1, null, null, 0]);
    await set({ prices: [{ ...usdc(), mode: "hang" }] });
    await expect(ask([id], { signal: AbortSignal.timeout(500) })).rejects.toThrow("timeout");
  });

  test("refuses settings that it does not know", async () => {
    const foreign = { chain_id: 1, address: zeroAddress };
    for (const body of [
      { prices: [{ ...usdc(), price: "1" }] },
      { prices: [foreign] },
      { prices: [{ ...usdc(), feed_usd: "-1" }] },
      { sequencer: { chain_id: stack.one.plan.chainId, up: false } },
      { price: [] },
    ]) {
      expect((await set(body)).status).toBe(400);
    }
  });

  test("shows its settings beside the faults", async () => {
    const { body } = await set({ faults: [{ kind: "status", count: 1 }], prices: [{ ...usdc(), age_s: 7 }] });
    expect(body).toMatchObject({ faults: [{ kind: "status" }], sequencers_down: [] });
    const { prices } = body as { prices: { address: string; age_s: number }[] };
    expect(prices.find(({ address }) => address === usdc().address)?.age_s).toBe(7);
  });
});
