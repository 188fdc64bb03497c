import { expect, test } from "vitest";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { chainIds, chainOf, vaultNamed } from "../../support/e2e/chain.ts";
import { emulators, withFaults } from "../../support/e2e/faults.ts";
import { completeDeposit, newMultiChainUser, prepare } from "../../support/e2e/transfer.ts";

const api = new Api();
const from = chainOf(chainIds.one);
const chains = [from, chainOf(chainIds.two)];
const journey = { from, paid: "USDC", vault: vaultNamed("Remote Prime USDC") } as const;
const { lifi, across } = emulators();
const { lifi_diamond: diamond, spoke_pool: pool } = from.info.contracts;

type Change = "missing" | "null" | "number_for_string" | "string_for_number" | "extra";

/** Builds while these services have changed their answers so. */
async function buildUnder(change: Change, changed: readonly string[]) {
  const traveller = await newMultiChainUser(chains);
  const body = await prepare(journey, traveller);
  const plan = { emulators: changed, faults: [{ kind: "drift", change } as const] };
  return withFaults(plan, async () => ({ answer: await api.send("/v1/quote/build", { body }), traveller }));
}

test.each<Change>(["missing", "null", "string_for_number"])(
  "schema drift (%s): one provider loses its routes, both return an error code",
  async (change) => {
    for (const [changed, target] of [
      [lifi, pool],
      [across, diamond],
    ] as const) {
      const { answer } = await buildUnder(change, [changed]);
      expect(answer.status, answer.text).toBe(200);
      expect((answer.json as SentDeposit).transaction_request.to).toBe(target);
    }
    const { answer, traveller } = await buildUnder(change, [lifi, across]);
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([502, "upstream_rejected"]);
    expect(await api.deposits(traveller.address)).toEqual([]);
  },
);

// Across itself writes integers both ways.
test("schema drift: numbers in place of strings remove LI.FI's routes and are read exactly for Across", async () => {
  const [changed, usual] = [await buildUnder("number_for_string", [lifi, across]), await prepared()];
  expect(changed.answer.status, changed.answer.text).toBe(200);
  const built = changed.answer.json as SentDeposit;
  expect(built.transaction_request.to).toBe(pool);
  expect(built.estimate.to_amount_min).toBe((await api.build(usual)).estimate.to_amount_min);
});

const prepared = async () => prepare(journey, await newMultiChainUser(chains));

test("schema drift: unknown fields are ignored", async () => {
  const { answer, traveller } = await buildUnder("extra", [lifi, across]);
  expect(answer.status, answer.text).toBe(200);
  await completeDeposit({ ...journey, traveller, built: answer.json as SentDeposit, style: "calls" });
});
