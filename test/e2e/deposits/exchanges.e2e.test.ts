import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import { advanceTime } from "../../../scripts/stack/chains/anvil.ts";
import { decodeRouterCall, routerSelf } from "../../../src/router/router-codec.ts";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed, withChainRestored } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { completeDeposit, type Journey, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();
const one = chainOf(chainIds.one);
const { lifi, swaps } = emulators();
const into = vaultNamed("Plain USDC");
const journeys: readonly Journey["paid"][] = ["WETH", "ETH"];
const dead: readonly FaultInput[] = [{ kind: "status", status: 503 }];

async function start(paid: Journey["paid"]) {
  const journey: Journey = { from: one, paid, vault: into };
  const traveller = await newMultiChainUser([one]);
  return { journey, traveller, body: await prepare(journey, traveller) };
}

/** The providers of all options that a quote lists. */
async function offeredFor(body: BuildBody): Promise<(string | null)[]> {
  return (await api.quote(body)).route_options.map(({ provider }) => provider);
}

describe("a swap on one chain is offered by LI.FI and by KyberSwap", () => {
  test("as two options that the provider tells apart, with the higher output tagged", async () => {
    const { route_options: options, reasons } = await api.quote((await start("WETH")).body);
    expect(options.map(({ provider, bridge }) => [provider, bridge])).toEqual([
      ["lifi", null],
      ["kyber", null],
    ]);
    const outputs = options.map(({ to_amount }) => BigInt(to_amount));
    const best = outputs.reduce((a, b) => (a > b ? a : b));
    for (const [index, { tags }] of options.entries())
      expect(tags.includes("best_output")).toBe(outputs[index] === best);
    expect(reasons).toEqual([]);
  });

  test("and neither is a bridge", async () => {
    const { json } = await api.send("/v1/bridges");
    expect(JSON.stringify(json)).not.toContain("kyber");
  });

  test("with three requests to nodes for a build, as without KyberSwap", async () => {
    const count = async () => {
      const { body } = await start("WETH");
      return requestsTo(await api.send("/v1/quote/build", { body }), "rpc");
    };
    // One of two builds may read the gas price again, which is cached for ten seconds.
    const least = async () => Math.min(await count(), await count());
    await count();
    const [both, alone] = [await least(), await withFaults({ emulators: [swaps], faults: dead }, least)];
    expect(both).toBe(alone);
    expect(both).toBeLessThanOrEqual(3);
  });
});

describe("LI.FI is down", () => {
  test.each(journeys)(
    "a deposit in %s goes through the Router and KyberSwap, and the user signs the second step",
    async (paid) => {
      const { journey, traveller, body } = await start(paid);
      const built = await withFaults({ emulators: [lifi], faults: dead }, () => api.build(body));
      expect(built).toMatchObject({ two_step: true, tracking: { bridge: null } });
      // KyberSwap would count what others pay the user meanwhile, so only the Router calls it.
      const { kyber_router: target, deposit_router: router } = one.info.contracts;
      expect(built.transaction_request.to).toBe(router);
      expect(built.approval?.spender_address ?? null).toBe(paid === "ETH" ? null : router);
      const { steps } = decodeRouterCall(built.transaction_request.data as Hex);
      expect(steps).toMatchObject([{ target, patches: [{ token: routerSelf }] }]);
      const { hash, shares } = await completeDeposit({ ...journey, traveller, built, style: "approval" });
      expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
      await expect.poll(async () => (await api.status(hash, one.chainId)).substatus).toBe("COMPLETED");
    },
  );

  test("a swap in simple mode, whose pools pay KyberSwap's router itself, is refused", async () => {
    const { body } = await start("WBTC");
    const refused = await withFaults({ emulators: [lifi], faults: dead }, () => api.refusal(body));
    // Another amount does not help, but LI.FI may answer later.
    expect(refused.code).toBe("upstream_unavailable");
  });

  test("also where refunds have moved the chain's clock past the deadline of KyberSwap", async () => {
    const { body } = await start("WETH");
    await withChainRestored(one, async () => {
      await advanceTime(one.rpcUrl, 1_500);
      const built = await withFaults({ emulators: [lifi], faults: dead }, () => api.build(body));
      expect(built.transaction_request.to).toBe(one.info.contracts.deposit_router);
    });
  });

  test.each<[string, FaultInput, number, string]>([
    ["pays an attacker", { kind: "hostile", match: "/build" }, 502, "upstream_rejected"],
    ["is down too", { kind: "status", status: 503 }, 502, "upstream_unavailable"],
    ["has renamed its fields", { kind: "drift" }, 502, "upstream_rejected"],
    ["answers a web page", { kind: "html" }, 502, "upstream_unavailable"],
    ["answers half", { kind: "truncate" }, 502, "upstream_unavailable"],
    ["limits us", { kind: "status", status: 429 }, 502, "upstream_unavailable"],
  ])("and KyberSwap %s: the build is refused", async (_name, fault, status, code) => {
    const { body } = await start("WETH");
    const refused = await withFaults({ emulators: [lifi], faults: dead }, () =>
      withFaults({ emulators: [swaps], faults: [fault] }, () => api.refusal(body)),
    );
    // An outage that a customer cannot act on; which of the two is reported depends on the kind.
    expect([refused.status, refused.code]).toEqual([status, code]);
    // A rate limit holds for a second.
    await expect.poll(() => offeredFor(body)).toContain("kyber");
  });
});

describe("KyberSwap fails", () => {
  test.each<[string, FaultInput]>([
    ["is down", { kind: "status", status: 500 }],
    ["pays an attacker", { kind: "hostile" }],
    ["answers garbage", { kind: "malformed" }],
    ["has renamed its fields", { kind: "drift" }],
    ["never answers", { kind: "timeout" }],
  ])("%s: the deposit goes through LI.FI", async (_name, fault) => {
    const { body } = await start("WETH");
    const built = await withFaults({ emulators: [swaps], faults: [fault] }, () => api.build(body));
    expect(built.two_step).toBe(false);
  });
});
