import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkNode } from "../../../scripts/rpc/check-node.ts";
import { type ScratchChain, startScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";

const CHAIN = 31401;
let chain: ScratchChain;
let server: Server;
let url: string;

type Call = { method: string; params: { fromBlock?: string; toBlock?: string }[] };
/** Selects the calls that the proxy rejects; it forwards the others. */
let refuses: (call: Call) => boolean = () => false;

beforeAll(async () => {
  chain = await startScratchChain("--chain-id", String(CHAIN));
  await chain.node.mine({ blocks: 3_000 });
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (refuses(JSON.parse(body) as Call))
      return response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"no"}}');
    const headers = { "content-type": "application/json" };
    const answer = await fetch(String(chain.node.transport["url"]), { method: "POST", headers, body });
    return response.end(await answer.text());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await chain?.stop();
});

const check = (chainId = CHAIN) => checkNode({ url, chainId, now: Date.now() });

test("checkNode() reports a fully capable node", async () => {
  refuses = () => false;
  expect(await check()).toEqual({
    problem: null,
    head: 3_000,
    ageS: expect.any(Number),
    logRange: 2_000,
    overrides: true,
    simulates: true,
    ms: expect.any(Number),
  });
});

describe("checkNode() on a limited node", () => {
  const refusing = (name: string) => (call: Call) => call.method === name;

  test.each<[string, (call: Call) => boolean, object]>([
    ["simulation", refusing("eth_simulateV1"), { simulates: false, overrides: true, problem: null }],
    ["overrides", refusing("eth_call"), { simulates: true, overrides: false, problem: null }],
    ["logs", refusing("eth_getLogs"), { logRange: null, problem: null }],
    [
      "logs of many blocks",
      ({ method, params: [filter] }) =>
        method === "eth_getLogs" && Number(filter?.toBlock) - Number(filter?.fromBlock) >= 1_000,
      { logRange: 1_000 },
    ],
    ["a head", refusing("eth_getBlockByNumber"), { problem: "tells no head", head: null }],
    ["a chain", refusing("eth_chainId"), { problem: "no answer" }],
  ])("%s", async (_what, refused, seen) => {
    refuses = refused;
    expect(await check()).toMatchObject(seen);
  });

  test("reports another chain and a node without answers", async () => {
    refuses = () => false;
    expect(await check(1)).toMatchObject({ problem: `of chain ${CHAIN}`, head: null });
    expect(await checkNode({ url: "http://127.0.0.1:9", chainId: 1, now: 0 })).toMatchObject({
      problem: "no answer",
    });
  });
});
