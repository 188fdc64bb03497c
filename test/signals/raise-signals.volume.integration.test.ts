import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { writeIncidents } from "../../src/db/queries/signal-queries.ts";
import { signals } from "../../src/db/tables/signal-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { raiseSignals } from "../../src/signals/raise-signals.ts";

const VAULTS = 90;
const INCIDENTS = 30;
/** Text of one incident: of all together more than one response of the database may have, of 40 vaults less. */
const SUMMARY = "x".repeat(4_000);
const NOW = new Date();

const incidentOf = (vault: number, number: number): typeof signals.$inferSelect => ({
  signalId: `sig_${vault}_${number}`,
  incidentId: `inc_${vault}_${number}`,
  ruleId: "governance_change",
  chainId: CHAIN_ID,
  vaultAddress: vaultAddress(vault),
  subject: `control ${number}`,
  sequence: 0,
  tier: "medium",
  dimension: "trust",
  title: "A control changed",
  summary: SUMMARY,
  metrics: [],
  evidence: {},
  evolution: [],
  keys: ["one"],
  firstSeen: NOW,
  lastSeen: NOW,
  updateCount: 0,
  txHash: "0x01",
  blockNumber: 1,
});
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
  const rows = range(VAULTS).map((number) => ({ ...vaultRow({ number }), createdAt: new Date(0) }));
  await causeway.db.insert(vaults).values(rows);
  for (const vault of range(VAULTS)) {
    await writeIncidents(
      causeway.context().db,
      range(INCIDENTS).map((number) => incidentOf(vault, number)),
    );
  }
});
afterAll(() => causeway?.close());

test("raiseSignals() judges vaults that have more incidents together than one response may hold", async () => {
  expect(VAULTS * INCIDENTS * SUMMARY.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(await raiseSignals(causeway.context())).toMatchObject({ vaults: VAULTS, updated: 0 });
  expect(await causeway.db.$count(signals)).toBeGreaterThanOrEqual(VAULTS * INCIDENTS);
});
