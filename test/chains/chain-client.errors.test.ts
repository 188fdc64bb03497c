import { describe, expect, test } from "vitest";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { failure } from "../../src/errors.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../support/chains/rpc-node.ts";

const good: RpcAnswer = { result: "0x60" };
const answers = (answer: RpcAnswer) => startHonestNode(() => answer);
const reverts: RpcAnswer = { error: { code: 3, message: "execution reverted", data: "0x08c379a0" } };
const unknown: RpcAnswer = { error: { code: -32601, message: "the method does not exist/is not available" } };

describe("ChainClient.request() with a revert", () => {
  test("throws it without asking another node or avoiding this one", async () => {
    const [first, second] = [await answers(reverts), await answers(good)];
    const { client, health, clock } = clientOn([first, second]);
    await expect(client.request("eth_call", [])).rejects.toMatchObject({
      name: "RpcError",
      kind: "revert",
      data: "0x08c379a0",
    });
    expect(second.calls).toEqual([]);
    expect(health.order([first.url, second.url], clock.now)).toEqual([first.url, second.url]);
  });
});

describe("ChainClient.onOneNode() with work that fails by itself", () => {
  test("throws its AppError at once, and blames no node", async () => {
    const [first, second] = [await answers(good), await answers(good)];
    const { client, health, clock } = clientOn([first, second]);
    const work = async (node: NodeSession): Promise<never> => {
      await node.request("eth_call", []);
      throw failure("store_unavailable", "the database does not respond");
    };
    await expect(client.onOneNode(work)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(second.calls).toEqual([]);
    expect(health.order([first.url, second.url], clock.now)).toEqual([first.url, second.url]);
  });
});

describe("ChainClient.request() with an unsupported method", () => {
  test("asks the next node and does not avoid the first", async () => {
    const [first, second] = [await answers(unknown), await answers(good)];
    const { client, health, clock } = clientOn([first, second]);
    expect(await client.request("eth_simulateV1", [])).toBe("0x60");
    expect(health.order([first.url, second.url], clock.now)).toEqual([first.url, second.url]);
  });

  test("throws unsupported when no node has it", async () => {
    const nodes = [await answers(unknown), await answers(unknown)];
    const asked = clientOn(nodes).client.request("eth_simulateV1", []);
    await expect(asked).rejects.toMatchObject({ name: "RpcError", kind: "unsupported" });
  });

  test("does not ask the node for this method again, but for others", async () => {
    const [first, second] = [
      await startHonestNode(({ method }) => (method === "eth_simulateV1" ? unknown : { result: "0x62" })),
      await answers(good),
    ];
    const { client } = clientOn([first, second]);
    const results = [
      await client.request("eth_simulateV1", []),
      await client.request("eth_simulateV1", []),
      await client.request("eth_getCode", []),
    ];
    expect(results).toEqual(["0x60", "0x60", "0x62"]);
    expect(first.calls.filter(({ method }) => method === "eth_simulateV1")).toHaveLength(1);
  });

  test("throws unsupported without a request once all nodes are known to lack it", async () => {
    const node = await answers(unknown);
    const { client } = clientOn([node]);
    for (let time = 0; time < 3; time += 1) {
      await expect(client.request("eth_simulateV1", [])).rejects.toMatchObject({ kind: "unsupported" });
    }
    expect(node.calls.filter(({ method }) => method === "eth_simulateV1")).toHaveLength(1);
  });

  test("does not disable a method because of one caller's refused values", async () => {
    const node = await startHonestNode(({ params }) =>
      params[0] === "too large"
        ? { error: { code: -32602, message: "invalid params: number too large to fit in target type" } }
        : { result: "0x60" },
    );
    const { client, health, clock } = clientOn([node]);
    const asked = client.request("eth_simulateV1", ["too large"]);
    await expect(asked).rejects.toMatchObject({ name: "RpcError", kind: "unsupported" });
    expect(await client.request("eth_simulateV1", ["small"])).toBe("0x60");
    expect(health.order([node.url], clock.now)).toEqual([node.url]);
  });

  test.each(["too many arguments, want at most 2", "Invalid params: expected 2 params, got 3"])(
    "is also what takes fewer parameters: %s",
    async (message) => {
      const node = await answers({ error: { code: -32602, message } });
      const { client } = clientOn([node]);
      for (let time = 0; time < 3; time += 1) {
        await expect(client.request("eth_call", ["", "", ""])).rejects.toMatchObject({ kind: "unsupported" });
      }
      expect(node.calls.filter(({ method }) => method === "eth_call")).toHaveLength(1);
    },
  );
});
