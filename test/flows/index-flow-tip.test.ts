import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../scripts/bench/vault-row.ts";
import { createBudget } from "../../src/chains/rpc-request-budget.ts";
import { loadIndexState } from "../../src/flows/flow-index-state.ts";
import type { Indexer } from "../../src/flows/flow-store.ts";
import { indexTip } from "../../src/flows/index-flow-tip.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { MemoryFlows } from "../support/flows/memory-store.ts";
import { clientOf, FakeNode } from "../support/flows/nodes.ts";
import { randomOf } from "../support/flows/random.ts";
import { FINALITY, World } from "../support/flows/world.ts";

/** A chain whose newest events are stored, seen through a node that leaves them out from now on. */
async function forgetfulNode() {
  const random = randomOf(7);
  const world = new World(random, [vaultAddress(0)]);
  world.mine(2 * FINALITY);
  const node = new FakeNode(world, world);
  const store = new MemoryFlows();
  store.vaults = [vaultRow({ number: 0 })];
  const indexer: Indexer = {
    ...{
      chainId: CHAIN_ID,
      maxTopics: null,
      nodes: 1,
      store,
      client: clientOf([node], async (effect) => effect()),
    },
    ...{ log: createLogger(() => undefined, {}), now: () => 1_700_000_000_000, randomId: () => "run" },
  };
  const round = async () => {
    const state = await loadIndexState(indexer);
    const budget = createBudget({ requests: 60, blocks: state.tip.span, topics: null });
    return indexTip(indexer, { state, budget });
  };
  while ((await round()).indexed < world.head.number);
  const newest = async () => (await store.load()).provisional;
  node.faults.logsBehind = FINALITY - 1;
  return { world, node, round, newest };
}

describe("indexTip() with provisional events", () => {
  test("keeps events that a node omits while their blocks are on the chain", async () => {
    const { round, newest } = await forgetfulNode();
    const before = await newest();
    expect(before.length).toBeGreaterThan(3);
    await expect(round()).rejects.toThrow("omits an event");
    expect(await newest()).toEqual(before);
  });

  test("keeps events when a reorg happens just before their blocks are checked", async () => {
    const { world, node, round, newest } = await forgetfulNode();
    const before = await newest();
    const lowest = Math.min(...before.map(({ blockNumber }) => blockNumber));
    const answer = node.answer.bind(node);
    node.answer = (asked) => {
      if (asked.method === "eth_getBlockByNumber" && Number(asked.params[0]) === lowest)
        world.reorg(FINALITY);
      return answer(asked);
    };
    await expect(round()).rejects.toThrow("the chain changed while it was read");
    expect(await newest()).toEqual(before);
  });
});
