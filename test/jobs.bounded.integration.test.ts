import { readFileSync } from "node:fs";
import { join } from "node:path";
import { asc } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vaultAddress, vaultRow } from "../scripts/bench/vault-row.ts";
import { type Isolate, startTestDeployment, type TestDeployment } from "../scripts/stack/test-deployment.ts";
import { flowCoverage, flowTips } from "../src/db/tables/flow-tables.ts";
import { vaults } from "../src/db/tables/vault-tables.ts";
import { handleCron } from "../src/jobs.ts";
import { type ManyChains, startManyChains } from "./support/many-chains.ts";

const CHAINS = Array.from({ length: 11 }, (_, index) => 90_001 + index);
/** More of them than connections that a Worker has at once, would each hold one. */
const DEAD = new Set(CHAINS.slice(0, 7));
const LIVING = CHAINS.filter((chainId) => !DEAD.has(chainId));
const HEAD = 1_000_000;
const START = 1_000;
/** Requests to a chain's nodes, and for each chain to the stores, that one invocation may make. */
const OF_CHAIN = 42;
const OF_STORES = 10;
/** What Workers grant; the seventh connection waits for one of the six to have its headers. */
const CONNECTIONS = 6;
const FUSE = Number(
  /^subrequests = ([\d_]+)$/m
    .exec(readFileSync(join(import.meta.dirname, "../wrangler.toml"), "utf8"))?.[1]
    ?.replaceAll("_", ""),
);

let nodes: ManyChains;
let causeway: TestDeployment;
let isolate: Isolate;
const original = globalThis.fetch;
/** What one invocation asked: by chain, and of the stores. */
let asked: Map<string, number>;
let waiting: (() => void)[];
let open: number;
let openToDead: number;
let mostToDead: number;

/** The platform's fetch: six connections, each until its headers are there. */
async function platformFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const url = String(input);
  const chainId = CHAINS.find((id) => url === nodes.url(id));
  const name = chainId === undefined ? "stores" : String(chainId);
  const dead = chainId !== undefined && DEAD.has(chainId);
  asked.set(name, (asked.get(name) ?? 0) + 1);
  if (open >= CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
  open += 1;
  openToDead += dead ? 1 : 0;
  mostToDead = Math.max(mostToDead, openToDead);
  try {
    return await original(input, init);
  } finally {
    open -= 1;
    openToDead -= dead ? 1 : 0;
    waiting.shift()?.();
  }
}

/** Starts a trigger's jobs, and tells what one invocation asked for. */
async function invoke(cron: string): Promise<Map<string, number>> {
  [asked, waiting, open, openToDead, mostToDead] = [new Map(), [], 0, 0, 0];
  globalThis.fetch = platformFetch;
  try {
    await handleCron(cron, () => isolate.context());
  } finally {
    globalThis.fetch = original;
  }
  return asked;
}

const tips = () => causeway.db.select().from(flowTips).orderBy(asc(flowTips.chainId));
const total = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

beforeAll(async () => {
  nodes = await startManyChains({ head: HEAD, dead: DEAD, vault: vaultAddress(1) });
  causeway = await startTestDeployment();
  const settings = CHAINS.map((chainId) => ({
    chain_id: chainId,
    rpc_urls: [nodes.url(chainId)],
    name: `Chain ${chainId}`,
    key: `chain${chainId}`,
    native: { symbol: "ETH", decimals: 18 },
  }));
  isolate = causeway.isolate({ CHAINS: JSON.stringify(settings) });
  await causeway.db.insert(vaults).values(CHAINS.map((chainId) => vaultRow({ number: 1, chainId })));
  await causeway.db.insert(flowCoverage).values(
    CHAINS.map((chainId) => ({
      chainId,
      vaultAddress: vaultAddress(1),
      startBlock: 0,
      followedFrom: START,
    })),
  );
  await causeway.db.insert(flowTips).values(
    CHAINS.map((chainId) => ({
      chainId,
      span: 2_000,
      finalBlock: START,
      finalHash: nodes.hashOf(chainId, START),
      headBlock: START,
      headHash: nodes.hashOf(chainId, START),
      movedAt: new Date(),
      controlsTo: 0,
      // As the run before left it.
      error: DEAD.has(chainId) ? "upstream_timeout" : null,
    })),
  );
});
afterAll(async () => {
  globalThis.fetch = original;
  await causeway?.close();
  await nodes?.close();
});

describe("jobs with eleven chains that lag a million blocks, seven of which hang", () => {
  test("index every chain that answers within the platform's limits", async () => {
    const counts = await invoke("* * * * *");
    for (const chainId of CHAINS)
      expect(counts.get(String(chainId)), `${chainId}`).toBeLessThanOrEqual(OF_CHAIN);
    expect(counts.get("stores")).toBeLessThanOrEqual(OF_STORES * CHAINS.length);
    expect((OF_CHAIN + OF_STORES) * CHAINS.length).toBeLessThan(FUSE);
    expect(mostToDead).toBeLessThanOrEqual(2);
    const first = await tips();
    for (const { chainId, headBlock, error } of first) {
      if (DEAD.has(chainId)) expect([headBlock, error]).toEqual([START, "upstream_unavailable"]);
      else {
        expect(headBlock).toBeGreaterThan(START + 300);
        expect(error).toBeNull();
      }
    }
    await invoke("* * * * *");
    const second = new Map((await tips()).map(({ chainId, headBlock }) => [chainId, headBlock]));
    for (const { chainId, headBlock } of first)
      if (LIVING.includes(chainId)) expect(second.get(chainId)).toBeGreaterThan((headBlock ?? 0) + 300);
  });

  test("leave the database and Redis a connection when no chain was known to hang", async () => {
    await causeway.db.update(flowTips).set({ error: null });
    const before = new Map((await tips()).map(({ chainId, headBlock }) => [chainId, headBlock ?? 0]));
    await invoke("* * * * *");
    expect(mostToDead).toBeGreaterThan(2);
    expect(mostToDead).toBeLessThan(CONNECTIONS);
    for (const { chainId, headBlock, error } of await tips()) {
      expect(error).toBe(DEAD.has(chainId) ? "upstream_unavailable" : null);
      if (LIVING.includes(chainId)) expect(headBlock).toBeGreaterThan((before.get(chainId) ?? 0) + 300);
    }
  });

  test("read control events, snapshots and signals within the limits too", async () => {
    const counts = await invoke("*/5 * * * *");
    for (const chainId of CHAINS)
      expect(counts.get(String(chainId)), `${chainId}`).toBeLessThanOrEqual(OF_CHAIN);
    expect(total(counts)).toBeLessThan(FUSE);
    expect(mostToDead).toBeLessThanOrEqual(2);
    for (const { chainId, controlsTo } of await tips()) {
      if (LIVING.includes(chainId)) expect(controlsTo).toBeGreaterThan(START / 2);
      else expect(controlsTo).toBe(0);
    }
  });

  test("show each chain's lag and a dead one's error", async () => {
    const { indexes } = (await (await isolate.send("/health/ready")).json()) as {
      indexes: { chain_id: number; lag: number | null; error: string | null }[];
    };
    for (const { chain_id, lag, error } of indexes) {
      if (DEAD.has(chain_id)) expect([lag, error]).toEqual([null, "upstream_unavailable"]);
      else {
        expect(lag).toBeGreaterThan(HEAD / 2);
        expect(error).toBeNull();
      }
    }
    expect(indexes).toHaveLength(CHAINS.length);
  });
});
