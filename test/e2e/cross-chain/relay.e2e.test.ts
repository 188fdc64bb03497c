import { afterEach, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { completeDeposit, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const one = chainOf(chainIds.one);
const two = chainOf(chainIds.two);
const { lifi, across } = emulators();
const api = new Api();

/** LI.FI pays for orders of Relay from now on, whatever bridge it is asked for. */
async function answersWithRelay(): Promise<void> {
  const body = JSON.stringify({ quirks: ["relay_order"] });
  expect((await fetch(`${lifi}/__control`, { method: "POST", body })).status).toBe(200);
}
afterEach(() => fetch(`${lifi}/__control`, { method: "DELETE" }));

async function wish() {
  const journey = { from: two, paid: "USDC", vault: vaultNamed("Plain USDC") } as const;
  const traveller = await newMultiChainUser([one, two]);
  return { journey, traveller, body: await prepare(journey, traveller) };
}

test("Relay: an order is refused because the chain does not enforce its receiver, token and amount", async () => {
  await answersWithRelay();
  const { body } = await wish();
  const down = { emulators: [across], faults: [{ kind: "status", status: 503 } as const] };
  const refusal = await withFaults(down, () => api.refusal(body));
  expect(refusal).toMatchObject({ status: 502, code: "upstream_rejected" });
});

test("Relay: another provider's route is used and the reason returned", async () => {
  await answersWithRelay();
  const { journey, traveller, body } = await wish();
  const more = { ...body, preferred_bridge: "stargate" } as const;
  const quote = await api.quote(more);
  expect(quote.route_options[0]?.bridge).toBe("across");
  expect(quote.reasons.map(({ code }) => code)).toContain("upstream_rejected");
  const built = await api.build(more);
  expect(built.transaction_request.to).toBe(two.info.contracts.spoke_pool);
  const { shares } = await completeDeposit({ ...journey, traveller, built, style: "calls" });
  expect(shares).toBeGreaterThanOrEqual(BigInt(built.estimate.min_shares ?? "1"));
});
