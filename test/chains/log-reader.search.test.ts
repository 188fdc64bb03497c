import { padHex } from "viem";
import { describe, expect, test } from "vitest";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { LogFilter } from "../../src/chains/log-filter.ts";
import { searchLogs } from "../../src/chains/log-reader.ts";
import { OutsideError } from "../../src/lib/bounded-fetch.ts";
import { wireLog } from "../support/chains/wire.ts";

const word = (value: number) => padHex(`0x${value.toString(16)}`, { size: 32 });
const address = (value: number) => padHex(`0x${value.toString(16)}`, { size: 20 });
const TRANSFER = word(0xddf);
const [TOKEN, USER, VAULT] = [address(1), 7, 8];

/** A chain on which the user sends to the vault in blocks divisible by 100, and receives in those by 250. */
const transfers = Array.from({ length: 1_001 }, (_, block) => block).flatMap((block) => [
  ...(block % 100 === 0 ? [{ block, index: 0, from: USER, to: VAULT }] : []),
  ...(block % 250 === 0 ? [{ block, index: 1, from: VAULT, to: USER }] : []),
]);

interface Asked {
  fromBlock: string;
  toBlock: string;
  address: string[];
  topics: (string[] | null)[];
}

function chain(options: { limit?: number; maxLogTopics?: number; failing?: Error[] } = {}) {
  const { limit = 10_000, failing = [] } = options;
  const asked: [from: number, to: number, topics: (string[] | null)[]][] = [];
  const answer = ({ fromBlock, toBlock, topics }: Asked) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    asked.push([from, to, topics]);
    if (to - from >= limit) throw new RpcError("node", `limited to a ${limit} block range`);
    return transfers
      .map((one) => ({ ...one, topics: [TRANSFER, word(one.from), word(one.to)] }))
      .filter(({ block }) => block >= from && block <= to)
      .filter((one) => topics.every((list, i) => list === null || list.includes(one.topics[i] ?? "")))
      .map((one) =>
        wireLog(
          { address: TOKEN, topics: one.topics, data: "0x" },
          { block: one.block, txHash: word(one.block), index: one.index },
        ),
      );
  };
  const logLimits = {};
  const [base] = knownChains;
  if (base === undefined) throw new Error("no chain is known");
  const { maxLogTopics } = options;
  const client = {
    definition: maxLogTopics === undefined ? base : { ...base, maxLogTopics },
    async onOneNode<T>(work: (node: NodeSession) => Promise<T>): Promise<T> {
      let last: unknown;
      for (const failure of [...failing, null]) {
        const request: NodeSession["request"] = async (_method, [filter]) => {
          if (failure !== null) {
            asked.push([-1, -1, []]);
            throw failure;
          }
          return answer(filter as Asked);
        };
        try {
          return await work({ request, logLimits });
        } catch (error) {
          last = error;
        }
      }
      throw last;
    },
  };
  return { client, asked, windows: () => asked.map(([from, to]) => [from, to]) };
}

const sent: LogFilter = { addresses: [TOKEN], topics: [[TRANSFER], [word(USER)]] };
const received: LogFilter = { addresses: [TOKEN], topics: [[TRANSFER], null, [word(USER)]] };
const range = { from: 1, to: 1_000 };
const blocksOf = (logs: readonly { blockNumber: number }[]) => logs.map(({ blockNumber }) => blockNumber);

describe("searchLogs()", () => {
  test("reads transfers from and to an account as one list in ascending order", async () => {
    const { client } = chain();
    const found = await searchLogs(client, { range, filters: [sent, received], maxRequests: 9 });
    expect(blocksOf(found.logs)).toEqual([
      100, 200, 250, 300, 400, 500, 500, 600, 700, 750, 800, 900, 1_000, 1_000,
    ]);
    expect(found).toMatchObject({ read: range, complete: true });
  });

  test("returns a log once that two filters match", async () => {
    const { client } = chain();
    const filters = [sent, { addresses: [TOKEN], topics: [[TRANSFER], [word(USER), word(VAULT)]] }];
    const { logs } = await searchLogs(client, { range, filters, maxRequests: 9 });
    expect(new Set(logs.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`)).size).toBe(logs.length);
    expect(logs).toHaveLength(14);
  });

  test("splits topic lists at any position to what the chain's nodes accept", async () => {
    const { client, asked } = chain({ maxLogTopics: 1 });
    const filters = [{ addresses: [TOKEN], topics: [[TRANSFER], [word(USER), word(VAULT)]] }];
    const { logs } = await searchLogs(client, { range, filters, maxRequests: 9 });
    expect(asked.map(([, , topics]) => topics)).toEqual([
      [[TRANSFER], [word(USER)]],
      [[TRANSFER], [word(VAULT)]],
    ]);
    expect(logs).toHaveLength(14);
  });

  test("reads the newest window first and ends at the first hit", async () => {
    const { client, windows } = chain();
    const found = await searchLogs(client, {
      range,
      filters: [received],
      order: "newest_first",
      until: (logs) => logs.some(({ blockNumber }) => blockNumber <= 750),
      maxRequests: 9,
      maxBlocks: 200,
    });
    expect(windows()).toEqual([
      [801, 1_000],
      [601, 800],
    ]);
    expect(blocksOf(found.logs)).toEqual([1_000, 750]);
    expect(found).toMatchObject({ read: { from: 601, to: 1_000 }, complete: true });
  });

  test("says how far it got when its requests are spent", async () => {
    const { client, asked } = chain();
    const found = await searchLogs(client, { range, filters: [sent], maxRequests: 2, maxBlocks: 150 });
    expect(asked).toHaveLength(2);
    expect(found).toMatchObject({ read: { from: 1, to: 300 }, complete: false });
    expect(blocksOf(found.logs)).toEqual([100, 200, 300]);
  });

  test("makes a refused range smaller, and asks a later search in that width at once", async () => {
    const { client, windows } = chain({ limit: 400 });
    await searchLogs(client, { range, filters: [sent], maxRequests: 9 });
    await searchLogs(client, { range: { from: 1, to: 500 }, filters: [sent], maxRequests: 9 });
    expect(windows()).toEqual([
      [1, 1_000],
      [1, 400],
      [401, 800],
      [801, 1_000],
      [1, 400],
      [401, 500],
    ]);
  });

  test.each([
    ["does not answer in time", new OutsideError("timeout", "")],
    ["asks to slow down", new RpcError("node", "429 too many requests")],
    ["lacks the method", new RpcError("unsupported", "the method eth_getLogs is not available")],
  ])("asks the next node when one %s, and counts the requests of both", async (_, failure) => {
    const { client, asked } = chain({ failing: [failure] });
    const query = { range, filters: [sent], maxBlocks: 500 };
    expect(await searchLogs(client, { ...query, maxRequests: 3 })).toMatchObject({ complete: true });
    expect(asked).toHaveLength(3);
    await expect(searchLogs(client, { ...query, maxRequests: 1 })).rejects.toBe(failure);
  });

  test("asks nothing for an empty range", async () => {
    const { client, asked } = chain();
    const found = await searchLogs(client, { range: { from: 5, to: 4 }, filters: [sent], maxRequests: 9 });
    expect(found).toEqual({ logs: [], read: null, complete: true });
    expect(asked).toEqual([]);
  });
});
