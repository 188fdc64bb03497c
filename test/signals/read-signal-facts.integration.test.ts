import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultOf, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { snapshotSteps } from "../../src/db/queries/snapshot-queries.ts";
import { flowCoverage, flows, flowTips } from "../../src/db/tables/flow-tables.ts";
import { snapshots } from "../../src/db/tables/snapshot-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { readFacts } from "../../src/signals/read-signal-facts.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.now();
/** One vault for each way to settle: both instantly, withdrawals by request, both by request; and one of Mellow. */
const SETTLED = [
  { number: 1, adapter: "erc4626" },
  { number: 2, adapter: "upshift" },
  { number: 3, adapter: "lagoon" },
  { number: 4, adapter: "mellow" },
];
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(flowTips).values({ chainId: CHAIN_ID, span: 1, finalBlock: 990, headBlock: 999 });
  for (const settled of SETTLED) {
    const row = vaultRow(settled);
    const own = { chainId: CHAIN_ID, vaultAddress: row.address };
    await causeway.db.insert(vaults).values(row);
    await causeway.db.insert(flowCoverage).values({ ...own, startBlock: 0, followedFrom: 0 });
    const snapshot = (hoursAgo: number, step: number) => {
      const at = new Date(NOW - hoursAgo * HOUR_MS);
      const state = { totalAssets: "1000", totalSupply: "1000", sharePrice: "1", maxDeposit: null };
      return {
        ...{ ...own, ...state, step, at, blockTime: at, blockNumber: 900 - hoursAgo },
        ...{ paused: false, liquidity: null, controls: {} },
      };
    };
    const hourly = [25, 1].map((hours) => snapshot(hours, snapshotSteps.hour));
    const daily = [73, 49, 25].map((hours) => snapshot(hours, snapshotSteps.day));
    await causeway.db.insert(snapshots).values([...hourly, ...daily, snapshot(1, snapshotSteps.fine)]);
    const flow = (blockNumber: number, assets: string) => ({
      ...{ ...own, txHash: `0x${settled.number}${blockNumber}`, logIndex: 0, userAddress: "0x01", assets },
      ...{ kind: "deposit" as const, shares: null, blockNumber, blockHash: "0x", final: true },
    });
    await causeway.db.insert(flows).values([flow(840, "30"), flow(890, "70")]);
  }
});
afterAll(() => causeway?.close());

test("flows are facts only where a vault's total assets follow them", async () => {
  const examined = SETTLED.map((settled) => ({ vault: vaultOf(settled), addedAt: 0 }));
  const facts = await readFacts(causeway.context(), { vaults: examined, changes: [], events: new Map() });
  const found = examined.map(({ vault }) => {
    const own = facts.get(vault.vaultId);
    return {
      adapter: vault.adapter,
      day: own?.dayFlows?.inflow ?? null,
      indexed: own?.indexedDay?.inflow ?? null,
      earlier: own?.flowDays.map(({ inflow }) => inflow),
    };
  });
  expect(found).toEqual([
    { adapter: "erc4626", day: 70n, indexed: 70n, earlier: [30n, 0n] },
    // Assets leave the vault before its withdrawal is counted.
    { adapter: "upshift", day: 70n, indexed: null, earlier: [30n, 0n] },
    // A deposit is counted when it is claimed, long after it was settled.
    { adapter: "lagoon", day: null, indexed: null, earlier: [] },
    // Only the queues of one token are indexed.
    { adapter: "mellow", day: null, indexed: null, earlier: [] },
  ]);
});
