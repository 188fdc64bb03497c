import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deployEmitters, emitDeposit } from "../scripts/bench/flow-emitters.ts";
import { CHAIN_ID, vaultRow } from "../scripts/bench/vault-row.ts";
import { type ScratchChain, startScratchChain } from "../scripts/stack/chains/scratch-chain.ts";
import { type Isolate, startTestDeployment, type TestDeployment } from "../scripts/stack/test-deployment.ts";
import { flows } from "../src/db/tables/flow-tables.ts";
import { vaults } from "../src/db/tables/vault-tables.ts";
import { handleMessages, indexFlowsJob } from "../src/jobs.ts";

/** Served, but nobody listens there. */
const SILENT = CHAIN_ID + 1;
const NO_NODE = "http://127.0.0.1:9";
const USER: Address = "0x00000000000000000000000000000000000a0001";
let chain: ScratchChain;
let causeway: TestDeployment;
let vault: Address;

beforeAll(async () => {
  chain = await startScratchChain("--chain-id", `${CHAIN_ID}`);
  causeway = await startTestDeployment({ chainIds: [CHAIN_ID, SILENT] });
  await causeway.connectChain(CHAIN_ID, chain.node.transport["url"] ?? "");
  await causeway.connectChain(SILENT, NO_NODE);
  [vault = USER] = await deployEmitters(chain, 1);
  await emitDeposit(chain, { vault, owner: USER, assets: 7n });
  await chain.node.mine({ blocks: 70 });
});
afterAll(async () => {
  await causeway?.close();
  await chain?.stop();
});

/** A message of the queue that remembers what became of it. */
function message(body: unknown) {
  const fate: string[] = [];
  return { body, fate, ack: () => void fate.push("ack"), retry: () => void fate.push("retry") };
}

describe("indexFlowsJob", () => {
  test("indexes every chain that answers, whatever the others do", async () => {
    const rows = [vaultRow({ number: 0, address: vault }), vaultRow({ number: 1, chainId: SILENT })];
    await causeway.db.insert(vaults).values(rows);
    expect(await indexFlowsJob.run(causeway.context())).toEqual({
      chains: 2,
      failed: 1,
      rows: 0,
      missing: 0,
    });
    expect(await causeway.db.select().from(flows)).toHaveLength(1);
  });
});

describe("GET /health/ready on chain indexes", () => {
  // An isolate's report may be five seconds old; a new one has none.
  const ready = async (from: Isolate = causeway.isolate()) => {
    const answer = await from.send("/health/ready");
    const text = await answer.text();
    const body = JSON.parse(text) as {
      status: string;
      dependencies: { name: string; ok: boolean; code: string | null }[];
      indexes: Record<string, unknown>[];
    };
    const failing = body.dependencies.flatMap(({ name, ok, code }) => (ok ? [] : [`${name}: ${code}`]));
    return { status: answer.status, overall: body.status, failing, indexes: body.indexes, text };
  };
  const SILENT_ROW = {
    chain_id: SILENT,
    head: null,
    indexed: null,
    lag: null,
    error: "upstream_unavailable",
  };

  test("shows each chain's position and the last error code", async () => {
    const head = Number(await chain.node.getBlockNumber());
    await indexFlowsJob.run(causeway.context());
    const { status, overall, failing, indexes, text } = await ready();
    expect([status, overall, failing]).toEqual([200, "degraded", [`chain:${SILENT}: upstream_unavailable`]]);
    expect(indexes).toEqual([{ chain_id: CHAIN_ID, head, indexed: head, lag: 0, error: null }, SILENT_ROW]);
    for (const secret of ["http", "127.0.0.1", "postgres", "redis-token"]) expect(text).not.toContain(secret);
  });

  test("shows the lag of a stuck indexer until it runs again", async () => {
    const head = Number(await chain.node.getBlockNumber());
    await chain.node.mine({ blocks: 7 });
    expect((await ready()).indexes[0]).toEqual({
      chain_id: CHAIN_ID,
      head: head + 7,
      indexed: head,
      lag: 7,
      error: null,
    });
    await indexFlowsJob.run(causeway.context());
    expect((await ready()).indexes[0]).toMatchObject({ indexed: head + 7, lag: 0 });
  });

  test("answers without the database, with an error code for it", async () => {
    await causeway.fault("neon", [{ match: "", kind: "status", status: 500, count: 100 }]);
    const { status, overall, failing, indexes } = await ready();
    await causeway.fault("neon", []);
    expect([status, overall, failing]).toEqual([
      503,
      "degraded",
      ["database: store_unavailable", `chain:${SILENT}: upstream_unavailable`],
    ]);
    expect(indexes[0]).toMatchObject({ head: expect.any(Number), indexed: null, lag: null, error: null });
    expect((await ready()).failing).not.toContain("database: store_unavailable");
  });

  test("keeps a failed run's error code until the next success", async () => {
    const setting = {
      chain_id: CHAIN_ID,
      rpc_urls: [`${NO_NODE}/a-key-of-ours`],
      name: "Test",
      key: "test",
      native: { symbol: "ETH", decimals: 18 },
    };
    const cutOff = causeway.isolate({ CHAINS: JSON.stringify([setting]) });
    await indexFlowsJob.run(cutOff.context());
    const down = await ready(cutOff);
    expect(down.text).not.toContain("a-key-of-ours");
    expect(down.indexes[0]).toMatchObject({ head: null, lag: null, error: "upstream_unavailable" });
    await indexFlowsJob.run(causeway.context());
    expect((await ready()).indexes[0]).toMatchObject({ lag: 0, error: null });
  });
});

describe("handleMessages()", () => {
  test("backfills idempotently", async () => {
    await causeway.db.delete(flows);
    const body = { chain_id: CHAIN_ID, from: 0, to: 10 };
    const messages = [message(body), message(body)];
    await handleMessages({ queue: "causeway-flows", messages }, causeway.context);
    expect(messages.map(({ fate }) => fate)).toEqual([["ack"], ["ack"]]);
  });

  test("retries a message whose chain does not answer or that is malformed", async () => {
    const messages = [message({ chain_id: 1, from: 0, to: 1 }), message({ chain_id: "x" }), message(null)];
    await handleMessages({ queue: "causeway-flows", messages }, causeway.context);
    expect(messages.map(({ fate }) => fate)).toEqual([["retry"], ["retry"], ["retry"]]);
  });

  test("only logs dead letters", async () => {
    const dead = message({ chain_id: CHAIN_ID, from: 0, to: 10 });
    await handleMessages({ queue: "causeway-flows-dead", messages: [dead] }, causeway.context);
    expect(dead.fate).toEqual(["ack"]);
  });
});
