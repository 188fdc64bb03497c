import { expect, test } from "vitest";
import { composeApp } from "../../src/app.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { fixedDatabase } from "../support/withdrawals/withdrawing.ts";

const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
const client = contractsClient(() => ({ ok: false, data: "0x" }));

/** A client of a chain whose nodes answer every request, or fail. */
const nodeOf = (chainId: number, works: boolean): ChainClient => ({
  ...client,
  definition: { ...client.definition, chainId },
  request: () =>
    works ? Promise.resolve("0x10") : Promise.reject(new RpcError("unsupported", "eth_blockNumber")),
});

/** Reads readiness with a working or broken database and two chains, and returns what a load balancer acts on. */
async function readiness({ database, chains }: { database: boolean; chains: readonly boolean[] }) {
  const db = database ? { db: fixedDatabase(() => []) } : {};
  const clients = chains.map((works, index) => nodeOf(index + 1, works));
  const app = composeApp(() => testContext({ ...db, clients }));
  const request = new Request("https://causeway.example/health/ready");
  const response = await app.fetch(request, {}, execution);
  const { status } = (await response.json()) as { status: string };
  const { headers } = response;
  return [response.status, status, headers.get("retry-after"), headers.get("cache-control")];
}

test.each([
  ["every chain is down", { database: true, chains: [false, false] }],
  ["there is no chain", { database: true, chains: [] }],
  ["the database is down", { database: false, chains: [true, true] }],
])("GET /health/ready answers 503 and says when to ask again while %s", async (_what, state) => {
  expect(await readiness(state)).toEqual([503, "degraded", "5", "private, no-store"]);
});

test("GET /health/ready answers 200 while one of two chains is down, because builds on the other work", async () => {
  const answer = await readiness({ database: true, chains: [true, false] });
  expect(answer).toEqual([200, "degraded", null, "private, no-store"]);
});

test("GET /health/ready answers 200 while everything responds", async () => {
  const answer = await readiness({ database: true, chains: [true, true] });
  expect(answer).toEqual([200, "ok", null, "private, no-store"]);
});

test("GET /health/ready asks each chain for its head once, and again only after five seconds", async () => {
  const parts = { db: fixedDatabase(() => []), clients: [] as ChainClient[], nowMs: 1_700_000_000_000 };
  const asked: number[] = [];
  parts.clients = [1, 2].map((chainId) => {
    const { request, ...node } = nodeOf(chainId, chainId === 1);
    return {
      ...node,
      request: (...of: Parameters<typeof request>) => {
        asked.push(chainId);
        return request(...of);
      },
    };
  });
  const ctx = testContext(parts);
  const app = composeApp(() => ctx);
  const read = async () => {
    const response = await app.fetch(new Request("https://causeway.example/health/ready"), {}, execution);
    return (await response.json()) as { indexes: { head: number | null }[] };
  };
  const first = await read();
  expect(first.indexes.map(({ head }) => head)).toEqual([16, null]);
  parts.nowMs += 4_999;
  expect(await Promise.all([read(), read()])).toEqual([first, first]);
  expect(asked).toEqual([1, 2]);
  expect(ctx.redis.commands.filter((command) => command.startsWith("ping"))).toHaveLength(1);
  parts.nowMs += 1;
  await Promise.all([read(), read()]);
  expect(asked).toEqual([1, 2, 1, 2]);
});
