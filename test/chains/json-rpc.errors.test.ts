import { describe, expect, test } from "vitest";
import { callNode, RpcError } from "../../src/chains/json-rpc.ts";
import { type RpcAnswer, startNode } from "../support/chains/rpc-node.ts";
import { realFetch, serve } from "../support/local-server.ts";

async function failureOf(answer: RpcAnswer): Promise<unknown> {
  const { url } = await startNode(() => answer);
  const asked = callNode(realFetch, { url, method: "eth_call", params: [] });
  const outcome: unknown = await asked.catch((error: unknown) => ({ error }));
  if (typeof outcome === "object" && outcome !== null && "error" in outcome) return outcome.error;
  throw new Error("it did not fail", { cause: outcome });
}

describe("callNode() with a node's own error", () => {
  const DATA = "0x08c379a0";
  test.each<[string, { code: number; message: string; data?: unknown }, unknown]>([
    [
      "geth, revert with data",
      { code: 3, message: "execution reverted", data: DATA },
      { kind: "revert", data: DATA },
    ],
    [
      "geth, revert without data",
      { code: -32000, message: "execution reverted" },
      { kind: "revert", data: null },
    ],
    ["code 3 alone", { code: 3, message: "" }, { kind: "revert", data: null }],
    [
      "nethermind",
      { code: -32015, message: "VM execution error.", data: DATA },
      { kind: "revert", data: DATA },
    ],
    ["ganache", { code: -32000, message: "x", data: { data: DATA } }, { kind: "revert", data: DATA }],
    [
      "two deep",
      { code: -32000, message: "x", data: { data: { data: DATA } } },
      { kind: "revert", data: DATA },
    ],
    ["gas", { code: -32000, message: "out of gas" }, { kind: "revert" }],
    ["opcode", { code: -32000, message: "invalid opcode: INVALID" }, { kind: "revert" }],
    ["method", { code: -32601, message: "Method not found" }, { kind: "unsupported", data: null }],
    [
      "method, other code",
      { code: -32000, message: "the method eth_x does not exist/is not available" },
      { kind: "unsupported" },
    ],
    [
      "method, public node",
      { code: -32001, message: "eth_simulateV1 is not supported" },
      { kind: "unsupported" },
    ],
    ["limit", { code: -32005, message: "daily request count exceeded" }, { kind: "node", data: null }],
    ["limit, with a page", { code: -32005, message: "limit", data: { see: "https://x" } }, { kind: "node" }],
    ["state", { code: -32000, message: "missing trie node" }, { kind: "node" }],
    ["timeout", { code: -32000, message: "execution aborted (timeout = 5s)" }, { kind: "node" }],
    ["internal", { code: -32603, message: "Internal error" }, { kind: "node" }],
  ])("%s", async (_whose, error, told) => {
    const failed = await failureOf({ error });
    expect(failed).toBeInstanceOf(RpcError);
    expect(failed).toMatchObject(told as object);
  });

  test("throws it at any HTTP status", async () => {
    const { url } = await serve((_, response) =>
      response.writeHead(400).end('{"error":{"code":3,"message":"execution reverted","data":"0x"}}'),
    );
    const asked = callNode(realFetch, { url, method: "m", params: [] });
    await expect(asked).rejects.toMatchObject({ name: "RpcError", kind: "revert", data: "0x" });
  });

  test("throws it when the answer also has a null result", async () => {
    const { url } = await serve((_, response) =>
      response.end('{"id":1,"result":null,"error":{"code":3,"message":"execution reverted"}}'),
    );
    const asked = callNode(realFetch, { url, method: "m", params: [] });
    await expect(asked).rejects.toMatchObject({ name: "RpcError", kind: "revert" });
  });
});
