import { describe, expect, test } from "vitest";
import { clientOn, type RpcAnswer, startHonestNode } from "../support/chains/rpc-node.ts";

const good: RpcAnswer = { result: "0x60" };
const answers = (answer: RpcAnswer) => startHonestNode(() => answer);
describe("ChainClient.request() on pruned nodes", () => {
  test.each([
    // geth, a pruned node asked for an old block.
    "missing trie node 5c2a (path ) state 0x5c2a is not available",
    "historical state 5c2a is not available",
    "block #5 does not exist",
    "transaction type not supported",
  ])("does not take a missing state or block for an unsupported method: %s", async (message) => {
    const now: { answer: RpcAnswer } = { answer: { error: { code: -32000, message } } };
    const [first, second] = [await startHonestNode(() => now.answer), await answers({ result: "0x61" })];
    const { client, clock } = clientOn([first, second]);
    expect(await client.request("eth_call", [{}, "0x1"])).toBe("0x61");
    now.answer = good;
    clock.now += 30_000;
    expect(await client.request("eth_call", [{}, "latest"])).toBe("0x60");
  });
});

test("ChainClient.request() keeps nodes in service after a call on a pruned block", async () => {
  const pruned = { code: -32000, message: "missing trie node 5c2a (path ) state 0x5c2a is not available" };
  const node = () =>
    startHonestNode(({ params }): RpcAnswer => (params[1] === "latest" ? good : { error: pruned }));
  const { client } = clientOn([await node(), await node(), await node()]);
  await client.request("eth_call", [{}, "0x1"]).catch(() => null);
  expect(await client.request("eth_call", [{}, "latest"])).toBe("0x60");
});
