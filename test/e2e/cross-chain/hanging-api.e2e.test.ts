import { beforeAll, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, type FaultInput, HANG_MS, rpcEmulator, withFaults } from "../../support/e2e/faults.ts";
import { type Journey, type MultiChainUser, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();
const chains = [chainOf(chainIds.one), chainOf(chainIds.two)] as const;
const journey = { from: chains[0], paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
const direct = { ...journey, from: chains[1] };
const travellers: MultiChainUser[] = [];
const HANG: FaultInput = { kind: "timeout" };
const { lifi, across, neon } = emulators();
const nodes = chains.map(({ chainId }) => rpcEmulator(chainId));

/** What was read once is at hand; what hangs then is what a build cannot do without. */
beforeAll(async () => {
  for (const way of [journey, direct]) await api.build(await prepare(way, await newMultiChainUser(chains)));
});

test.each([
  ["the database", [neon], ["503 store_unavailable"]],
  ["every node", nodes, ["504 upstream_timeout", "502 upstream_unavailable"]],
  ["both APIs", [lifi, across], ["504 upstream_timeout"]],
])(
  "timeout: while %s hangs a build is refused in time and leaves no record",
  async (what, hanging, codes) => {
    const ways = what === "both APIs" ? [journey] : [journey, direct];
    await withFaults({ emulators: hanging, faults: [HANG] }, async () => {
      await Promise.all(ways.map((way) => expectRefusal(way, codes)));
    });
    for (const { address } of travellers) expect(await api.deposits(address)).toEqual([]);
  },
);

async function expectRefusal(way: Journey, codes: readonly string[]): Promise<void> {
  const traveller = await newMultiChainUser(chains);
  travellers.push(traveller);
  const body = await prepare(way, traveller);
  const headers = { "idempotency-key": traveller.address };
  const startedAt = performance.now();
  const answer = await api.send("/v1/quote/build", { body, headers });
  expect(performance.now() - startedAt).toBeLessThan(HANG_MS);
  expect(codes).toContain(`${answer.status} ${(answer.json as { code: string }).code}`);
}
