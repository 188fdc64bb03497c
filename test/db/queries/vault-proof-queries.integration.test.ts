import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { type NewSnapshot, writeSnapshots } from "../../../src/db/queries/snapshot-queries.ts";
import { scheduleBrokenProofs } from "../../../src/db/queries/vault-proof-queries.ts";
import { snapshots } from "../../../src/db/tables/snapshot-tables.ts";
import { type VaultProof, vaults } from "../../../src/db/tables/vault-tables.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/durations.ts";

let causeway: TestDeployment;
const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const LATER = new Date(NOW + 20 * HOUR_MS);
const row = vaultRow({ number: 3 });
const one = eq(vaults.address, row.address);

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values(row);
});
afterAll(() => causeway?.close());

const sound: NewSnapshot = {
  ...{ chainId: CHAIN_ID, vaultAddress: row.address, blockNumber: 1, blockTime: new Date(NOW) },
  ...{ totalAssets: "1000", totalSupply: "1000", sharePrice: "1000000000000000000", maxDeposit: "50" },
  ...{ paused: false, liquidity: null, controls: {} },
};

/** Returns true if a snapshot makes the proof of a vault due whose last one was `provenMs` before. */
async function isDue(
  change: Partial<NewSnapshot>,
  { provenMs = 2 * HOUR_MS, soundMs = 60 * MINUTE_MS, due = LATER } = {},
): Promise<boolean> {
  const { db } = causeway.context();
  const proof: VaultProof = {
    ...{ ok: true, blockNumber: 1, at: new Date(NOW - provenMs).toISOString(), reason: "" },
    ...{ amount: null, shares: null, returned: null },
  };
  await causeway.db.update(vaults).set({ proof, status: "active", proofDueAt: due }).where(one);
  await causeway.db.delete(snapshots);
  await writeSnapshots(db, { readAt: new Date(NOW - soundMs), readings: [sound] });
  const readings = [{ ...sound, blockNumber: 2, ...change }];
  await writeSnapshots(db, { readAt: new Date(NOW), readings });
  await scheduleBrokenProofs(db, { at: new Date(NOW), readings });
  const [stored] = await causeway.db.select().from(vaults).where(one);
  return stored?.proofDueAt.getTime() === NOW;
}

test.each([
  ["total assets that can no longer be read", { totalAssets: null }],
  ["a share price that can no longer be read", { sharePrice: null }],
  ["a share price that fell by 4%", { sharePrice: "960000000000000000" }],
  ["no more room for deposits", { maxDeposit: "0" }],
])("scheduleBrokenProofs() makes a proof due: %s", async (_what, change) => {
  expect(await isDue(change)).toBe(true);
});

test("scheduleBrokenProofs() makes no proof due of a sound vault, nor again within an hour", async () => {
  expect(await isDue({})).toBe(false);
  expect(await isDue({ sharePrice: "980000000000000000", maxDeposit: null })).toBe(false);
  const gone = { totalAssets: null };
  expect(await isDue(gone, { provenMs: 59 * MINUTE_MS })).toBe(false);
  // What is lost for longer was proven since.
  expect(await isDue(gone, { soundMs: 90 * MINUTE_MS })).toBe(false);
  expect(await isDue(gone, { due: new Date(NOW + MINUTE_MS) })).toBe(false);
});
