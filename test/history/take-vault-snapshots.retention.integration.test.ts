import { and, asc, eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { writeSnapshots } from "../../src/db/queries/snapshot-queries.ts";
import { flowCoverage, flows, flowTips } from "../../src/db/tables/flow-tables.ts";
import { signals } from "../../src/db/tables/signal-tables.ts";
import { snapshots } from "../../src/db/tables/snapshot-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { takeSnapshots } from "../../src/history/take-vault-snapshots.ts";
import { raiseSignals } from "../../src/signals/raise-signals.ts";
import { readYields } from "../../src/vaults/vault-yields.ts";

const VAULT = vaultAddress(3);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The middle of an hour that is the middle of a day: what is so old by the clock is so by the beginning of its interval. */
const NOW = Math.floor(Date.now() / DAY_MS) * DAY_MS - 12 * HOUR_MS;
const KEY = { chainId: CHAIN_ID, vaultAddress: VAULT };
let causeway: TestDeployment;

const context = (redisPrefix: string) => ({
  ...causeway.isolate({ REDIS_KEY_PREFIX: redisPrefix }).context(),
  now: () => NOW,
});
/** So many days ago, at a price that grew by a hundredth of a percent each day. */
const take = (daysAgo: number) =>
  writeSnapshots(causeway.context().db, {
    readAt: new Date(NOW - daysAgo * DAY_MS),
    readings: [
      {
        ...KEY,
        blockNumber: 10_000_000 - Math.round(daysAgo * 7_200),
        blockTime: new Date(NOW - daysAgo * DAY_MS),
        totalAssets: "1000000000000",
        totalSupply: "1000000000000",
        sharePrice: `${10n ** 18n - BigInt(Math.round(daysAgo * 1e14))}`,
        maxDeposit: null,
        paused: daysAgo <= 0.001,
        liquidity: null,
        controls: {},
      },
    ],
  });
const stored = async (step: number) => {
  const rows = await causeway.db
    .select({ at: snapshots.at })
    .from(snapshots)
    .where(eq(snapshots.step, step))
    .orderBy(asc(snapshots.at));
  return rows.map(({ at }) => at.getTime());
};

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values({ ...vaultRow({ number: 3 }), createdAt: new Date(0) });
  for (const days of [400, 101, 99, 30, 8.5, 8, 7, 1.5, 1, 0.004, 0]) await take(days);
  await causeway.db
    .insert(flowTips)
    .values({ chainId: CHAIN_ID, span: 1, finalBlock: 10_000_000, headBlock: 10_000_000 });
  await causeway.db.insert(flowCoverage).values({ ...KEY, startBlock: 0, followedFrom: 0 });
  await causeway.db.insert(flows).values({
    chainId: CHAIN_ID,
    txHash: "0x01",
    logIndex: 0,
    vaultAddress: VAULT,
    userAddress: "0x00000000000000000000000000000000000a0001",
    kind: "deposit",
    assets: "7000000",
    shares: null,
    blockNumber: 1,
    blockHash: "0x",
    final: true,
  });
});
afterAll(() => causeway?.close());

test("writeSnapshots() stores an unknown pause as the last known one, so that no pause seems lifted", async () => {
  const other = vaultAddress(4);
  const store = (minutes: number, paused: boolean | null) =>
    writeSnapshots(causeway.context().db, {
      readAt: new Date(NOW + minutes * 60_000),
      readings: [
        {
          ...{ chainId: CHAIN_ID, vaultAddress: other, blockNumber: 100 + minutes, paused },
          ...{ totalAssets: null, totalSupply: null, sharePrice: null, maxDeposit: null, liquidity: null },
          ...{ blockTime: new Date(NOW + minutes * 60_000), controls: {} },
        },
      ],
    });
  for (const [index, paused] of [null, true, null, null, false, null].entries())
    await store(index * 6, paused);
  const rows = await causeway.db
    .select({ paused: snapshots.paused })
    .from(snapshots)
    .where(and(eq(snapshots.vaultAddress, other), eq(snapshots.step, 300)))
    .orderBy(asc(snapshots.at));
  expect(rows.map(({ paused }) => paused)).toEqual([false, true, true, true, false, false]);
  await causeway.db.delete(snapshots).where(eq(snapshots.vaultAddress, other));
});

describe("takeSnapshots() retention", () => {
  test("deletes five-minute snapshots after 8 days and hourly ones after 100, and keeps daily ones", async () => {
    const before = { ...(await readYields(context("before"))) };
    expect(before[`${CHAIN_ID}:${VAULT}`]).toEqual({
      apy_1d: expect.closeTo(0.0372, 3),
      apy_7d: expect.closeTo(0.0372, 3),
      apy_30d: expect.closeTo(0.0372, 3),
    });
    expect(await raiseSignals(context("raise"))).toMatchObject({ raised: 1 });
    const [[open], sums, days] = [
      await causeway.db.select().from(signals),
      await causeway.db.select().from(flows),
      await stored(86_400),
    ];
    expect(open).toMatchObject({ ruleId: "paused" });

    // The chain does not answer: nothing is read, and what is old goes all the same.
    expect(await takeSnapshots(context("prune"))).toEqual({ vaults: 0, failed: 1 });
    const ages = async (step: number) => (await stored(step)).map((at) => (NOW - at) / DAY_MS);
    expect((await ages(300)).map((age) => Math.round(age * 100) / 100)).toEqual([8, 7, 1.5, 1, 0.01, 0]);
    expect((await ages(3_600)).map((age) => Math.round(age * 10) / 10)).toEqual([
      99, 30, 8.5, 8, 7, 1.5, 1, 0, 0,
    ]);
    expect(await stored(86_400)).toEqual(days);
    expect(days[0]).toBe(NOW - 400 * DAY_MS - 12 * HOUR_MS);

    // What rests on it is as it was: rates over all windows, sums of positions, and the incident that is open.
    expect(await readYields(context("after"))).toEqual(before);
    expect(await causeway.db.select().from(flows)).toEqual(sums);
    expect(await raiseSignals(context("again"))).toMatchObject({ raised: 0, updated: 0 });
    expect(await causeway.db.select().from(signals)).toEqual([open]);
  });

  test("continues on later runs and is idempotent", async () => {
    const later = { ...context("later"), now: () => NOW + DAY_MS };
    await takeSnapshots(later);
    const once = await causeway.db.select().from(snapshots);
    await takeSnapshots(later);
    expect(await causeway.db.select().from(snapshots)).toEqual(once);
    expect((await stored(300)).length).toBe(5);
  });
});
