import { expect, test } from "vitest";
import { createChainClient, NodeHealth } from "../../src/chains/chain-client.ts";
import { Breakers } from "../../src/lib/circuit-breaker.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { type RpcAnswer, startNode, testChain } from "../support/chains/rpc-node.ts";
import { holdTimeouts, realFetch } from "../support/local-server.ts";
import { stoppedClock } from "../support/stopped-clock.ts";

/**
 * Nodes whose behaviour the test changes, and clients of many requests that share the isolate's memory. What hangs meets
 * its deadline at once.
 */
async function isolateOn(count: number) {
  const deadlines = holdTimeouts();
  const clock = stoppedClock();
  const hang = (): RpcAnswer => {
    clock.skip(deadlines.expire());
    return { fault: "hang" };
  };
  const modes: ("answer" | "hang" | "simulations_hang")[] = Array.from({ length: count }, () => "answer");
  const nodes = await Promise.all(
    modes.map((_, index) =>
      startNode(({ method }): RpcAnswer => {
        if (modes[index] === "hang") return hang();
        if (modes[index] === "simulations_hang" && method === "eth_simulateV1") return hang();
        return { result: method === "eth_chainId" ? "0x7a69" : "0x10" };
      }),
    ),
  );
  const now = clock.now;
  const breakers = new Breakers(now);
  const health = new NodeHealth(breakers);
  const definition = { ...testChain, rpcUrls: nodes.map(({ url }) => url) };
  const timing = new Timing(now);
  const ask = (method = "eth_blockNumber") =>
    createChainClient({ definition, health, fetch: realFetch, timing, now })
      .request(method, [])
      .catch((error: { code?: string }) => error.code);
  return { modes, nodes, breakers, ask, clock };
}

test("a node that hangs costs one request its timeout, and the next one a second", async () => {
  const { modes, nodes, breakers, ask, clock } = await isolateOn(1);
  expect(await ask()).toBe("0x10");
  modes[0] = "hang";
  expect(await ask()).toBe("upstream_timeout");
  expect(await ask()).toBe("upstream_timeout");
  const sent = nodes[0]?.calls.length ?? 0;
  for (let request = 0; request < 30; request += 1) expect(await ask()).toBe("upstream_timeout");
  expect(nodes[0]?.calls.length).toBe(sent);
  expect(breakers.report()).toMatchObject([{ name: "chain:31337:node:1", state: "open" }]);

  modes[0] = "answer";
  clock.skip(4_000);
  expect(await ask()).toBe("0x10");
  expect(breakers.report()).toMatchObject([{ state: "closed", hangs: 0 }]);
});

test("while one of two nodes hangs, the other one answers without a wait", async () => {
  const { modes, nodes, ask, clock } = await isolateOn(2);
  expect(await ask()).toBe("0x10");
  modes[0] = "hang";
  expect(await ask()).toBe("0x10");
  // The hanging node is first again after half a minute; trying it then costs a second at most.
  clock.skip(31_000);
  expect(await ask()).toBe("0x10");
  const sent = nodes[0]?.calls.length;
  for (let request = 0; request < 20; request += 1) expect(await ask()).toBe("0x10");
  expect(nodes[0]?.calls.length).toBe(sent);
});

test("simulations that callers make slow do not turn a node off for others", async () => {
  const { modes, breakers, ask } = await isolateOn(1);
  modes[0] = "simulations_hang";
  for (let round = 0; round < 7; round += 1) {
    expect(await ask("eth_simulateV1")).toBe("upstream_timeout");
    expect(await ask()).toBe("0x10");
  }
  expect(breakers.report()).toMatchObject([{ state: "closed" }]);
});
