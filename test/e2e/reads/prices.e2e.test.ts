import { randomBytes } from "node:crypto";
import { zeroAddress } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, newUser, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";
import { bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { emulators } from "../../support/e2e/faults.ts";
import { type Journey, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";

const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
const usdc = { chain_id: one.chainId, address: tokenOn(one, "USDC") };
const remote = { chain_id: two.chainId, address: tokenOn(two, "USDC") };
const idOf = ({ chain_id, address }: { chain_id: number; address: string }) => `${chain_id}:${address}`;
const fresh = () => ({ redisPrefix: `prices-${randomBytes(4).toString("hex")}` });

async function set(body: object): Promise<void> {
  const init = { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${emulators().prices}/__control`, init);
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
}
afterEach(async () => {
  await (await fetch(`${emulators().prices}/__control`, { method: "DELETE" })).arrayBuffer();
});

describe("prices by source, each in a Worker without caches", () => {
  let worker: SecondWorker;
  beforeAll(async () => {
    worker = await startWorker(fresh());
  });
  afterAll(() => worker?.close());

  async function ask(...tokens: { chain_id: number; address: string }[]) {
    await worker.restart(fresh());
    const answer = await new Api(worker.origin).send(`/v1/prices?ids=${tokens.map(idOf).join(",")}`);
    expect(answer.status).toBe(200);
    return (answer.json as { usd: string | null; source: string | null }[]).map(({ usd, source }) => [
      usd,
      source,
    ]);
  }

  test("come from feeds, for the native currency too", async () => {
    const native = { chain_id: one.chainId, address: zeroAddress };
    expect(await ask(usdc, native, { chain_id: 1, address: usdc.address })).toEqual([
      ["1.00", "feed"],
      ["2500.00", "feed"],
      [null, null],
    ]);
  });

  test.each([
    ["a depeg is shown", { feed_usd: "0.88", market_usd: "0.88" }, ["0.88", "feed"]],
    ["neither is believed after its age", { age_s: 6_000 }, [null, null]],
    ["neither source is believed when both are stale", { mode: "stale" }, [null, null]],
    ["neither is believed when both are zero", { mode: "zero" }, [null, null]],
    ["a hanging market costs the feed nothing", { mode: "hang" }, ["1.00", "feed"]],
  ])("%s", async (_what, change, expected) => {
    await set({ prices: [{ ...usdc, ...change }] });
    expect(await ask(usdc)).toEqual([expected]);
  });

  test("a chain whose sequencer is down, or has just come up, has the market's only", async () => {
    for (const up of [false, true]) {
      await set({ sequencer: { chain_id: two.chainId, up } });
      expect(await ask(usdc, remote)).toEqual([
        ["1.00", "feed"],
        ["1.00", "market"],
      ]);
    }
  });
});

describe("USD figures", () => {
  const api = new Api();

  test.each<[string, Journey]>([
    ["direct", { from: one, paid: "USDC", vault: vaultNamed("Plain USDC") }],
    ["same_chain_swap", { from: one, paid: "WETH", vault: vaultNamed("Plain USDC") }],
    ["cross_chain", { from: one, paid: "USDC", vault: vaultNamed("Remote USDC") }],
  ])("of a %s quote and build are ours, and cost a build no request", async (type, journey) => {
    const body = await prepare(journey, await newMultiChainUser([one, two]));
    const quote = await api.quote(body);
    expect(quote.quote_type).toBe(type);
    const { from_amount_usd, gas_cost_usd } = quote.estimate;
    expect([Number(from_amount_usd) > 1, Number(gas_cost_usd) > 0]).toEqual([true, true]);
    expect(quote.route_options[0]?.gas_cost_usd).toBe(gas_cost_usd);
    await api.build(body);
    // One of the two may read the gas price again, which is cached for ten seconds.
    const built = [await api.send("/v1/quote/build", { body }), await api.send("/v1/quote/build", { body })];
    for (const { json } of built)
      expect((json as { estimate: object }).estimate).toMatchObject({ from_amount_usd });
    const allowed = { direct: 2, same_chain_swap: 3, cross_chain: 4 }[type] ?? 0;
    expect(Math.min(...built.map((answer) => requestsTo(answer, "rpc")))).toBeLessThanOrEqual(allowed);
  });

  test("of positions, lists, details and tokens follow the price of the asset", async () => {
    const vault = vaultNamed("Plain USDC");
    const user = await newUser(one, { USDC: 10_000_000_000n });
    const body = bodyFor(vault, { user: user.address });
    await depositAndCheck(api, { vault, user, style: "calls", body });
    const [position] = (await api.positions(user.address)).positions;
    const dollars = Number(position?.current_assets) / 1e6;
    expect(Number(position?.value_usd)).toBeCloseTo(dollars, 2);
    const detail = await api.vault(vault.vault_id);
    expect(Number(detail.tvl_usd)).toBeCloseTo(Number(detail.total_assets) / 1e6, 2);
    const listed = (await api.send("/v1/vaults?limit=500")).json as {
      vault_id: string;
      tvl_usd: string | null;
    }[];
    expect(Number(listed.find(({ vault_id }) => vault_id === vault.vault_id)?.tvl_usd)).toBeGreaterThan(1);
    const tokens = (await api.send(`/v1/tokens?chain_id=${one.chainId}`)).json as Record<string, unknown>[];
    expect(tokens.find(({ symbol }) => symbol === "USDC")).toMatchObject({
      price_usd: "1.00",
      price_source: "feed",
      price_at: expect.any(String),
    });
  });
});
