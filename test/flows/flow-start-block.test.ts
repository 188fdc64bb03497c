import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { createBudget } from "../../src/chains/rpc-request-budget.ts";
import type { StartSearch } from "../../src/db/queries/flow-queries.ts";
import type { VaultWithoutStart } from "../../src/flows/flow-index-state.ts";
import { sourceFingerprint } from "../../src/flows/flow-sources.ts";
import { findStartBlocks } from "../../src/flows/flow-start-block.ts";
import type { Indexer } from "../../src/flows/flow-store.ts";
import { OutsideError } from "../../src/lib/bounded-fetch.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { depositRouterCreate2 } from "../../src/router/deposit-router-artifact.ts";
import { MemoryFlows } from "../support/flows/memory-store.ts";

const HEAD = 20_000_000;
const WITNESS = depositRouterCreate2.factory.toLowerCase();

/** What a node does with a question about a block: the addresses that have code there, or a failure. */
type Keeps = (block: number) => ReadonlySet<string>;

/** Runs the addresses out of the program, as an EVM would look them up. */
function answer(data: string, coded: ReadonlySet<string>): string {
  const asked = [...data.matchAll(/73([0-9a-f]{40})3b151561([0-9a-f]{4})53/g)];
  expect(asked.map(([, , index]) => Number.parseInt(index ?? "", 16))).toEqual(
    asked.map((_, index) => index),
  );
  return `0x${asked.map(([, address]) => (coded.has(`0x${address}`) ? "01" : "00")).join("")}`;
}

/** Searches over the runs of several ticks, each on nodes that keep what they keep. */
async function search(of: { starts: readonly number[]; nodes: readonly Keeps[]; runs?: number }) {
  const vaults = of.starts.map((_, number) => vaultOf({ number }));
  const notes = new Map<string, StartSearch>();
  let requests = 0;
  const store = new MemoryFlows();
  store.tip = { ...store.tip, headBlock: HEAD };
  const indexer: Indexer = {
    chainId: CHAIN_ID,
    maxTopics: null,
    nodes: of.nodes.length,
    log: createLogger(() => undefined, {}),
    now: () => 0,
    randomId: () => "run",
    store: Object.assign(store, {
      noteStarts: async (searches: readonly StartSearch[]) => {
        for (const one of searches) notes.set(one.vaultAddress, { ...one });
      },
    }),
    client: {
      async onOneNode<T>(work: (node: NodeSession) => Promise<T>): Promise<T> {
        let last: unknown;
        for (const keeps of of.nodes) {
          const request: NodeSession["request"] = async (method, params) => {
            requests += 1;
            expect(method).toBe("eth_call");
            const [{ data }, block] = params as [{ data: string }, string];
            return answer(data, keeps(Number(block)));
          };
          try {
            return await work({ request });
          } catch (error) {
            last = error;
          }
        }
        throw last;
      },
    },
  };
  const open = (): VaultWithoutStart[] =>
    vaults.flatMap((vault) => {
      const known = notes.get(vault.address.toLowerCase()) ?? null;
      return known?.startBlock == null ? [{ vault, source: sourceFingerprint(vault), search: known }] : [];
    });
  let runs = 0;
  for (; runs < (of.runs ?? 60) && open().length > 0; runs += 1) {
    const budget = createBudget({ requests: 40, blocks: 1, topics: null });
    await findStartBlocks(indexer, { state: { tip: store.tip, withoutStart: open() }, budget });
  }
  const found = vaults.map(({ address }) => notes.get(address.toLowerCase())?.startBlock ?? null);
  return { found, requests, runs };
}

/** A node that keeps every state: `starts` by vault. */
const archive =
  (starts: readonly number[]): Keeps =>
  (block) => {
    const coded = starts.flatMap((start, number) =>
      start <= block ? [vaultOf({ number }).address.toLowerCase()] : [],
    );
    return new Set([...(block >= 100 ? [WITNESS] : []), ...coded]);
  };
const pruned = (): ReadonlySet<string> => {
  throw new RpcError("node", "-32000: missing trie node 0xab");
};
const down = (): ReadonlySet<string> => {
  throw new OutsideError("network", "the connection failed");
};
const busy = (): ReadonlySet<string> => {
  throw new RpcError("node", "-32005: daily request count exceeded");
};

describe("findStartBlocks()", () => {
  const starts = [1_000, 14_353_601, 18_883_124, 19_500_000, 19_999_990, 19_500_001, 150];

  test("finds a block at or little below the contract's creation", async () => {
    const { found, requests, runs } = await search({ starts, nodes: [archive(starts)] });
    for (const [index, start] of starts.entries()) {
      const told = found[index] ?? Number.NaN;
      expect(told, `${start}`).toBeLessThanOrEqual(start);
      expect(told, `${start}`).toBeGreaterThanOrEqual(start - 2_048);
    }
    // Fifteen halvings each, some of them shared.
    expect(requests).toBeLessThanOrEqual(15 * starts.length);
    expect(runs).toBe(Math.ceil(requests / 12));
  });

  test("asks the next node when one has pruned the state", async () => {
    const { found } = await search({ starts: [5_000_000], nodes: [pruned, archive([5_000_000])] });
    expect(found[0]).toBeGreaterThan(4_997_000);
    expect(found[0]).toBeLessThanOrEqual(5_000_000);
  });

  test("falls back to the chain's first block when no node keeps old state", async () => {
    const { found, requests } = await search({ starts: [5_000_000], nodes: [pruned, pruned] });
    expect(found).toEqual([0]);
    expect(requests).toBe(2);
  });

  test("does not trust a node that returns empty code for pruned blocks", async () => {
    const forgetful: Keeps = (block) => (block < 15_000_000 ? new Set() : archive([5_000_000])(block));
    expect((await search({ starts: [5_000_000], nodes: [forgetful] })).found).toEqual([0]);
    const both = [forgetful, archive([5_000_000])];
    expect((await search({ starts: [5_000_000], nodes: both })).found[0]).toBeGreaterThan(4_997_000);
  });

  test("falls back to the chain's first block when a node returns the newest state for every block", async () => {
    const newest: Keeps = () => archive([5_000_000])(HEAD);
    expect((await search({ starts: [5_000_000], nodes: [newest] })).found).toEqual([0]);
  });

  test("waits while no node answers or all are rate limited", async () => {
    expect((await search({ starts: [7], nodes: [down, down], runs: 5 })).found).toEqual([null]);
    expect((await search({ starts: [7], nodes: [pruned, busy], runs: 5 })).found).toEqual([null]);
  });

  test("stops waiting when a node never answers", async () => {
    expect((await search({ starts: [7], nodes: [pruned, down], runs: 40 })).found).toEqual([0]);
  });
});
