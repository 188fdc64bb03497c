import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";
import { rpcEmulator } from "../../support/e2e/faults.ts";
import { type Journey, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";
import { type SecondWorker, startWorker } from "../../support/e2e/worker.ts";
import { Rounds, type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);

async function bodyOf(journey: Journey) {
  return prepare(journey, await newMultiChainUser([one, two]));
}

describe("POST /v1/quote", () => {
  test("lists every route across chains with its tags", async () => {
    const body = await bodyOf({ from: one, paid: "USDC", vault: vaultNamed("Remote Prime USDC") });
    const quote = await api.quote(body);
    expect(quote.quote_type).toBe("cross_chain");
    expect(quote.reasons).toEqual([]);
    expect(quote.route_options.map(({ bridge, tags }) => ({ bridge, tags }))).toEqual([
      { bridge: "across", tags: ["recommended", "best_output", "fastest", "cheapest", "one_transaction"] },
      { bridge: "across", tags: ["fastest", "one_transaction"] },
      { bridge: "stargate", tags: ["fastest", "one_transaction"] },
      { bridge: "cctp", tags: ["fastest", "two_step"] },
      { bridge: "stargate_bus", tags: ["fastest", "two_step"] },
      { bridge: "cctp_fast", tags: ["fastest", "two_step"] },
    ]);
    expect(quote.estimate.steps.map(({ type, chain_id }) => [type, chain_id])).toEqual([
      ["bridge", 31337],
      ["deposit", 31338],
    ]);
    expect(quote.approval?.spender_address).toBe(one.info.contracts.spoke_pool);
    expect(await api.deposits(body.user_address)).toEqual([]);
  });

  test("returns USD figures for a swap, and asks no bridge", async () => {
    const body = await bodyOf({ from: one, paid: "WBTC", vault: vaultNamed("Plain USDC") });
    const { quote_type, estimate, reasons, route_options: options } = await api.quote(body);
    expect(quote_type).toBe("same_chain_swap");
    expect(Number(estimate.from_amount_usd)).toBeGreaterThan(100);
    expect(Number(estimate.price_impact)).toBeGreaterThan(0);
    expect(reasons).toEqual([]);
    expect(options[0]?.tags).toContain("one_transaction");
  });

  test("takes two steps when the vault requires the user as caller", async () => {
    const body = await bodyOf({ from: two, paid: "USDC", vault: vaultNamed("Members USDC") });
    const { route_options: options, estimate } = await api.quote(body);
    for (const { tags } of options) expect(tags).toContain("two_step");
    expect(estimate.min_shares).toBe(null);
  });

  test("returns the figures of the build", async () => {
    const body = await bodyOf({ from: two, paid: "WETH", vault: vaultNamed("Solid WETH") });
    const [quote, built] = [await api.quote(body), await api.build(body)];
    // A price that other tests have changed may reach the quote only, while it is reloaded for the build.
    const { slippage_applied: applied, from_amount_usd: _usd, ...figures } = built.estimate;
    expect(quote.estimate).toMatchObject(figures);
    expect(applied).toBeGreaterThan(0);
  });
});

describe("preferred_bridge", () => {
  const journey: Journey = { from: one, paid: "USDC", vault: vaultNamed("Remote USDC") };

  test("selects the preferred bridge", async () => {
    const built = await api.build({ ...(await bodyOf(journey)), preferred_bridge: "across" });
    expect(built.tracking.bridge).toBe("across");
  });

  test("falls back to a swap when the preferred bridge has no route", async () => {
    const swap: Journey = { ...journey, from: two, paid: "WBTC" };
    const built = await api.build({ ...(await bodyOf(swap)), preferred_bridge: "across" });
    expect(built.tracking.bridge).toBeNull();
  });

  test("refuses an unknown bridge", async () => {
    const body = { ...(await bodyOf(journey)), preferred_bridge: "relay" };
    expect((await api.send("/v1/quote/build", { body })).status).toBe(422);
  });
});

describe("requests of a build with warm caches", () => {
  /** More builds than can all be disturbed. */
  const BUILDS = 20;
  const rounds = new Rounds();
  const nodes: RpcProxy[] = [];
  let worker: SecondWorker;

  beforeAll(async () => {
    for (const { chainId } of [one, two]) nodes.push(await startRpcProxy(rpcEmulator(chainId), () => null));
    const rpc = { [one.chainId]: nodes[0]?.url ?? "", [two.chainId]: nodes[1]?.url ?? "" };
    worker = await startWorker({ rpc, redisPrefix: `rounds-${randomBytes(4).toString("hex")}` });
  });
  afterAll(async () => {
    await worker?.close();
    for (const node of nodes) await node.close();
  });

  const journeys: readonly [string, Journey][] = [
    ["one transaction across chains", { from: one, paid: "USDC", vault: vaultNamed("Remote USDC") }],
    ["one with a swap before", { from: one, paid: "WBTC", vault: vaultNamed("Remote USDC") }],
    ["one on one chain", { from: one, paid: "WETH", vault: vaultNamed("Plain USDC") }],
    ["two across chains", { from: two, paid: "USDC", vault: vaultNamed("Members USDC") }],
  ];

  test.each(journeys)("%s: two provider requests and three RPC rounds", async (_name, journey) => {
    const fresh = new Api(worker.origin);
    const body = await bodyOf(journey);
    await fresh.build(body);
    for (const node of nodes) node.rounds = rounds;
    const build = async () => {
      rounds.count = 0;
      const answer = await fresh.send("/v1/quote/build", { body });
      expect(answer.status, answer.text).toBe(200);
      // Both are asked for prices, one of them for the transaction.
      expect(requestsTo(answer, "provider")).toBeLessThanOrEqual(3);
      expect(rounds.count).toBeGreaterThan(1);
      return rounds.count;
    };
    // The fewest of some builds: a busy machine may send apart what belongs together, and a cached value may end.
    const counts: number[] = [];
    while (counts.length < BUILDS && Math.min(...counts) > 3) counts.push(await build());
    for (const node of nodes) node.rounds = null;
    expect(Math.min(...counts)).toBeLessThanOrEqual(3);
  });

  test("a direct deposit sends no provider request", async () => {
    const body = bodyFor(vaultNamed("Plain USDC"), { user: (await newMultiChainUser([one])).address });
    expect(requestsTo(await api.send("/v1/quote/build", { body }), "provider")).toBe(0);
  });
});
