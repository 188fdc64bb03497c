import { afterAll, beforeAll, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import type { FlowRow } from "../../src/db/queries/flow-queries.ts";
import { databaseStore, type StoreUnderTest } from "../support/flows/database-store.ts";

let deployment: TestDeployment;
let tested: StoreUnderTest;
beforeAll(async () => {
  deployment = await startTestDeployment();
  tested = await databaseStore(deployment.context().db);
  await tested.setVaults([vaultRow({ number: 0 })]);
});
afterAll(() => deployment?.close());

const BLOCK_HASH = `0x${"b".repeat(64)}`;
const flow = (logIndex: number, of: Partial<FlowRow> = {}): FlowRow => ({
  ...{ chainId: CHAIN_ID, txHash: `0x${"a".repeat(64)}`, logIndex, vaultAddress: vaultAddress(0) },
  ...{
    userAddress: "0x00000000000000000000000000000000000a0001",
    kind: "deposit",
    assets: null,
    shares: "7",
  },
  ...{
    requestId: null,
    blockNumber: 5,
    blockHash: BLOCK_HASH,
    final: true,
    conversionTries: 0,
    conversionTriedAt: null,
  },
  ...of,
});
const described = async () =>
  (await tested.rows())
    .sort((a, b) => a.logIndex - b.logIndex)
    .map(({ logIndex, assets, conversionTries }) => [logIndex, assets, conversionTries]);
const open = async (limit = 9) => (await tested.store.unconverted(limit)).map(({ logIndex }) => logIndex);

test("amounts of final flows are converted, tried five times at most, and never overwritten", async () => {
  const { version } = (await tested.store.load()).tip;
  const block = { number: 9, hash: BLOCK_HASH };
  const rows = [
    flow(1),
    flow(2, { blockNumber: 6 }),
    flow(3, { assets: "30" }),
    flow(4, { shares: null, blockNumber: 4 }),
    flow(5, { final: false }),
    flow(6, { shares: null, requestId: "1", blockNumber: 4 }),
  ];
  await tested.store.applyTip({
    ...{
      chainId: CHAIN_ID,
      version,
      run: "run",
      from: 0,
      final: block,
      span: 40,
      movedAt: new Date(0),
      rows,
    },
    ...{ head: { ...block, time: new Date(0) }, vaults: [vaultAddress(0)] },
  });
  // The newest first; not what is known, what ended a request, and what a reorg may still change.
  expect([await open(), await open(1)]).toEqual([[2, 1, 4], [2]]);
  const last = flow(4, { shares: null, assets: "44" });

  const note = (tried: readonly FlowRow[], failed: readonly FlowRow[] = []) =>
    tested.store.noteConversions({ tried, failed, at: new Date(1) });
  await note([flow(1, { assets: "11" }), flow(2, { blockHash: `0x${"c".repeat(64)}` })]);
  await note([flow(1, { assets: "99" }), flow(3, { assets: "99" }), flow(5, { assets: "99" })]);
  await note([last], [flow(1, { assets: "99" }), flow(2)]);
  expect(await described()).toEqual([
    [1, "11", 1],
    [2, null, 0],
    [3, "30", 0],
    [4, "44", 1],
    [5, null, 0],
    [6, null, 0],
  ]);

  for (let tries = 1; tries <= 5; tries += 1) {
    expect(await open()).toEqual([2]);
    await note([flow(2)]);
  }
  expect([await open(), (await described())[1]]).toEqual([[], [2, null, 5]]);
});

test("flows that were tried longest ago come first, and those that were never tried before them", async () => {
  const { version } = (await tested.store.load()).tip;
  const block = { number: 9, hash: BLOCK_HASH };
  const step = {
    chainId: CHAIN_ID,
    version,
    run: "run2",
    from: 0,
    final: block,
    span: 40,
    movedAt: new Date(0),
  };
  const rows = [11, 12, 13, 14].map((index) => flow(index, { blockNumber: index - 5 }));
  await tested.store.applyTip({
    ...{ ...step, rows, head: { ...block, time: new Date(0) }, vaults: [vaultAddress(0)] },
  });
  expect(await open()).toEqual([14, 13, 12, 11]);
  const note = (at: number, tried: readonly number[], failed: readonly number[]) =>
    tested.store.noteConversions({
      ...{ tried: tried.map((index) => flow(index)), failed: failed.map((index) => flow(index)) },
      at: new Date(at),
    });
  await note(1, [13], [14]);
  await note(2, [], [12]);
  expect([await open(), await open(2)]).toEqual([
    [11, 14, 13, 12],
    [11, 14],
  ]);
  expect((await described()).slice(-4)).toEqual([
    [11, null, 0],
    [12, null, 0],
    [13, null, 1],
    [14, null, 0],
  ]);
});

test("a computed amount is kept when its flow is read again with the id of its request", async () => {
  const { vaults } = await tested.store.load();
  const read = { from: 5, to: 5 };
  const listed = vaults.map(({ row, coverage }) => ({ vaultAddress: row.address, source: coverage.source }));
  const again = [flow(1, { requestId: "8" })];
  await tested.store.applyHistory({
    ...{ chainId: CHAIN_ID, read, vaults: listed, rows: again, span: 40, at: new Date(0) },
  });
  const kept = (await tested.rows()).find(({ logIndex }) => logIndex === 1);
  expect(kept).toMatchObject({ requestId: "8", assets: "11" });
});
