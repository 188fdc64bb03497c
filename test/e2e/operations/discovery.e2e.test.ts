import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { z } from "zod";
import { type DiscoveredPurpose, HOSTILE_NAME } from "../../../scripts/stack/chains/vault-registers.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainIds, vaultNamed } from "../../support/e2e/chain.ts";
import { fireCron } from "../../support/e2e/cron.ts";
import { query } from "../../support/e2e/database.ts";
import { bodyFor } from "../../support/e2e/deposit.ts";

const api = new Api();
const CHAIN = chainIds.one;
const stack = inject("stack");
const headers = { authorization: `Bearer ${stack.admin_token}` };

const Record = z.object({
  vault_id: z.string(),
  name: z.string(),
  status: z.string(),
  status_reason: z.string(),
  provenance: z.object({ source: z.string(), detail: z.string() }),
  named_by: z.array(z.string()),
});

function registers() {
  const found = stack.chains.find(({ chain_id }) => chain_id === CHAIN)?.contracts.vault_registers;
  if (!found) throw new Error("the stack has no registers");
  return found;
}
const idOf = (purpose: DiscoveredPurpose) => `${CHAIN}:${registers().discovered[purpose].toLowerCase()}`;

/** Returns the request to deposit 100 USDC into a discovered vault. */
const depositInto = (purpose: DiscoveredPurpose) => ({
  ...bodyFor(vaultNamed("Plain USDC"), { user: "0x00000000000000000000000000000000000A11cE" }),
  vault_id: idOf(purpose),
});

/** Returns the registry's records of one state, as an administrator sees them. */
async function recordsOf(state: string): Promise<Map<string, z.infer<typeof Record>>> {
  const { json } = await api.send(`/v1/admin/vaults?state=${state}&limit=100`, { headers });
  return new Map(
    z
      .array(Record)
      .parse(json)
      .map((record) => [record.vault_id, record]),
  );
}

const FOUND = "provenance ->> 'source' in ('factory', 'list')";

/** Proves what was found or claimed, before the stack's own vaults, which are due too. */
async function proveFound(): Promise<void> {
  await query(`update vaults set proof_due_at = '2000-01-01' where ${FOUND}`);
  const unproven = async (): Promise<unknown> => {
    await fireCron("* * * * *");
    const [row] = await query(`select count(*)::int as left from vaults where ${FOUND} and proof is null`);
    return row?.["left"];
  };
  // The cron trigger queues the proofs. A run that ends before all are made leaves the rest to the next trigger, which
  // the platform fires every minute.
  await vi.waitFor(async () => expect(await unproven()).toBe(0), { timeout: 240_000, interval: 10_000 });
}

/** Waits until the registers of the first chain are read, which the cron trigger only queues. */
async function discovered(): Promise<void> {
  const all = Object.keys(registers().discovered).length;
  const found = async (): Promise<unknown> => {
    const made = "provenance ->> 'source' = 'factory'";
    const [row] = await query(
      `select count(*)::int as found from vaults where chain_id = ${CHAIN} and ${made}`,
    );
    return row?.["found"];
  };
  await vi.waitFor(async () => expect(await found()).toBeGreaterThanOrEqual(all), {
    ...{ timeout: 120_000, interval: 1_000 },
  });
}

beforeAll(async () => {
  await fireCron("*/5 * * * *");
  await discovered();
  await proveFound();
});

describe("discovery on the local stack", () => {
  test("finds the vaults of every register with their provenance", async () => {
    const states = await Promise.all(["candidate", "refused", "active"].map(recordsOf));
    const found = new Map(states.flatMap((records) => [...records]));
    for (const purpose of Object.keys(registers().discovered) as DiscoveredPurpose[])
      expect(found.get(idOf(purpose)), purpose).toMatchObject({
        provenance: { source: "factory" },
        named_by: [expect.stringMatching(/^register:0x/)],
      });
  });

  test("opens the good one alone, under the name of its protocol and asset", async () => {
    const shown = async () =>
      (await api.vaults("?limit=500")).find(({ vault_id }) => vault_id === idOf("good")) ?? null;
    // Lists follow a change of the registry within a minute.
    await expect
      .poll(shown, { interval: 1_000 })
      .toMatchObject({ name: "Local Lending USDC", family: "fluid", proof: { ok: true } });
    await api.build(depositInto("good"));
  });

  test.each<[DiscoveredPurpose, string, RegExp]>([
    ["pays_less", "refused", /returns much less than the deposit/],
    ["full_fee", "refused", /pays none of the vault's asset|returns much less than the deposit/],
    [
      "blacklists",
      "candidate",
      /^neither a factory that its protocol governs nor a public list of vaults includes the vault$/,
    ],
    [
      "unvouched",
      "candidate",
      /^neither a factory that its protocol governs nor a public list of vaults includes the vault$/,
    ],
    ["small", "candidate", /^its total assets are below the operator's minimum$/],
    ["one_key", "candidate", /^its code can be replaced, and nobody pinned implementation:0x/],
  ])("keeps the vault %s out as %s, with the reason", async (purpose, state, reason) => {
    expect((await recordsOf(state)).get(idOf(purpose))?.status_reason).toMatch(reason);
    expect((await api.send(`/v1/vaults/${idOf(purpose)}`)).status).toBe(404);
    expect(await api.refusal(depositInto(purpose))).toMatchObject({ status: 404, code: "vault_not_found" });
  });

  test("refuses claims that the chain contradicts, each with the finding", async () => {
    const refused = await recordsOf("refused");
    const reasons = registers().wrong.map(
      ({ address }) => refused.get(`${CHAIN}:${address.toLowerCase()}`)?.status_reason,
    );
    expect(reasons).toEqual([
      expect.stringMatching(/^the contract is not a vault of Silo: /),
      "on-chain data shows a vault of type euler, not silo",
      expect.stringMatching(/^its asset on chain is /),
      "the contract is not an ERC-4626 vault",
    ]);
  });

  test("shows no name of a stranger on any page, nor in the records", async () => {
    const paths = ["/v1/vaults?limit=500", "/v1/tokens", "/v1/intel/activity", "/docs", "/openapi.json"];
    for (const path of paths) expect((await api.send(path)).text).not.toContain(HOSTILE_NAME);
    for (const state of ["candidate", "refused", "active"])
      for (const { name } of (await recordsOf(state)).values()) expect(name).not.toContain("FREE");
  });
});
