import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { writeFigures } from "../../src/db/queries/snapshot-queries.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { HOUR_MS } from "../../src/lib/durations.ts";
import { figuresOf } from "../support/vaults/listed.ts";

const CHAINS = [31337, 31338, 31339];
const VAULTS = 3_000;
/** Number of rows in one statement. */
const CHUNK = 500;
const Rows = z.array(z.object({ vault_id: z.string(), tvl_usd: z.string().nullable(), name: z.string() }));
let causeway: TestDeployment;

beforeAll(async () => {
  causeway = await startTestDeployment({ chainIds: CHAINS });
  const rows = Array.from({ length: VAULTS }, (_, number) =>
    vaultRow({ number, chainId: CHAINS[number % CHAINS.length] ?? 0 }),
  );
  for (let start = 0; start < VAULTS; start += CHUNK) {
    const part = rows.slice(start, start + CHUNK);
    await causeway.db.insert(vaults).values(part);
    const figures = part.map(({ chainId, address }, index) => {
      const known = (start + index) % 10 === 0 ? null : `${start + index}.50`;
      return {
        // Newer than the clock, so that no test reads them again however slowly it runs.
        ...figuresOf({ blockTime: new Date(Date.now() + HOUR_MS), tvlUsd: known }),
        ...{ chainId, vaultAddress: address },
      };
    });
    await writeFigures(causeway.context().db, figures);
  }
});
afterAll(() => causeway?.close());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Counts the requests that this process makes to the stores and nodes while some work runs and shortly after. */
async function counted<T>(work: () => Promise<T>) {
  const { hub } = causeway;
  const counts = { redis: 0, database: 0, nodes: 0 };
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.startsWith(hub.upstash)) counts.redis += 1;
    else if (url.startsWith(hub.neon)) counts.database += 1;
    else counts.nodes += 1;
    return real(input, init);
  });
  const value = await work();
  // What a request leaves behind is written before the next request to the same stores is answered.
  await causeway.context().redis.ping();
  counts.redis -= 1;
  vi.restoreAllMocks();
  return { value, counts };
}

const list = async (service: { send(path: string): Promise<Response> }, query = "") => {
  const response = await service.send(`/v1/vaults${query}`);
  expect(response.status).toBe(200);
  const link = /<([^>]+)>/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  return { rows: Rows.parse(await response.json()), link };
};

describe("GET /v1/vaults of 3,000 vaults on three chains", () => {
  test("costs two Redis commands and one query when cold, one command from another isolate, and nothing when warm", async () => {
    // The registry is reloaded after half a minute, which a busy machine may need for this.
    vi.useFakeTimers({ toFake: ["Date"] });
    const first = causeway.isolate();
    const cold = await counted(() => list(first));
    expect(cold.value.rows).toHaveLength(100);
    expect(cold.counts).toEqual({ redis: 2, database: 1, nodes: 0 });
    const warm = await counted(() => list(first));
    expect(warm.counts).toEqual({ redis: 0, database: 0, nodes: 0 });
    const sorted = await counted(() => list(first, "?sort=tvl_usd&limit=500"));
    expect(sorted.counts).toEqual({ redis: 0, database: 0, nodes: 0 });
    const other = await counted(() => list(causeway.isolate()));
    expect(other.counts).toEqual({ redis: 1, database: 0, nodes: 0 });
    expect(other.value.rows).toEqual(cold.value.rows);
  });

  test("leads through all vaults by value, the unknown ones last", async () => {
    const seen: { vault_id: string; tvl_usd: string | null }[] = [];
    for (let path: string | null = "?sort=tvl_usd&limit=500"; path !== null; ) {
      const { rows, link } = await list(causeway, path);
      seen.push(...rows);
      path = link === null ? null : `?${link.split("?")[1]}`;
    }
    expect(new Set(seen.map(({ vault_id }) => vault_id)).size).toBe(VAULTS);
    const values = seen.map(({ tvl_usd }) => (tvl_usd === null ? -1 : Number(tvl_usd)));
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(values.at(-1)).toBe(-1);
  });

  test("filters by value and ids", async () => {
    const rich = await list(causeway, "?min_tvl_usd=2990&sort=tvl_usd&order=asc");
    expect(rich.rows.map(({ tvl_usd }) => tvl_usd)).toEqual(
      [2991, 2992, 2993, 2994, 2995, 2996, 2997, 2998, 2999].map((n) => `${n}.50`),
    );
    const ids = [0, 4, 5].map((n) => `${CHAINS[n % 3]}:${vaultAddress(n)}`);
    const named = await list(causeway, `?ids=${ids.join()},1:${vaultAddress(0)}`);
    expect(named.rows.map(({ vault_id }) => vault_id).sort()).toEqual(ids.toSorted());
  });

  test("shows a change, and keeps it as the last good copy while the database is down", async () => {
    const changed = `${CHAINS[0]}:${vaultAddress(0)}`;
    const response = await causeway.isolate().send(`/v1/admin/vaults/${changed}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${causeway.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "paused", reason: "under review" }),
    });
    expect(response.status).toBe(200);
    await causeway.fault("neon", [{ kind: "status", status: 500 }]);
    try {
      const { rows } = await list(causeway.isolate(), `?paused=true&chain_id=${CHAINS[0]}`);
      expect(rows.map(({ vault_id }) => vault_id)).toEqual([changed]);
    } finally {
      await causeway.fault("neon", []);
    }
  });
});
