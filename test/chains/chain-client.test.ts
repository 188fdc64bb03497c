import { describe, expect, test } from "vitest";
import { AppError } from "../../src/errors.ts";
import {
  clientOn,
  type Fault,
  faultNames,
  type RpcAnswer,
  startHonestNode,
  startNode,
} from "../support/chains/rpc-node.ts";
import { holdTimeouts } from "../support/local-server.ts";

const good: RpcAnswer = { result: "0x60" };
const answers = (answer: RpcAnswer) => startHonestNode(() => answer);
/** Starts a node with a fault; what waits for it in vain meets its deadline, and nothing else does. */
const failing = (fault: Fault) => {
  const deadlines = holdTimeouts();
  return startHonestNode(() => {
    if (fault === "hang") deadlines.expire();
    // Some of the body has come by then, or none.
    if (fault === "slow_body") setTimeout(deadlines.expire, 50);
    return { fault };
  });
};
const methodsOf = (node: { calls: { method: string }[] }) => node.calls.map(({ method }) => method).sort();
const wrongChain = () => startNode(({ method }) => (method === "eth_chainId" ? { result: "0x1" } : good));

describe("ChainClient.request()", () => {
  test("asks the first node, and its chain id once", async () => {
    const [first, second] = [await answers(good), await answers({ result: "0x61" })];
    const { client, timing } = clientOn([first, second]);
    expect(await client.request("eth_getCode", ["0xab", "latest"])).toBe("0x60");
    expect(await client.request("eth_getCode", ["0xab", "latest"])).toBe("0x60");
    expect(methodsOf(first)).toEqual(["eth_chainId", "eth_getCode", "eth_getCode"]);
    expect([second.calls, timing.requests("rpc")]).toEqual([[], 3]);
    expect(first.calls.find(({ method }) => method === "eth_getCode")?.params).toEqual(["0xab", "latest"]);
  });

  test("sends eth_call without a check of the chain id", async () => {
    const node = await answers(good);
    await clientOn([node]).client.request("eth_call", []);
    expect(methodsOf(node)).toEqual(["eth_call"]);
  });

  test.each(faultNames)("fails over to the next node when the first answers with %s", async (fault) => {
    const [broken, fine] = [await failing(fault), await answers(good)];
    const { client, health, clock } = clientOn([broken, fine]);
    expect(await client.request("eth_getCode", [])).toBe("0x60");
    expect(broken.calls.length).toBeGreaterThan(0);
    expect(health.order([broken.url, fine.url], clock.now)).toEqual([fine.url, broken.url]);
  });

  test.each([
    ["nothing", { result: null }],
    ["another", { result: "0x1" }],
    ["no number", { result: "mainnet" }],
    ["an object", { result: {} }],
    ["an error", { error: { code: -32000, message: "no" } }],
  ])("fails over to the next node when the first has chain id %s", async (_what, answer) => {
    const liar = await startNode(({ method }) => (method === "eth_chainId" ? answer : { result: "0xbad0" }));
    const { client, health } = clientOn([liar, await answers(good)]);
    expect(await client.request("eth_getCode", [])).toBe("0x60");
    expect(health.isVerified(liar.url)).toBe(false);
  });

  test("fails over after a node's own error", async () => {
    const limited = await answers({ error: { code: -32005, message: "daily request count exceeded" } });
    expect(await clientOn([limited, await answers(good)]).client.request("eth_call", [])).toBe("0x60");
  });

  test("tries three nodes at most", async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, () => answers({ fault: "status_500" })));
    await expect(clientOn(nodes).client.request("eth_call", [])).rejects.toThrow();
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 0]);
  });
});

describe("ChainClient.request() after a node failed", () => {
  test("tries it last for thirty seconds, only when the others fail", async () => {
    const broken: { answer: RpcAnswer } = { answer: { fault: "status_500" } };
    const [first, second] = [await startHonestNode(() => broken.answer), await answers({ result: "0x61" })];
    const { client, clock } = clientOn([first, second]);
    expect(await client.request("eth_call", [])).toBe("0x61");
    broken.answer = good;
    clock.now += 29_999;
    expect(await client.request("eth_call", [])).toBe("0x61");
    expect(first.calls).toHaveLength(1);
    clock.now += 1;
    expect(await client.request("eth_call", [])).toBe("0x60");
  });

  test("still tries it when it is the only node", async () => {
    const flaky: { answer: RpcAnswer } = { answer: { fault: "reset" } };
    const { client } = clientOn([await startHonestNode(() => flaky.answer)]);
    await expect(client.request("eth_call", [])).rejects.toThrow();
    flaky.answer = good;
    expect(await client.request("eth_call", [])).toBe("0x60");
  });
});

describe("ChainClient.request() when all nodes fail", () => {
  const refusal = async (fault: Fault) => {
    const { client } = clientOn([await failing(fault)]);
    return client.request("eth_call", []).catch((error: unknown) => error);
  };

  test("throws upstream_unavailable without the nodes' messages", async () => {
    const error = await refusal("status_500");
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: "upstream_unavailable",
      message: "no node of Testchain gave a usable answer",
    });
  });

  test("throws upstream_timeout when the last one timed out", async () => {
    expect(await refusal("hang")).toMatchObject({ code: "upstream_timeout" });
  });

  test("throws upstream_unavailable when none is on the right chain", async () => {
    const { client } = clientOn([await wrongChain(), await wrongChain()]);
    await expect(client.request("eth_getCode", [])).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("ChainClient.observe()", () => {
  const observed = async () => {
    const node = await answers(good);
    const under = clientOn([node, { url: "http://127.0.0.1:9" }]);
    await under.client.request("eth_call", []);
    const order = () => under.health.order(under.client.definition.rpcUrls, under.clock.now);
    return { ...under, node, order, avoided: () => order()[0] !== node.url };
  };

  test("verifies the chain id, so that it is not requested again", async () => {
    const { client, node } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    await client.request("eth_getCode", []);
    expect(methodsOf(node)).toEqual(["eth_call", "eth_getCode"]);
  });

  test("throws for the wrong chain id", async () => {
    const { client, health, node } = await observed();
    expect(() => client.observe({ chainId: 1, blockNumber: 100 })).toThrow(
      expect.objectContaining({ name: "OutsideError", kind: "malformed" }),
    );
    expect(health.isVerified(node.url)).toBe(false);
  });

  test.each([
    [100, false],
    [92, false],
    [91, true],
    [0, true],
  ])("avoids the node when block %i follows block 100: %s", async (blockNumber, last) => {
    const { client, avoided } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    const again = () => client.observe({ chainId: 31337, blockNumber });
    if (last) expect(again).toThrow("fell behind itself");
    else again();
    expect(avoided()).toBe(last);
  });

  test("ignores a report without a block", async () => {
    const { client, avoided } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    client.observe({ chainId: 31337, blockNumber: null });
    expect(avoided()).toBe(false);
  });
});
