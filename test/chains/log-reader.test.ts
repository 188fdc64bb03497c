import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { type FilterLimits, type LogSubscription, toLogFilters } from "../../src/chains/log-filter.ts";
import { readLogs } from "../../src/chains/log-reader.ts";
import {
  affordsAnotherNode,
  createBudget,
  onOneNodeWithinBudget,
  type RequestBudget,
} from "../../src/chains/rpc-request-budget.ts";
import { joinFlowSources } from "../../src/flows/flow-sources.ts";

interface Asked {
  fromBlock: string;
  toBlock: string;
  address: string[];
  topics: [string[]];
}
const HASH = `0x${"ab".repeat(32)}`;
const hex = (value: number): string => `0x${value.toString(16)}`;

/** Plain vaults, and some of families with other events. */
const vaults = [
  ...[0, 1, 2, 3, 4].map((number) => vaultOf({ number })),
  vaultOf({ number: 10, adapter: "veda" }),
  vaultOf({ number: 20, adapter: "midas" }),
  vaultOf({ number: 30, adapter: "upshift" }),
  vaultOf({ number: 40, adapter: "lagoon" }),
];
const sources = joinFlowSources(CHAIN_ID, vaults);
const filtersOf = (subscription: LogSubscription) => (limits: FilterLimits) =>
  toLogFilters(subscription, limits);

/** A node on which every contract emits each of its events in every tenth block, and that refuses what is too long. */
function nodeWith(most: { addresses: number; topics: number; words: (list: string) => string }) {
  const questions: Asked[] = [];
  const request: NodeSession["request"] = async (method, [asked]) => {
    if (method === "eth_getBlockByNumber") return { number: asked, hash: HASH, timestamp: "0x1" };
    const { fromBlock, toBlock, address, topics } = asked as Asked;
    if (topics[0].length > most.topics) throw new RpcError("node", most.words("topics"));
    if (address.length > most.addresses) throw new RpcError("node", most.words("addresses"));
    questions.push({ fromBlock, toBlock, address, topics });
    const blocks = Array.from(
      { length: Number(toBlock) - Number(fromBlock) + 1 },
      (_, i) => Number(fromBlock) + i,
    );
    return blocks
      .filter((block) => block % 10 === 0)
      .flatMap((block) =>
        eventsOf(block).filter((log) => address.includes(log.address) && topics[0].includes(log.topic)),
      )
      .map(({ topic, ...log }) => ({ ...log, topics: [topic], data: "0x", blockHash: HASH }));
  };
  return { node: { request }, questions };
}

const eventsOf = (block: number) =>
  [...sources.topicsBy].flatMap(([address, topics], emitter) =>
    [...topics].map((topic, index) => ({
      address,
      topic,
      blockNumber: hex(block),
      transactionHash: `0x${(block * 1_000 + emitter).toString(16).padStart(64, "0")}`,
      logIndex: hex(emitter * 20 + index),
    })),
  );

const all = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
    .filter((block) => block % 10 === 0)
    .flatMap((block) => eventsOf(block).map((log) => `${block} ${Number(log.logIndex)} ${log.address}`))
    .sort();

describe("readLogs() with more contracts and topics than a node accepts", () => {
  const words = {
    plain: (list: string) => `-32005: too many ${list}`,
    named: (list: string) => `-32602: max 2 ${list}`,
  };
  test.each([
    ["kinds of events", { addresses: 500, topics: 4, words: words.plain }],
    ["contracts", { addresses: 3, topics: 100, words: words.plain }],
    ["both", { addresses: 2, topics: 2, words: words.named }],
  ])("finds all logs once in ascending order with too many %s", async (_, most) => {
    const { node, questions } = nodeWith(most);
    const budget = createBudget({ requests: 10_000, blocks: 30, topics: null });
    const { logs, read } = await readLogs(node, {
      range: { from: 5, to: 95 },
      filters: filtersOf(sources),
      budget,
    });
    expect(read?.to).toBe(95);
    expect(logs.map((log) => `${log.blockNumber} ${log.logIndex} ${log.address}`).sort()).toEqual(all(5, 95));
    const order = logs.map(({ blockNumber }) => blockNumber);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    for (const { address, topics } of questions) {
      expect(address.length).toBeLessThanOrEqual(most.addresses);
      expect(topics[0].length).toBeLessThanOrEqual(most.topics);
    }
    expect(budget.blocks).toBeGreaterThanOrEqual(30);
  });

  test("splits topics from the first request on when the chain's limit is known", async () => {
    const { node, questions } = nodeWith({ addresses: 500, topics: 4, words: () => "never asked" });
    const budget = createBudget({ requests: 100, blocks: 30, topics: 4 });
    await readLogs(node, { range: { from: 0, to: 9 }, filters: filtersOf(sources), budget });
    expect(questions.length).toBe(Math.ceil(sources.topics.length / 4));
  });

  test("toLogFilters() asks no contract for topics that it does not have", () => {
    for (const { addresses, topics } of toLogFilters(sources, { addresses: 500, topics: 4 }))
      for (const address of addresses)
        expect(topics[0]?.some((topic) => sources.topicsBy.get(address as Address)?.has(topic))).toBe(true);
    expect(toLogFilters(sources, { addresses: 500, topics: 100 })).toHaveLength(1);
  });
});

describe("readLogs() budget", () => {
  const quiet = joinFlowSources(CHAIN_ID, [vaultOf({ number: 90 })]);
  const span = { from: 1, to: 100_000 };

  test("keeps back the requests that confirm what was read", async () => {
    const { node } = nodeWith({ addresses: 500, topics: 100, words: () => "" });
    const budget = createBudget({ requests: 12, blocks: 10, topics: null });
    let asked = 0;
    const counted: NodeSession = {
      request: (method, params) => {
        asked += 1;
        budget.requests -= 1;
        return node.request(method, params);
      },
    };
    const { read } = await readLogs(counted, { range: span, filters: filtersOf(quiet), budget });
    expect(read?.to).toBeGreaterThan(20);
    expect(asked).toBeLessThanOrEqual(8);
  });

  test.each([
    ["names its limit", "limited to a 50 block range"],
    ["names none", "block range is too wide"],
    ["names another", "up to 7 blocks, they say"],
  ])("spends few requests on refusals of a strict node that %s", async (_, words) => {
    const { node } = nodeWith({ addresses: 500, topics: 100, words: () => "" });
    let [answered, refused] = [0, 0];
    const strict: NodeSession = {
      request: async (method, params) => {
        const { fromBlock = 0, toBlock = 0 } = params[0] as Partial<Asked>;
        if (method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 50) {
          refused += 1;
          throw new RpcError("node", words);
        }
        answered += method === "eth_getLogs" ? 1 : 0;
        return node.request(method, params);
      },
    };
    const budget = createBudget({ requests: 1_000, blocks: 50, topics: null });
    const { read } = await readLogs(strict, {
      range: { from: 1, to: 5_000 },
      filters: filtersOf(quiet),
      budget,
    });
    expect(read?.to).toBe(5_000);
    // A hundred questions, were all of them of fifty blocks.
    expect(answered).toBeLessThanOrEqual(102);
    expect(refused).toBeLessThanOrEqual(8);
  });

  test("reads one window without any budget", async () => {
    const { node } = nodeWith({ addresses: 500, topics: 100, words: () => "" });
    const budget: RequestBudget = createBudget({ requests: 0, blocks: 10, topics: null });
    expect(await readLogs(node, { range: span, filters: filtersOf(quiet), budget })).toMatchObject({
      read: { to: 10 },
    });
  });

  test("stops after its deadline and tries no further node", async () => {
    const { node } = nodeWith({ addresses: 500, topics: 100, words: () => "" });
    const budget = createBudget({ requests: 100, blocks: 10, topics: null, late: () => true });
    expect(await readLogs(node, { range: span, filters: filtersOf(quiet), budget })).toMatchObject({
      read: { to: 10 },
    });
    expect(affordsAnotherNode(budget)).toBe(false);
  });

  test("counts requests of failed nodes and tries no further one with too few left", async () => {
    const budget = createBudget({ requests: 25, blocks: 10, topics: null });
    let nodes = 0;
    const client = {
      async onOneNode<T>(work: (node: NodeSession) => Promise<T>): Promise<T> {
        let last: unknown;
        for (let tried = 0; tried < 3; tried += 1) {
          last = await work({ request: async () => null }).catch((error: unknown) => error);
        }
        throw last;
      },
    };
    const work = onOneNodeWithinBudget(client, budget, async (node, own) => {
      nodes += 1;
      expect(own.blocks).toBe(10);
      own.blocks = 1;
      for (let sent = 0; sent < 8; sent += 1) await node.request("eth_blockNumber", []);
      throw new Error(`node ${nodes}`);
    });
    await expect(work).rejects.toThrow("node 2");
    expect([nodes, budget.requests, budget.blocks]).toEqual([2, 9, 10]);
  });
});
