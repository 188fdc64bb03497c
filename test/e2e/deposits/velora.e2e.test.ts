import { describe, expect, test } from "vitest";
import { Api, type BuildBody } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { completeDeposit, type Journey, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();
// KyberSwap does not serve this chain, as it does not serve Gnosis.
const two = chainOf(chainIds.two);
const { lifi, velora } = emulators();
const into = vaultNamed("Remote USDC");
const dead: readonly FaultInput[] = [{ kind: "status", status: 503 }];

async function start(paid: Journey["paid"]) {
  const journey: Journey = { from: two, paid, vault: into };
  const traveller = await newMultiChainUser([two]);
  return { journey, traveller, body: await prepare(journey, traveller) };
}

/** The providers of all options that a quote lists. */
async function offeredFor(body: BuildBody): Promise<(string | null)[]> {
  return (await api.quote(body)).route_options.map(({ provider }) => provider);
}

test("a swap on a chain without KyberSwap is offered by LI.FI and by Velora", async () => {
  const { body } = await start("WETH");
  expect((await offeredFor(body)).toSorted()).toEqual(["lifi", "velora"]);
  expect((await api.quote(body)).reasons).toEqual([]);
});

describe("LI.FI is down", () => {
  test.each<Journey["paid"]>(["WETH", "ETH"])(
    "a deposit in %s goes through Velora, and the user signs the second step",
    async (paid) => {
      const { journey, traveller, body } = await start(paid);
      const built = await withFaults({ emulators: [lifi], faults: dead }, () => api.build(body));
      expect(built).toMatchObject({ two_step: true, tracking: { bridge: null } });
      const { velora_router: router } = two.info.contracts;
      expect(built.transaction_request.to).toBe(router);
      expect(built.approval?.spender_address ?? null).toBe(paid === "ETH" ? null : router);
      const { hash, shares } = await completeDeposit({ ...journey, traveller, built, style: "approval" });
      expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
      await expect.poll(async () => (await api.status(hash, two.chainId)).substatus).toBe("COMPLETED");
    },
  );

  test.each<[string, FaultInput, string]>([
    ["pays an attacker", { kind: "hostile", match: "/swap" }, "upstream_rejected"],
    ["is down too", { kind: "status", status: 503 }, "upstream_unavailable"],
    ["has renamed its fields", { kind: "drift" }, "upstream_rejected"],
  ])("and Velora %s: the build is refused", async (_name, fault, code) => {
    const { body } = await start("WETH");
    const refused = await withFaults({ emulators: [lifi], faults: dead }, () =>
      withFaults({ emulators: [velora], faults: [fault] }, () => api.refusal(body)),
    );
    expect([refused.status, refused.code]).toEqual([502, code]);
  });
});

test("Velora is down: the deposit goes through LI.FI", async () => {
  const { body } = await start("WETH");
  const built = await withFaults({ emulators: [velora], faults: dead }, () => api.build(body));
  expect(built.two_step).toBe(false);
});
