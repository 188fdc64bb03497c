import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { hadCodeAtTime } from "../../src/registry/read-registry-age.ts";
import { completeClient } from "../support/chains/complete-client.ts";
import { testChain } from "../support/chains/rpc-node.ts";

const VAULT = { address: `0x${"77".repeat(20)}` } as const;
const NOW = 1_800_000_000;
const MONTH = 30 * 86_400;
const HEAD = 400_000_000;
const hash = numberToHex(7, { size: 32 });
const word = (value: number): string => value.toString(16).padStart(64, "0");

/** A node of a chain with a block every `seconds`, on which the vault has code since a block. */
function nodeOf(of: {
  since: number;
  seconds?: number;
  head?: number;
  /** How the node treats calls at older blocks. */
  calls?: "kept" | "pruned" | "at_head";
}) {
  const { since, seconds = 0.25, head = HEAD, calls = "kept" } = of;
  const looks: number[] = [];
  const timeOf = (block: number): number => Math.floor(NOW - (head - block) * seconds);
  const client = completeClient({
    definition: testChain,
    observe: () => undefined,
    async request(method: string, [first, second]: readonly unknown[]) {
      if (method === "eth_getBlockByNumber") {
        const number = first === "latest" ? head : Number(first);
        looks.push(number);
        return { number: numberToHex(number), hash, timestamp: numberToHex(timeOf(number)) };
      }
      if (calls === "pruned") throw new RpcError("node", "missing trie node");
      const block = calls === "at_head" ? head : Number(second);
      return `0x${word(timeOf(block))}${word(block >= since ? 1 : 0)}`;
    },
  });
  return { client, looks };
}

const asked = { ...VAULT, time: NOW - MONTH };
/** Number of blocks of a quarter second in a month. */
const BLOCKS = MONTH * 4;

describe("hadCodeAtTime()", () => {
  test.each([0.25, 1, 12])(
    "finds old code on a chain with a block every %d seconds in three looks",
    async (seconds) => {
      const since = HEAD - Math.ceil(MONTH / seconds) * 1.1;
      const { client, looks } = nodeOf({ since, seconds });
      expect(await hadCodeAtTime(client, asked)).toBe(true);
      expect(looks.length).toBeLessThanOrEqual(3);
    },
  );

  test.each([
    ["that is younger", { since: HEAD - BLOCKS + 1 }],
    ["that is not there", { since: HEAD + 1 }],
    ["on a chain that is younger", { since: 0, head: BLOCKS - 40 }],
    ["whose state no node keeps", { since: 0, calls: "pruned" }],
    ["of which a node shows the present state instead", { since: 0, calls: "at_head" }],
  ] as const)("shows none of a vault %s", async (_what, node) => {
    expect(await hadCodeAtTime(nodeOf(node).client, asked)).toBe(false);
  });
});
