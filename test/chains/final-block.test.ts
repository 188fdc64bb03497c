import { describe, expect, test } from "vitest";
import { readFinalBlock } from "../../src/chains/final-block.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { wireBlock } from "../support/chains/wire.ts";

const HEAD = 10_000;
const latest = { number: HEAD, hash: wireBlock(HEAD, 0).hash, timestamp: 0 };

/** The number of the final block by a node that answers `finalized` so, above which an earlier reading lay. */
async function finalBy(finalized: unknown, { atLeast = 0 } = {}): Promise<number> {
  const request = async (_method: string, [tag]: readonly unknown[]): Promise<unknown> => {
    if (tag !== "finalized") return wireBlock(Number(tag), 0);
    if (finalized instanceof Error) throw finalized;
    return typeof finalized === "number" ? wireBlock(finalized, 0) : finalized;
  };
  return (await readFinalBlock({ request }, { latest, atLeast })).number;
}

describe("readFinalBlock()", () => {
  test("is the node's finalized block, but at least 64 blocks below the head", async () => {
    expect(await finalBy(9_000)).toBe(9_000);
    expect(await finalBy(9_990)).toBe(9_936);
  });

  test.each<[string, unknown]>([
    ["does not support the tag", new RpcError("unsupported", "method not found")],
    ["has no finalized block yet", new RpcError("node", "-32000: finalized block not found")],
    ["knows no such block", new RpcError("node", "-39001: Unknown block")],
    ["answers null", null],
  ])("is 1,024 blocks below the head if the node %s", async (_what, answer) => {
    expect(await finalBy(answer)).toBe(HEAD - 1_024);
  });

  test.each<[string, unknown]>([
    ["an error that says nothing of the block", new RpcError("node", "-32005: rate limit exceeded")],
    ["another thing than a block", { number: "soon" }],
  ])("fails for %s, so that another node is asked", async (_what, answer) => {
    await expect(finalBy(answer)).rejects.toThrow();
  });

  test("never goes back", async () => {
    expect(await finalBy(9_000, { atLeast: 9_500 })).toBe(9_500);
    expect(await finalBy(null, { atLeast: 9_500 })).toBe(9_500);
    await expect(finalBy(9_000, { atLeast: HEAD + 1 })).rejects.toThrow("behind the final block");
  });
});
