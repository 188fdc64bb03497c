import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { sumNetFlows } from "../../../src/db/queries/snapshot-queries.ts";
import { selectFlowFacts } from "../../../src/db/queries/vault-fact-queries.ts";
import { flowCoverage, flows, flowTips } from "../../../src/db/tables/flow-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";

const VAULT = vaultAddress(7);
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values(vaultRow({ number: 7 }));
  await causeway.db.insert(flowTips).values({ chainId: CHAIN_ID, span: 1, finalBlock: 90, headBlock: 99 });
  await causeway.db
    .insert(flowCoverage)
    .values({ chainId: CHAIN_ID, vaultAddress: VAULT, startBlock: 0, followedFrom: 0 });
});
afterAll(() => causeway?.close());

const flow = (blockNumber: number, of: { assets: string | null; requestId?: string; cancels?: true }) => ({
  ...{ chainId: CHAIN_ID, txHash: `0x${blockNumber}`, logIndex: 0, vaultAddress: VAULT, userAddress: "0x01" },
  kind:
    of.cancels || !(of.assets === null || of.assets.startsWith("-"))
      ? ("deposit" as const)
      : ("withdrawal" as const),
  ...{ assets: of.assets, shares: null, requestId: of.requestId ?? null },
  ...{ blockNumber, blockHash: "0x", final: true },
});

test("a redemption request counts for the vault when it is paid, and not again when it is made", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(flows).values([
    flow(10, { assets: "100" }),
    flow(11, { assets: "-40", requestId: "1" }),
    flow(12, { assets: "-30", requestId: "2" }),
    flow(13, { assets: null, requestId: "2", cancels: true }),
    // What the solver of the first request redeems.
    flow(20, { assets: "-41" }),
  ]);
  const own = { chainId: CHAIN_ID, vaultAddress: VAULT };
  const asked = {
    vaults: [{ ...own, afterBlock: 9 }],
    spans: [
      { ...own, afterBlock: 9, toBlock: 19 },
      { ...own, afterBlock: 9, toBlock: 20 },
      { ...own, afterBlock: 20, toBlock: 30 },
    ],
  };
  const { largest, sums } = await selectFlowFacts(db, asked);
  expect(largest.map(({ txHash, assets }) => [txHash, assets])).toEqual([
    ["0x10", 100n],
    ["0x20", -41n],
  ]);
  expect(largest[0]).toMatchObject({ inflow: 100n, outflow: 41n, unknown: 0 });
  expect(sums).toMatchObject([
    { inflow: 100n, outflow: 0n, largestWithdrawal: 0n },
    { inflow: 100n, outflow: 41n, largestWithdrawal: 41n },
    { inflow: 0n, outflow: 0n },
  ]);
  expect(await sumNetFlows(db, { ...own, blocks: [9, 19, 20] })).toEqual(["100", "-41"]);

  // No event of the vault states what is paid for this request.
  await causeway.db.insert(flows).values([flow(21, { assets: null, requestId: "3" })]);
  const unknown = await selectFlowFacts(db, asked);
  expect(unknown.largest[0]).toMatchObject({ unknown: 1 });
  expect(unknown.sums.map(({ index }) => index)).toEqual([0, 1]);
  expect(await sumNetFlows(db, { ...own, blocks: [20, 30] })).toEqual([null]);
});

test("a deposit request makes the vault's sum unknown, because its approval has no flow", async () => {
  const { db } = causeway.context();
  await causeway.db.insert(flows).values([flow(32, { assets: "100", requestId: "deposit:1" })]);
  const own = { chainId: CHAIN_ID, vaultAddress: VAULT };
  expect(await sumNetFlows(db, { ...own, blocks: [30, 31, 33] })).toEqual(["0", null]);
  const spans = [{ ...own, afterBlock: 30, toBlock: 33 }];
  const { largest, sums } = await selectFlowFacts(db, { vaults: [{ ...own, afterBlock: 30 }], spans });
  expect(largest).toMatchObject([{ txHash: "0x32", assets: 0n, unknown: 1 }]);
  expect(sums).toEqual([]);
});

test("deposits do not hide a withdrawal among the largest flows", async () => {
  const { db } = causeway.context();
  const deposited = Array.from({ length: 6 }, (_, n) => flow(40 + n, { assets: `${50 + n}` }));
  await causeway.db.insert(flows).values([...deposited, flow(50, { assets: "-45" })]);
  const vaults = [{ chainId: CHAIN_ID, vaultAddress: VAULT, afterBlock: 39 }];
  const { largest } = await selectFlowFacts(db, { vaults, spans: [] });
  expect(largest.map(({ assets }) => assets)).toEqual([55n, 54n, 53n, 52n, 51n, -45n]);
});

test("a vault counts only from where its flows are stored, up to the tip", async () => {
  await causeway.db.delete(flows);
  const { db } = causeway.context();
  const own = { chainId: CHAIN_ID, vaultAddress: VAULT };
  const known = async (coverage: Partial<typeof flowCoverage.$inferInsert>) => {
    await causeway.db.update(flowCoverage).set({ startBlock: 0, done: [], ...coverage });
    const vaults = [9, 49, 79].map((afterBlock) => ({ ...own, afterBlock }));
    const spans = vaults.map((vault) => ({ ...vault, toBlock: 95 }));
    const { sums } = await selectFlowFacts(db, { vaults, spans });
    return sums.map(({ index }) => spans[index]?.afterBlock);
  };
  // Until the tip is followed again, after a change of the family's events for example.
  expect(await known({ followedFrom: null })).toEqual([]);
  expect(await known({ followedFrom: null, startBlock: 95 })).toEqual([]);
  expect(await known({ followedFrom: 50 })).toEqual([49, 79]);
  expect(await known({ followedFrom: 50, done: [{ from: 30, to: 49 }] })).toEqual([49, 79]);
  expect(await known({ followedFrom: 50, done: [{ from: 5, to: 49 }] })).toEqual([9, 49, 79]);
  expect(await known({ followedFrom: 50, startBlock: 40, done: [{ from: 40, to: 49 }] })).toEqual([
    9, 49, 79,
  ]);
});
