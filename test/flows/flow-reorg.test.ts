import { expect, test } from "vitest";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { rewindToCommonAncestor } from "../../src/flows/flow-reorg.ts";
import { OutsideError } from "../../src/lib/bounded-fetch.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { MemoryFlows } from "../support/flows/memory-store.ts";

const hashOf = (number: number, fork: string) => `0x${fork}${number.toString(16).padStart(63, "0")}`;

/** Runs the search against a node, and returns the block from which flows were deleted, or null. */
async function rewound(answer: (number: number) => unknown): Promise<number | null> {
  let from: number | null = null;
  const store = Object.assign(new MemoryFlows(), {
    newestFinal: async () => [100, 90, 80, 70].map((number) => ({ number, hash: hashOf(number, "a") })),
    rewind: async (block: number) => {
      from = block;
    },
  });
  const node: NodeSession = { request: async (_method, [tag]) => answer(Number(tag)) };
  await rewindToCommonAncestor({
    ...{
      chainId: 1,
      client: { onOneNode: (work) => work(node) },
      maxTopics: null,
      nodes: 1,
      store,
      log: createLogger(() => undefined, {}),
    },
    ...{ now: () => 0, randomId: () => "" },
  });
  return from;
}
const block = (number: number, fork: string) => ({
  ...{ number: `0x${number.toString(16)}`, hash: hashOf(number, fork), timestamp: "0x1" },
});

test("rewindToCommonAncestor() deletes what is above the newest block that the node still has", async () => {
  expect(await rewound((number) => block(number, number > 75 ? "b" : "a"))).toBe(71);
  expect(await rewound((number) => (number > 75 ? null : block(number, "a")))).toBe(71);
  expect(await rewound((number) => block(number, "b"))).toBe(0);
});

test.each([
  new OutsideError("timeout", "too slow"),
  new OutsideError("status", "HTTP 502"),
  new RpcError("node", "rate limit exceeded"),
])("rewindToCommonAncestor() deletes nothing if the node fails to answer: %s", async (error) => {
  const failing = (number: number) => {
    if (number < 100) throw error;
    return block(number, "b");
  };
  await expect(rewound(failing)).rejects.toBe(error);
});
