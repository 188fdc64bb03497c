import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { writeSnapshots } from "../../src/db/queries/snapshot-queries.ts";
import { flowCoverage, flows, flowTips } from "../../src/db/tables/flow-tables.ts";
import { snapshots } from "../../src/db/tables/snapshot-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";

const VAULT = vaultAddress(7);
const ID = `${CHAIN_ID}:${VAULT}`;
const DAY_MS = 86_400_000;
/** Midnight, so that hours and days begin with it. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
/** The one before: histories end now, and today may have begun a moment ago. */
const MIDNIGHT = TODAY - DAY_MS;
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values(vaultRow({ number: 7 }));
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  for (const table of [snapshots, flows, flowTips, flowCoverage]) await causeway.db.delete(table);
});

const reading = (atMs: number, of: { sharePrice?: string | null; blockNumber?: number } = {}) => ({
  chainId: CHAIN_ID,
  vaultAddress: VAULT,
  blockNumber: of.blockNumber ?? Math.floor((atMs - TODAY) / 1000) + 10_000_000,
  blockTime: new Date(atMs),
  totalAssets: "1000",
  totalSupply: "900",
  sharePrice: of.sharePrice === undefined ? "1000000000000000000" : of.sharePrice,
  maxDeposit: null,
  paused: false,
  liquidity: null,
  controls: {},
});
const take = (atMs: number, of?: Parameters<typeof reading>[1]) =>
  writeSnapshots(causeway.context().db, { readAt: new Date(atMs), readings: [reading(atMs, of)] });
const read = async (query: string) => {
  const answer = await causeway.send(`/v1/vaults/${ID}/history?${query}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const valuesOf = ({ body }: { body: Record<string, unknown> }) =>
  (body["points"] as { value: string | null }[]).map(({ value }) => value);

describe("getHistory()", () => {
  test("returns the snapshot of the newest block of each interval", async () => {
    await take(MIDNIGHT, { sharePrice: "1" });
    await take(MIDNIGHT + 200_000, { sharePrice: "2" });
    await take(MIDNIGHT + 400_000, { sharePrice: "4", blockNumber: 10_000_400 });
    await take(MIDNIGHT + 410_000, { sharePrice: "3", blockNumber: 10_000_390 });
    const span = `from=${new Date(MIDNIGHT - DAY_MS).toISOString()}&to=${new Date(MIDNIGHT + DAY_MS).toISOString()}`;
    expect(valuesOf(await read(`metric=share_price&interval=5m&${span}`))).toEqual(["2", "4"]);
    expect(valuesOf(await read(`metric=share_price&interval=1h&${span}`))).toEqual(["4"]);
    expect(await read(`metric=total_assets&interval=1d&${span}`)).toMatchObject({
      status: 200,
      body: {
        vault_id: ID,
        metric: "total_assets",
        interval: "1d",
        points: [{ time: new Date(MIDNIGHT).toISOString(), block_number: 10_000_400, value: "1000" }],
      },
    });
  });

  test("returns the annualized yield of each week, null without an earlier price", async () => {
    for (let day = 9; day >= 0; day -= 1) {
      await take(TODAY - day * DAY_MS, { sharePrice: `${10n ** 18n + BigInt(9 - day) * 10n ** 15n}` });
    }
    const rates = valuesOf(await read("metric=apy&interval=1d&from=9d"));
    expect(rates.slice(0, -3).every((rate) => rate === null)).toBe(true);
    expect(rates.at(-1)).toBe(((1.009 / 1.002) ** (365 / 7) - 1).toFixed(6));
  });

  test("returns net flows between snapshots where all flows are indexed", async () => {
    for (const hour of [4, 3, 2, 1])
      await take(TODAY - hour * 3_600_000, { blockNumber: 1_000 - hour * 100 });
    const flow = (blockNumber: number, assets: string) => ({
      chainId: CHAIN_ID,
      txHash: `0x${blockNumber}`,
      logIndex: 0,
      vaultAddress: VAULT,
      userAddress: "0x01",
      kind: "deposit" as const,
      assets,
      shares: null,
      blockNumber,
      blockHash: "0x",
      final: true,
    });
    await causeway.db
      .insert(flows)
      .values([flow(600, "1"), flow(601, "50"), flow(700, "-20"), flow(850, "7")]);
    const span = "metric=net_flow&interval=1h&from=2d";
    expect(valuesOf(await read(span))).toEqual([null, null, null, null]);
    await causeway.db
      .insert(flowTips)
      .values({ chainId: CHAIN_ID, span: 1, finalBlock: 850, headBlock: 899 });
    await causeway.db.insert(flowCoverage).values({
      chainId: CHAIN_ID,
      vaultAddress: VAULT,
      startBlock: 0,
      followedFrom: 500,
    });
    expect(valuesOf(await read(span))).toEqual([null, "30", "0", null]);
  });

  test("returns null for intervals without a snapshot, without interpolation", async () => {
    for (const hour of [8, 7, 4, 3]) await take(TODAY - hour * 3_600_000, { sharePrice: `${hour}` });
    await causeway.db
      .insert(flowTips)
      .values({ chainId: CHAIN_ID, span: 1, finalBlock: 1, headBlock: 10_000_000 });
    const coverage = { chainId: CHAIN_ID, vaultAddress: VAULT, startBlock: 0, followedFrom: 0 };
    await causeway.db.insert(flowCoverage).values(coverage);
    const span = `interval=1h&from=${new Date(TODAY - 12 * 3_600_000).toISOString()}`;
    const { body } = await read(`metric=share_price&${span}`);
    const at = (hour: number) => new Date(TODAY - hour * 3_600_000).toISOString();
    const block = (hour: number) => 10_000_000 - hour * 3_600;
    expect(body["points"]).toEqual([
      { time: at(8), block_number: block(8), value: "8" },
      { time: at(7), block_number: block(7), value: "7" },
      { time: at(6), block_number: null, value: null },
      { time: at(5), block_number: null, value: null },
      { time: at(4), block_number: block(4), value: "4" },
      { time: at(3), block_number: block(3), value: "3" },
    ]);
    expect(valuesOf(await read(`metric=net_flow&${span}`))).toEqual([null, "0", null, null, null, "0"]);
  });

  test("returns at most the newest thousand points", async () => {
    await take(TODAY - 1_500 * DAY_MS);
    for (const day of [998, 2]) await take(TODAY - day * DAY_MS);
    const { body } = await read(
      `metric=total_assets&interval=1d&from=2000d&to=${new Date(TODAY).toISOString()}`,
    );
    const points = body["points"] as { time: string }[];
    expect([points.length, points[0]?.time]).toEqual([997, new Date(TODAY - 998 * DAY_MS).toISOString()]);
  });

  test("is empty for times outside the database's range", async () => {
    for (const time of ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
      for (const metric of ["apy", "net_flow"])
        expect(await read(`metric=${metric}&from=${time}&to=${time}`)).toMatchObject({
          status: 200,
          body: { points: [] },
        });
  });

  test("is empty without snapshots", async () => {
    for (const metric of ["apy", "share_price", "total_assets", "net_flow"])
      expect(await read(`metric=${metric}`)).toMatchObject({ status: 200, body: { points: [] } });
  });

  const every = ["share_price", "total_assets", "apy", "net_flow"].flatMap((metric) =>
    ["5m", "1h", "1d"].map((interval) => `metric=${metric}&interval=${interval}`),
  );
  const iso = (atMs: number) => new Date(atMs).toISOString();

  test.each(every)("ends at the end of its range: %s", async (query) => {
    const hours = [-3, -2, -1, 0];
    for (const hour of hours) await take(TODAY + hour * 3_600_000);
    const times = async (from: number, to: number) => {
      const { status, body } = await read(`${query}&from=${iso(from)}&to=${iso(to)}`);
      expect(status).toBe(200);
      return (body["points"] as { time: string }[]).map(({ time }) => Date.parse(time));
    };
    // A span before the vault, one that is a single moment, and one after all of it.
    expect(await times(TODAY - 9 * DAY_MS, TODAY - 5 * DAY_MS)).toEqual([]);
    expect(await times(TODAY, TODAY)).toEqual([TODAY]);
    expect(await times(TODAY + 1, TODAY + 2)).toEqual([]);
    // Both ends belong to it; the vault is younger than its beginning.
    const all = await times(TODAY - 30 * DAY_MS, TODAY);
    expect([all[0], all.at(-1)]).toEqual([
      query.endsWith("1d") ? TODAY - DAY_MS : TODAY - 3 * 3_600_000,
      TODAY,
    ]);
    // A span that reaches into the future ends now, and is no shorter for it.
    const ahead = await times(TODAY - 2 * 3_600_000, Date.now() + 400 * DAY_MS);
    expect(ahead).toEqual(query.endsWith("1d") ? [TODAY] : all.filter((at) => at >= TODAY - 2 * 3_600_000));
    expect(await times(Date.now() + DAY_MS, Date.now() + 2 * DAY_MS)).toEqual([]);
  });

  test("covers thirty days before its end without from", async () => {
    for (const days of [71, 69, 41, 39]) await take(TODAY - days * DAY_MS);
    const { status, body } = await read(`metric=total_assets&interval=1d&to=${iso(TODAY - 40 * DAY_MS)}`);
    const points = (body["points"] as { time: string; value: string | null }[]).filter(
      ({ value }) => value !== null,
    );
    expect([status, body["from"], points.map(({ time }) => time)]).toEqual([
      200,
      iso(TODAY - 70 * DAY_MS),
      [iso(TODAY - 69 * DAY_MS), iso(TODAY - 41 * DAY_MS)],
    ]);
  });

  test("rolls up at midnight and at full hours of UTC, regardless of the block time", async () => {
    await take(MIDNIGHT - 1, { sharePrice: "1" });
    await take(MIDNIGHT, { sharePrice: "2" });
    await take(MIDNIGHT + 3_599_999, { sharePrice: "3" });
    const span = `from=${iso(MIDNIGHT - DAY_MS)}&to=${iso(MIDNIGHT + DAY_MS)}`;
    const rolled = async (interval: string) => {
      const { body } = await read(`metric=share_price&interval=${interval}&${span}`);
      return (body["points"] as { time: string; value: string | null }[]).flatMap(({ time, value }) =>
        value === null ? [] : [[Date.parse(time) - MIDNIGHT, value]],
      );
    };
    expect(await rolled("1d")).toEqual([
      [-DAY_MS, "1"],
      [0, "3"],
    ]);
    expect(await rolled("1h")).toEqual([
      [-3_600_000, "1"],
      [0, "3"],
    ]);
    expect(await rolled("5m")).toEqual([
      [-300_000, "1"],
      [0, "2"],
      [3_300_000, "3"],
    ]);
  });

  test("returns no yield from less than a week or from a much older price", async () => {
    await take(TODAY - 8 * DAY_MS, { sharePrice: `${10n ** 18n}` });
    await take(TODAY - 7 * DAY_MS, { sharePrice: null });
    await take(TODAY - 6 * DAY_MS, { sharePrice: `${10n ** 18n}` });
    await take(TODAY - DAY_MS, { sharePrice: `${10n ** 18n + 10n ** 15n}` });
    await take(TODAY, { sharePrice: `${10n ** 18n + 10n ** 15n}` });
    const { body } = await read(`metric=apy&interval=1d&from=${iso(TODAY - 9 * DAY_MS)}&to=${iso(TODAY)}`);
    const points = body["points"] as { time: string; value: string | null }[];
    const at = (days: number) => points.find(({ time }) => time === iso(TODAY - days * DAY_MS))?.value;
    expect([at(8), at(7), at(6)]).toEqual([null, null, null]);
    expect(at(1)).toBe((1.001 ** (365 / 7) - 1).toFixed(6));
    // The day a week before was read and told no price; the one before it does, and the rate is of eight days.
    expect(at(0)).toBe((1.001 ** (365 / 8) - 1).toFixed(6));
  });
});

describe("getHistory() validation", () => {
  test.each([
    "",
    "metric=price",
    "metric=apy&interval=2h",
    "metric=apy&from=soon",
    "metric=apy&to=2026-13-01",
  ])("refuses ?%s", async (query) => {
    expect((await read(query)).status).toBe(422);
  });

  test.each([
    `from=${new Date(TODAY).toISOString()}&to=${new Date(TODAY - 1).toISOString()}`,
    "from=1h&to=2h",
    `from=2100-01-01T00:00:00Z&to=1d`,
  ])("refuses a range that ends before it starts: %s", async (span) => {
    expect(await read(`metric=share_price&${span}`)).toEqual({
      status: 422,
      body: { detail: [{ loc: ["query", "from"], msg: "must not be after `to`", type: "custom" }] },
    });
  });

  test("answers 404 for an unknown vault", async () => {
    const answer = await causeway.send(`/v1/vaults/${CHAIN_ID}:${vaultAddress(8)}/history?metric=apy`);
    expect(answer.status).toBe(404);
  });
});

describe("yields of listed vaults", () => {
  test("are in list and detail, null without a price that old", async () => {
    const now = Date.now();
    await take(now - 7 * DAY_MS, { sharePrice: `${10n ** 18n}` });
    await take(now - 26 * 3_600_000, { sharePrice: `${(10n ** 18n * 1_001n) / 1_000n}` });
    // The hour that contains it began less than two hours ago, also when the next one begins during the test.
    await take(now - 1_800_000, { sharePrice: `${(10n ** 18n * 1_002n) / 1_000n}` });
    const fresh = causeway.isolate({ REDIS_KEY_PREFIX: "rates" });
    const [listed] = (await (await fresh.send("/v1/vaults")).json()) as Record<string, unknown>[];
    const expected = {
      apy_1d: Number(((1.002 / 1.001) ** ((365 * 24) / 25.5) - 1).toFixed(6)),
      apy_7d: Number((1.002 ** (365 / (7 - 0.5 / 24)) - 1).toFixed(6)),
      apy_30d: null,
    };
    expect(listed).toMatchObject(expected);
    expect(await (await fresh.send(`/v1/vaults/${ID}`)).json()).toMatchObject(expected);
  });
});
