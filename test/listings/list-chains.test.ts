import { expect, test } from "vitest";
import { composeApp } from "../../src/app.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";

const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;
const base = contractsClient(() => ({ ok: false, data: "0x" }));

/** A client of a chain whose nodes say that no address has code, or fail. */
const nodeOf = (chainId: number, works: boolean): ChainClient => ({
  ...base,
  definition: { ...base.definition, chainId },
  request: () => (works ? Promise.resolve("0x") : Promise.reject(new RpcError("unsupported", "eth_getCode"))),
});

/** Reads the chains from nodes that work or fail; returns the Routers and the headers that caches obey. */
async function listed(works: readonly boolean[]) {
  const clients = works.map((one, index) => nodeOf(index + 1, one));
  const app = composeApp(() => testContext({ clients }));
  const response = await app.fetch(new Request("https://causeway.example/v1/chains"), {}, execution);
  const chains = (await response.json()) as { deposit_router: string | null }[];
  const caching = ["cache-control", "cloudflare-cdn-cache-control"].map((name) => response.headers.get(name));
  return { status: response.status, routers: chains.map((chain) => chain.deposit_router), caching };
}

test("GET /v1/chains is not cached while a chain's Router cannot be read", async () => {
  expect(await listed([true, false])).toEqual({
    status: 200,
    routers: [null, null],
    caching: ["private, no-store", "private, no-store"],
  });
});

test("GET /v1/chains is cached for a minute, because a node may wrongly say that there is no Router", async () => {
  const { caching } = await listed([true, true]);
  expect(caching).toEqual([
    "public, max-age=0, s-maxage=60, stale-while-revalidate=60",
    "public, max-age=60, stale-while-revalidate=60, stale-if-error=60",
  ]);
});
