import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { readRegister } from "../../../src/registry/registers/read-register.ts";
import { createVaultV2 } from "../../../src/registry/registers/register-events.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testChain } from "../../support/chains/rpc-node.ts";

const HEAD = 100_000_000;
const hash = numberToHex(7, { size: 32 });

/** A factory whose events started at a block, or at an unknown one. */
const register = (from: number | null) => ({
  ...({ chainId: testChain.chainId, address: `0x${"77".repeat(20)}`, adapter: "morpho_v2" } as const),
  ...({ protocol: "Scratch", openness: "anybody", membership: null, isFactory: true } as const),
  reading: { kind: "events", event: createVaultV2, vaults: ["newVaultV2"], from } as const,
});

/** A client of a node that returns no logs, with the ranges and methods that it was asked for. */
function nodeOf(maxLogBlocks?: number) {
  const ranges: [from: number, to: number][] = [];
  const methods = new Set<string>();
  const client = completeClient({
    definition: { ...testChain, ...(maxLogBlocks === undefined ? {} : { maxLogBlocks }) },
    observe: () => undefined,
    async request(method: string, [first]: readonly unknown[]) {
      methods.add(method);
      if (method === "eth_getBlockByNumber") return { number: first, hash, timestamp: "0x1" };
      if (method !== "eth_getLogs") return null;
      const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
      ranges.push([Number(fromBlock), Number(toBlock)]);
      return [];
    },
  });
  return { client, ranges, methods };
}

describe("readRegister() of events", () => {
  test("reads 50,000 blocks per request, so that a read gets 600,000 blocks further", async () => {
    const { client, ranges } = nodeOf();
    const read = await readRegister(client, { register: register(1), readTo: null, head: HEAD });
    expect(read).toEqual({ vaults: [], complete: false, readTo: 600_000, behind: true });
    expect(ranges[0]).toEqual([1, 50_000]);
    expect(ranges).toHaveLength(12);
  });

  test("reads fewer blocks per request if told to", async () => {
    const { client, ranges } = nodeOf();
    await readRegister(client, { register: register(1), readTo: 9, head: HEAD, maxBlocks: 2_000 });
    expect(ranges[0]).toEqual([10, 2_009]);
  });

  test.each<[string, number | null, number | null]>([
    ["the history is unread", null, 1_000],
    ["the first block is unknown", null, null],
    ["the reading has stopped for long", 2_000_000, 1_000],
  ])(
    "reads only the newest blocks where nodes return few at a time, and says so: %s",
    async (_what, readTo, from) => {
      const { client, ranges, methods } = nodeOf(50);
      const first = HEAD - 50_000 + 1;
      const read = await readRegister(client, { register: register(from), readTo, head: HEAD });
      const skipped = { from: readTo === null ? (from ?? 0) : readTo + 1, to: first - 1 };
      expect(read).toEqual({ vaults: [], complete: false, readTo: first + 599, behind: true, skipped });
      expect(ranges[0]).toEqual([first, first + 49]);
      // No block is searched for.
      expect(methods.has("eth_call")).toBe(false);
    },
  );

  test("skips nothing there while it keeps up", async () => {
    const { client, ranges } = nodeOf(50);
    const read = await readRegister(client, { register: register(1), readTo: HEAD - 300, head: HEAD });
    expect(read).toEqual({ vaults: [], complete: false, readTo: HEAD, behind: false });
    expect(ranges).toHaveLength(6);
  });
});
