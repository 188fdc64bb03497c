import { describe, expect, test } from "vitest";
import { callNode } from "../../src/chains/json-rpc.ts";
import { OutsideError, type OutsideFailure } from "../../src/lib/bounded-fetch.ts";
import { type Fault, type RpcAnswer, startNode } from "../support/chains/rpc-node.ts";
import { fetchOfLateBodies, holdTimeouts, realFetch, serve } from "../support/local-server.ts";

async function ask(answer: RpcAnswer): Promise<unknown> {
  const { url } = await startNode(() => answer);
  return callNode(realFetch, { url, method: "eth_call", params: [] });
}

async function failureOf(answer: RpcAnswer): Promise<unknown> {
  const outcome: unknown = await ask(answer).catch((error: unknown) => ({ error }));
  if (typeof outcome === "object" && outcome !== null && "error" in outcome) return outcome.error;
  throw new Error("it did not fail", { cause: outcome });
}

describe("callNode() request", () => {
  test("is one JSON-RPC call, never a batch", async () => {
    const { url, requests } = await serve((_, response) => response.end('{"result":"0x1"}'));
    await callNode(realFetch, { url, method: "eth_getBalance", params: ["0xab", "latest"] });
    expect(requests).toMatchObject([{ method: "POST", headers: { "content-type": "application/json" } }]);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getBalance",
      params: ["0xab", "latest"],
    });
  });

  test("may take five seconds", async () => {
    const deadlines = holdTimeouts();
    const passed: number[] = [];
    const { url } = await serve(() => passed.push(deadlines.expire()));
    const asked = callNode(realFetch, { url, method: "eth_call", params: [] });
    await expect(asked).rejects.toMatchObject({ kind: "timeout" });
    expect(passed).toEqual([5_000]);
  });

  test("may have two mebibytes of an answer", async () => {
    const most = `0x${"00".repeat(1_000_000)}`;
    expect(await ask({ result: most })).toBe(most);
    await expect(ask({ fault: "oversize" })).rejects.toMatchObject({ kind: "too_large" });
  });
});

describe("callNode() result", () => {
  test.each([["0x01"], [null], [{ a: [1] }], [[]], [false], [0], [""]])(
    "is given as it is: %j",
    async (result) => {
      expect(await ask({ result })).toEqual(result);
    },
  );

  test("of a node that also sends headers, ids and members of its own is given", async () => {
    const { url } = await serve((_, response) => response.end('{"id":7,"result":"0x2","took":5}'));
    expect(await callNode(realFetch, { url, method: "m", params: [] })).toBe("0x2");
  });
});

describe("callNode() with a malformed answer", () => {
  test.each<[Fault, OutsideFailure, number | null]>([
    ["reset", "network", null],
    ["status_429", "status", 429],
    ["status_500", "status", 500],
    ["status_503", "status", 503],
    ["redirect", "status", 302],
    ["html", "malformed", null],
    ["empty", "malformed", null],
    ["truncated", "malformed", null],
    ["garbage", "malformed", null],
    ["no_result", "malformed", null],
    ["batch", "malformed", null],
    ["error_text", "malformed", null],
  ])("%s is a failure below JSON-RPC: %s", async (fault, kind, status) => {
    const error = await failureOf({ fault });
    expect(error).toBeInstanceOf(OutsideError);
    expect(error).toMatchObject({ kind, status });
  });

  test("slow_body is cut off by the same deadline", async () => {
    const fetch = fetchOfLateBodies(holdTimeouts());
    const { url } = await startNode(() => ({ fault: "slow_body" }));
    const asked = callNode(fetch, { url, method: "eth_call", params: [] });
    await expect(asked).rejects.toMatchObject({ kind: "timeout" });
  });

  test("has no part of what the node said in its message", async () => {
    for (const fault of ["status_500", "html", "garbage"] as const) {
      expect(String(await failureOf({ fault }))).not.toMatch(/oops|Just a moment|127\.0\.0\.1/);
    }
  });

  test("is told by the status even when the body looks like a result", async () => {
    const { url } = await serve((_, response) => response.writeHead(500).end('{"result":"0x1"}'));
    const asked = callNode(realFetch, { url, method: "m", params: [] });
    await expect(asked).rejects.toMatchObject({ kind: "status", status: 500 });
  });
});
