import { describe, expect, test } from "vitest";
import { AppError } from "../../src/errors.ts";
import { hurryDeadlines } from "../support/local-server.ts";
import {
  clientOn,
  type Fault,
  faultNames,
  type RpcAnswer,
  startHonestNode,
  startNode,
} from "../support/rpc-node.ts";

const good: RpcAnswer = { result: "0x60" };
const answers = (answer: RpcAnswer) => startHonestNode(() => answer);
const methodsOf = (node: { calls: { method: string }[] }) => node.calls.map(({ method }) => method).sort();
const wrongChain = () => startNode(({ method }) => (method === "eth_chainId" ? { result: "0x1" } : good));

describe("a request", () => {
  test("goes to the first node, whose chain is asked once", async () => {
    const [first, second] = [await answers(good), await answers({ result: "0x61" })];
    const { client, timing } = clientOn([first, second]);
    expect(await client.request("eth_getCode", ["0xab", "latest"])).toBe("0x60");
    expect(await client.request("eth_getCode", ["0xab", "latest"])).toBe("0x60");
    expect(methodsOf(first)).toEqual(["eth_chainId", "eth_getCode", "eth_getCode"]);
    expect([second.calls, timing.requests("rpc")]).toEqual([[], 3]);
    expect(first.calls.find(({ method }) => method === "eth_getCode")?.params).toEqual(["0xab", "latest"]);
  });

  test("of eth_call asks nothing else: our programs tell the chain themselves", async () => {
    const node = await answers(good);
    await clientOn([node]).client.request("eth_call", []);
    expect(methodsOf(node)).toEqual(["eth_call"]);
  });

  test.each(faultNames)("goes on to the next node when the first answers with %s", async (fault) => {
    if (fault === "hang" || fault === "slow_body") hurryDeadlines(10);
    const [broken, fine] = [await answers({ fault }), await answers(good)];
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
  ])("goes on to the next node when the first names %s for its chain", async (_what, answer) => {
    const liar = await startNode(({ method }) => (method === "eth_chainId" ? answer : { result: "0xbad0" }));
    const { client, health } = clientOn([liar, await answers(good)]);
    expect(await client.request("eth_getCode", [])).toBe("0x60");
    expect(health.isVerified(liar.url)).toBe(false);
  });

  test("goes on after a node's own failure", async () => {
    const limited = await answers({ error: { code: -32005, message: "daily request count exceeded" } });
    expect(await clientOn([limited, await answers(good)]).client.request("eth_call", [])).toBe("0x60");
  });

  test("tries three nodes at most", async () => {
    const nodes = await Promise.all(Array.from({ length: 4 }, () => answers({ fault: "status_500" })));
    await expect(clientOn(nodes).client.request("eth_call", [])).rejects.toThrow();
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 0]);
  });
});

describe("a node that failed", () => {
  test("is asked last for thirty seconds, and only when the others fail", async () => {
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

  test("is still asked when no other is left", async () => {
    const flaky: { answer: RpcAnswer } = { answer: { fault: "reset" } };
    const { client } = clientOn([await startHonestNode(() => flaky.answer)]);
    await expect(client.request("eth_call", [])).rejects.toThrow();
    flaky.answer = good;
    expect(await client.request("eth_call", [])).toBe("0x60");
  });
});

describe("no node", () => {
  const refusal = async (fault: Fault) => {
    const { client } = clientOn([await answers({ fault })]);
    return client.request("eth_call", []).catch((error: unknown) => error);
  };

  test("with an answer is 502, without a word of theirs", async () => {
    const error = await refusal("status_500");
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({
      code: "upstream_unavailable",
      message: "no node of Testchain gave a usable answer",
    });
  });

  test("in time is 504", async () => {
    hurryDeadlines(10);
    expect(await refusal("hang")).toMatchObject({ code: "upstream_timeout" });
  });

  test("on the right chain is 502", async () => {
    const { client } = clientOn([await wrongChain(), await wrongChain()]);
    await expect(client.request("eth_getCode", [])).rejects.toMatchObject({ code: "upstream_unavailable" });
  });
});

describe("observe", () => {
  const observed = async () => {
    const node = await answers(good);
    const under = clientOn([node, { url: "http://127.0.0.1:9" }]);
    await under.client.request("eth_call", []);
    const order = () => under.health.order(under.client.definition.rpcUrls, under.clock.now);
    return { ...under, node, order, avoided: () => order()[0] !== node.url };
  };

  test("takes the right chain for the node's word, so that it is not asked again", async () => {
    const { client, node } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    await client.request("eth_getCode", []);
    expect(methodsOf(node)).toEqual(["eth_call", "eth_getCode"]);
  });

  test("refuses the wrong chain", async () => {
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
  ])("after block 100, block %i puts the node last: %s", async (blockNumber, last) => {
    const { client, avoided } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    const again = () => client.observe({ chainId: 31337, blockNumber });
    if (last) expect(again).toThrow("fell behind itself");
    else again();
    expect(avoided()).toBe(last);
  });

  test("learns nothing from an answer that names no block", async () => {
    const { client, avoided } = await observed();
    client.observe({ chainId: 31337, blockNumber: 100 });
    client.observe({ chainId: 31337, blockNumber: null });
    expect(avoided()).toBe(false);
  });
});
