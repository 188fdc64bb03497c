import { eq, ne } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { writeSnapshots } from "../../src/db/queries/snapshot-queries.ts";
import { flowCoverage, flows, flowTips } from "../../src/db/tables/flow-tables.ts";
import { signals } from "../../src/db/tables/signal-tables.ts";
import { snapshots } from "../../src/db/tables/snapshot-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import type { SignalPage } from "../../src/schemas/signal-schema.ts";
import { raiseSignals } from "../../src/signals/raise-signals.ts";

const VAULT = vaultAddress(9);
const ID = `${CHAIN_ID}:${VAULT}`;
const HOUR_MS = 3_600_000;
const TX = `0x${"ab".repeat(32)}`;
let causeway: TestDeployment;
let now: number;

beforeAll(async () => {
  causeway = await startTestDeployment();
  await causeway.db.insert(vaults).values({ ...vaultRow({ number: 9 }), createdAt: new Date() });
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  for (const table of [snapshots, flows, flowTips, flowCoverage, signals]) await causeway.db.delete(table);
  now = Date.now();
  for (let days = 10; days >= 2; days -= 1) await take(now - days * 24 * HOUR_MS);
  for (let hours = 30; hours >= 0; hours -= 1) await take(now - hours * HOUR_MS);
  // Indexed up to the newest snapshot that a test takes.
  await causeway.db
    .insert(flowTips)
    .values({ chainId: CHAIN_ID, span: 1, finalBlock: 9_900, headBlock: 10_002 });
  const coverage = { chainId: CHAIN_ID, vaultAddress: VAULT, startBlock: 0, followedFrom: 0 };
  await causeway.db.insert(flowCoverage).values(coverage);
});

const take = (atMs: number, changed: Record<string, unknown> = {}) =>
  writeSnapshots(causeway.context().db, {
    readAt: new Date(atMs),
    readings: [
      {
        chainId: CHAIN_ID,
        vaultAddress: VAULT,
        blockNumber: 10_000 - Math.floor((now - atMs) / HOUR_MS) * 10,
        blockTime: new Date(atMs),
        totalAssets: "1000000000000",
        totalSupply: "1000000000000",
        sharePrice: "1000000000000000000",
        maxDeposit: "5",
        paused: false,
        liquidity: null,
        controls: {},
        ...changed,
      },
    ],
  });
const withdraw = (assets: string, txHash = TX) =>
  causeway.db.insert(flows).values({
    chainId: CHAIN_ID,
    txHash,
    logIndex: 3,
    vaultAddress: VAULT,
    userAddress: "0x00000000000000000000000000000000000a0001",
    kind: "withdrawal",
    assets: `-${assets}`,
    shares: null,
    blockNumber: 9_950,
    blockHash: "0x01",
    final: false,
  });
const read = async (path: string) => {
  const answer = await causeway.send(`/v1/intel/${path}`);
  return { status: answer.status, body: (await answer.json()) as SignalPage & Record<string, unknown> };
};
const ruleIds = async (feed: string) =>
  (await read(feed)).body.signals.map((signal) => signal.rule_id).sort();
const raise = () => raiseSignals(causeway.context());

describe("GET /v1/intel/feed with a vault", () => {
  test("returns the signals of that vault only, and refuses what is no vault id", async () => {
    await withdraw("300000000000");
    await raise();
    const all = (await read("feed?since=24h")).body;
    expect(all.total).toBeGreaterThan(0);
    expect((await read(`feed?vault_id=${ID.toUpperCase().replace("X", "x")}`)).body.total).toBe(all.total);
    expect((await read(`feed?vault_id=${CHAIN_ID}:${vaultAddress(8)}`)).body).toMatchObject({
      ...{ signals: [], total: 0 },
    });
    expect((await read("feed?vault_id=none")).status).toBe(422);
    expect((await read(`notable?vault_id=${ID}`)).status).toBe(422);
  });
});

describe("raiseSignals()", () => {
  test("raises each incident once, in its tier", async () => {
    await withdraw("120000000000");
    await take(now, { totalAssets: "880000000000", blockNumber: 10_001 });
    expect(await raise()).toMatchObject({ vaults: 1, raised: 3 });
    expect(await raise()).toMatchObject({ raised: 0 });
    expect(await ruleIds("notable")).toEqual(["large_withdrawal", "net_outflow"]);
    expect(await ruleIds("feed")).toEqual(["large_withdrawal", "net_outflow", "vault_added"]);
    expect(await ruleIds("activity")).toEqual(["large_withdrawal", "net_outflow", "vault_added"]);
    expect(await ruleIds("high")).toEqual([]);
  });

  test("adds a stage to an incident when further events follow", async () => {
    await withdraw("120000000000");
    await raise();
    await withdraw("130000000000", `0x${"cd".repeat(32)}`);
    await take(now + 1_000, { totalAssets: "750000000000", blockNumber: 10_002 });
    await raise();
    const { body } = await read("feed");
    const withdrawal = body.signals.find((signal) => signal.rule_id === "large_withdrawal");
    expect(withdrawal).toMatchObject({ update_count: 1, vault_id: ID, asset_symbol: "USDC" });
    const detail = await read(`signals/${withdrawal?.signal_id}`);
    expect(detail.body["evolution"]).toHaveLength(2);
    expect(detail.body["evidence"]).toMatchObject({ total_assets_before: "1000000000000" });
  });

  test("raises no duplicate when two isolates run at the same time", async () => {
    await withdraw("120000000000");
    await Promise.all([raise(), raise(), raise()]);
    // The total did not follow the withdrawal, which is a signal of its own.
    expect(await causeway.db.select().from(signals)).toHaveLength(4);
  });

  test("skips a registry row that cannot be used and applies the rules to the other vaults", async () => {
    const broken = { ...vaultRow({ number: 8 }), createdAt: new Date(), adapter: "nobody" };
    await causeway.db
      .insert(vaults)
      .values([broken, { ...broken, address: vaultAddress(7), pricer: "0x12" }]);
    await withdraw("120000000000");
    const warned: unknown[] = [];
    const context = causeway.context();
    const log = { ...context.log, warn: (event: string, fields?: unknown) => warned.push([event, fields]) };
    expect(await raiseSignals({ ...context, log })).toMatchObject({ vaults: 1 });
    expect(await ruleIds("notable")).toContain("large_withdrawal");
    expect(warned).toHaveLength(2);
    expect(JSON.stringify(warned)).toContain(
      `"registry_row_skipped",{"vault":"${CHAIN_ID}:${vaultAddress(8)}"`,
    );
    await causeway.db.delete(vaults).where(ne(vaults.address, VAULT));
  });

  test("raises no flow signal while the stored flows have a gap", async () => {
    await withdraw("120000000000");
    await causeway.db.update(flowCoverage).set({ followedFrom: 9_980 });
    await raise();
    expect(await ruleIds("activity")).toEqual(["vault_added"]);
  });
});

describe("GET /v1/intel", () => {
  test("returns signals with the documented fields, defaults and pagination", async () => {
    await withdraw("120000000000");
    await raise();
    const whole = await read("notable");
    expect(whole).toMatchObject({
      status: 200,
      body: { count: 2, total: 2, since: "24h", dimension: null, limit: 20, offset: 0 },
    });
    const page = (await read("notable?limit=1&offset=1&dimension=CAPITAL&since=2d")).body;
    expect(page).toMatchObject({
      count: 1,
      total: 2,
      since: "2d",
      dimension: "capital",
      limit: 1,
      offset: 1,
    });
    expect(page.signals[0]).toEqual(whole.body.signals[1]);
    expect((await read("notable?dimension=risk")).body).toMatchObject({ signals: [], count: 0, total: 0 });
  });

  /** Incidents without a rule behind them, seen at the times given, in minutes ago; the last one is stored first. */
  const store = (minutesAgo: readonly number[]) =>
    causeway.db.insert(signals).values(
      minutesAgo
        .map((minutes, n) => ({
          signalId: idOf(n),
          incidentId: `inc_${n}`,
          ruleId: "paused",
          chainId: CHAIN_ID,
          vaultAddress: VAULT,
          subject: "",
          sequence: n,
          tier: "medium" as const,
          dimension: "risk" as const,
          title: "",
          summary: "",
          metrics: [],
          evidence: {},
          evolution: [],
          keys: [],
          firstSeen: new Date(now - 48 * HOUR_MS),
          lastSeen: new Date(now - minutes * 60_000),
          updateCount: 0,
        }))
        .reverse(),
    );
  const idOf = (n: number): string => `sig_${n.toString(16).padStart(32, "0")}`;
  const idsOf = async (query: string) =>
    (await read(`notable?${query}`)).body.signals.map(({ signal_id }) => signal_id);

  test("keeps a stable order across pages among signals of the same time", async () => {
    await store(Array.from({ length: 45 }, (_, n) => (n < 5 ? 90 : 10)));
    const pages = await Promise.all([0, 20, 40].map((offset) => idsOf(`limit=20&offset=${offset}`)));
    const expected = [...Array.from({ length: 40 }, (_, n) => n + 5), 0, 1, 2, 3, 4].map(idOf);
    expect(pages.flat()).toEqual(expected);
    expect((await read("notable?limit=20&offset=60")).body).toMatchObject({ count: 0, total: 45 });
  });

  test("filters by since in every accepted format", async () => {
    await store([29, 31, 59, 61, 23 * 60, 25 * 60, 47 * 60, 13 * 1_440, 15 * 1_440, 89 * 1_440]);
    const totals = async (since: string) =>
      (await read(`notable?since=${encodeURIComponent(since)}`)).body.total;
    const at = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();
    const asked = ["30m", "1h", "24h", "1d", "2d", "2w", "90d", at(30), at(60).replace("Z", "+00:00")];
    expect(await Promise.all(asked.map(totals))).toEqual([1, 3, 5, 5, 7, 8, 10, 1, 3]);
    expect((await read("notable")).body.total).toBe(5);
  });

  test("loses no unchanged signal when others are extended between two pages", async () => {
    await store(Array.from({ length: 30 }, (_, n) => n + 1));
    const first = await idsOf("limit=20");
    await causeway.db
      .update(signals)
      .set({ lastSeen: new Date(now) })
      .where(eq(signals.sequence, 25));
    const second = await idsOf("limit=20&offset=20");
    const unseen = Array.from({ length: 30 }, (_, n) => idOf(n)).filter(
      (id) => ![...first, ...second].includes(id),
    );
    expect(unseen).toEqual([idOf(25)]);
    expect(await idsOf("limit=1")).toEqual([idOf(25)]);
  });

  test("runs one database query", async () => {
    await read("notable");
    const answer = await causeway.send("/v1/intel/notable?limit=3", {
      headers: { authorization: "Bearer not kept" },
    });
    expect(answer.headers.get("server-timing")).toMatch(/\bdb;dur=[\d.]+;desc="1"/);
  });

  test.each([
    "since=1y",
    "since=91d",
    "since=2020-01-01T00:00:00Z",
    "dimension=money",
    "limit=0",
    "limit=101",
    "offset=-1",
  ])("answers 422 for the invalid query %s", async (query) => {
    expect((await read(`notable?${query}`)).status).toBe(422);
  });

  test("lists its rules", async () => {
    const { status, body } = await read("rules");
    expect([status, (body as unknown as unknown[]).length]).toEqual([200, 18]);
  });

  test("answers 404 signal_not_found for an unknown signal", async () => {
    expect(await read(`signals/sig_${"0".repeat(32)}`)).toMatchObject({
      status: 404,
      body: { code: "signal_not_found" },
    });
    expect((await read("signals/1")).status).toBe(422);
  });
});
