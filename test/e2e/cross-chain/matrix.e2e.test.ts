import { describe, expect, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultsFor } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, withFaults } from "../../support/e2e/faults.ts";
import { mapConcurrently } from "../../support/e2e/map-concurrently.ts";
import {
  completeDeposit,
  type Journey,
  type MultiChainUser,
  newMultiChainUser,
  type Paid,
  prepare,
  sharesAsBuilt,
} from "../../support/e2e/transfer.ts";

type ProviderName = "across" | "lifi";
interface Planned {
  journey: Journey;
  traveller: MultiChainUser;
  built: SentDeposit;
}

const api = new Api();
const chains = [chainOf(chainIds.one), chainOf(chainIds.two)];
const paid: readonly Paid[] = ["USDC", "USDT", "WETH", "WBTC", "ETH"];
const AT_ONCE = 6;

/** Every way into the vaults from every token of every chain, but for those that need nobody. */
function journeysInto(vaults: readonly StackVault[]): Journey[] {
  const all = vaults.flatMap((vault) =>
    chains.flatMap((from) => paid.map((one): Journey => ({ from, paid: one, vault }))),
  );
  return all.filter(({ from, paid: one, vault }) => from.chainId !== vault.chain_id || !isAsset(one, vault));
}

const isAsset = (one: Paid, { asset_symbol: symbol, scenario }: StackVault): boolean =>
  one === symbol || (one === "ETH" && symbol === "WETH" && scenario !== "caller");

/** Across moves an asset into itself, between chains. */
const serves: Record<ProviderName, (journey: Journey) => boolean> = {
  lifi: () => true,
  across: ({ from, paid: one, vault }) => from.chainId !== vault.chain_id && isAsset(one, vault),
};

/** What only a request with a call to the Router contains. */
const CALLS: Record<ProviderName, string> = {
  lifi: "contractCalls",
  across: chainOf(chainIds.one).info.contracts.deposit_router.slice(2).toLowerCase(),
};

/** The other provider is down; for two steps, the one that is left refuses calls and nothing else. */
function plansFor(provider: ProviderName, steps: 1 | 2): [string, FaultInput][] {
  const { lifi, across } = emulators();
  const down: FaultInput = { kind: "status", status: 503 };
  const [own, other] = provider === "lifi" ? [lifi, across] : [across, lifi];
  const refusing: FaultInput = { kind: "status", status: 404, match: CALLS[provider] };
  const plan: [string, FaultInput][] = [[other, down]];
  return steps === 1 ? plan : [...plan, [own, refusing]];
}

async function underFaults<T>(plans: [string, FaultInput][], work: () => Promise<T>): Promise<T> {
  const [plan, ...rest] = plans;
  if (plan === undefined) return work();
  const [emulator, fault] = plan;
  return withFaults({ emulators: [emulator], faults: [fault] }, () => underFaults(rest, work));
}

/** Builds a journey with the money at hand; a refusal names the journey. */
async function plan(journey: Journey): Promise<Planned> {
  const traveller = await newMultiChainUser(chains);
  const body = await prepare(journey, traveller);
  const answer = await api.send("/v1/quote/build", { body });
  const { from, paid: one, vault } = journey;
  expect(answer.status, `${one} on ${from.chainId} into ${vault.name}: ${answer.text}`).toBe(200);
  return { journey, traveller, built: answer.json as SentDeposit };
}

/** Whose contract the first transaction calls. */
function providerOf({ journey, built }: Planned): ProviderName {
  const { contracts } = journey.from.info;
  return built.transaction_request.to === contracts.spoke_pool ? "across" : "lifi";
}

/** Within 0.1 %. */
function expectClose(seen: bigint, { to, name }: { to: bigint; name: string }): void {
  const difference = seen > to ? seen - to : to - seen;
  expect(difference * 1_000n, name).toBeLessThanOrEqual(to);
}

async function executeAll(journeys: readonly Journey[], way: { provider: ProviderName; steps: 1 | 2 }) {
  const planned = await underFaults(plansFor(way.provider, way.steps), () =>
    mapConcurrently(journeys, { atOnce: AT_ONCE, work: plan }),
  );
  for (const one of planned) {
    const { from, paid: token, vault } = one.journey;
    const name = `${token} on ${from.chainId} into ${vault.name}`;
    expect([providerOf(one), one.built.two_step], name).toEqual([way.provider, way.steps === 2]);
  }
  const execute = async ({ journey, traveller, built }: Planned, index: number) => {
    const style = index % 2 === 0 ? "calls" : "approval";
    const { arrived, shares } = await completeDeposit({ ...journey, traveller, built, style });
    expectClose(shares, { to: sharesAsBuilt(built), name: journey.vault.name });
    // On one chain, native money also pays for gas.
    if (arrived !== null && built.deposit_tx?.approval != null) {
      expectClose(arrived, { to: BigInt(built.estimate.deposit_amount), name: journey.vault.name });
    }
  };
  await mapConcurrently(planned, { atOnce: AT_ONCE, work: execute });
  return planned.length;
}

describe("deposits of every token from every chain into every vault mint all shares", () => {
  const honest = journeysInto(vaultsFor("honest"));
  const callers = journeysInto(vaultsFor("caller"));

  test.each([
    ["lifi", 1, honest],
    ["lifi", 2, honest],
    ["lifi", 2, callers],
    ["across", 1, honest],
    ["across", 2, honest],
    ["across", 2, callers],
  ] as const)("by %s in %i transactions", async (provider, steps, journeys) => {
    const served = journeys.filter(serves[provider]);
    expect(await executeAll(served, { provider, steps })).toBe(served.length);
  });
});
