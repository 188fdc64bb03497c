import { padHex } from "viem";
import { describe, expect, test } from "vitest";
import { NodeHealth, type NodeSession } from "../../src/chains/chain-client.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { searchLogs } from "../../src/chains/log-reader.ts";

const MINUTE_MS = 60_000;
const URL = "https://node.example";
const filters = [{ addresses: [padHex("0x1", { size: 20 })], topics: [] }];

/** A node without logs, which fails as `fails` says, with an isolate's memory of its limits. */
function node(fails: (blocks: number, place: number) => string | null) {
  const [definition] = knownChains;
  if (definition === undefined) throw new Error("no chain is known");
  const health = new NodeHealth();
  let [now, place] = [0, 0];
  let asked: number[] = [];
  const request: NodeSession["request"] = async (_method, [filter]) => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
    const blocks = Number(toBlock) - Number(fromBlock) + 1;
    asked.push(blocks);
    place += 1;
    const message = fails(blocks, place);
    if (message !== null) throw new RpcError("node", message);
    return [];
  };
  return {
    /** Searches `blocks` blocks and returns the widths that were asked for, and the number of blocks that were read. */
    async search(blocks: number, maxRequests = 8) {
      asked = [];
      const client = {
        definition,
        onOneNode: <T>(work: (session: NodeSession) => Promise<T>) =>
          work({ request, logLimits: health.logLimits(URL, now) }),
      };
      const range = { from: 0, to: blocks - 1 };
      const { read } = await searchLogs(client, { range, filters, maxRequests });
      return { asked, read: read === null ? 0 : read.to - read.from + 1 };
    },
    wait(ms: number) {
      now += ms;
    },
  };
}

/** A node that accepts at most `limit` blocks. */
const limited = (limit: number, message: string) => node((blocks) => (blocks > limit ? message : null));
const times = (count: number, blocks: number) => Array.from({ length: count }, () => blocks);
const UNCLEAR = "-32000: internal error";
const FULL = { asked: times(8, 2_000), read: 16_000 };

describe("a failure that passes", () => {
  test.each([
    UNCLEAR,
    "-32000: header not found",
    "-32000: query timed out",
    "-32000: block range extends beyond current head block",
    "-32602: block range is too wide",
  ])("does not limit later searches: %s", async (message) => {
    const { search } = node((_, place) => (place === 1 ? message : null));
    await search(3).catch(() => null);
    expect(await search(50_000)).toEqual(FULL);
  });

  test("limits the same search only until as many blocks are read as failed", async () => {
    const { search } = node((_, place) => (place === 2 ? UNCLEAR : null));
    expect(await search(50_000)).toEqual({
      asked: [2_000, 2_000, 500, 1_000, 2_000, 2_000, 2_000, 2_000],
      read: 11_500,
    });
    expect(await search(50_000)).toEqual(FULL);
  });

  test("leaves a later search at most a few short requests after a bad minute", async () => {
    let bad = true;
    const { search } = node(() => (bad ? UNCLEAR : null));
    for (let round = 0; round < 20; round += 1) await search(50_000, 4).catch(() => null);
    bad = false;
    const { asked } = await search(50_000);
    expect(asked.filter((blocks) => blocks < 2_000).length).toBeLessThan(5);
    expect(await search(50_000)).toEqual(FULL);
  });

  test("leaves wide searches wide after a short one that succeeds", async () => {
    const { search } = node((_blocks, place) => (place === 1 ? UNCLEAR : null));
    await search(2_000, 1);
    expect(await search(6)).toEqual({ asked: [6], read: 6 });
    expect((await search(50_000)).asked.slice(0, 3)).toEqual([500, 1_000, 2_000]);
  });

  test("asks another node at once for a block that this node lacks", async () => {
    const { search } = node(() => "-32000: header not found");
    await expect(search(50_000)).rejects.toThrow("header not found");
  });

  test("is forgotten after ten minutes even if it looked like a limit", async () => {
    let bad = true;
    const { search, wait } = node((blocks) =>
      bad && blocks > 100 ? "-32005: limited to a 100 block range" : null,
    );
    expect(await search(50_000)).toEqual({ asked: [2_000, ...times(7, 100)], read: 700 });
    bad = false;
    expect((await search(50_000)).read).toBe(800);
    wait(10 * MINUTE_MS);
    expect(await search(50_000)).toEqual(FULL);
  });
});

describe("a node's own limit", () => {
  test.each([100, 500, 1_000])("of %i blocks, which it states, costs one request", async (limit) => {
    const { search } = limited(limit, `-32005: eth_getLogs is limited to a ${limit} block range`);
    expect(await search(50_000)).toEqual({ asked: [2_000, ...times(7, limit)], read: 7 * limit });
    expect(await search(50_000)).toEqual({ asked: times(8, limit), read: 8 * limit });
  });

  test.each([
    [100, [2_000, 500, 125, 31, 62, 124, 62, 62], 62],
    [500, [2_000, 500, 1_000, 500, 500, 500, 500, 500], 500],
    [1_000, [2_000, 500, 1_000, 2_000, 1_000, 1_000, 1_000, 1_000], 1_000],
  ])("of %i blocks, which it does not state, is learnt in one search", async (limit, asked, learnt) => {
    const { search } = limited(limit, UNCLEAR);
    expect((await search(50_000)).asked).toEqual(asked);
    expect(await search(50_000)).toEqual({ asked: times(8, learnt), read: 8 * learnt });
  });

  test.each([
    [100, [2_000, 1_000, 500, 250, 125, 62, 62, 62], 62],
    [500, [2_000, 1_000, 500, 500, 500, 500, 500, 500], 500],
    [1_000, [2_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000], 1_000],
  ])("of %i blocks, which it names without a number, is halved into", async (limit, asked, learnt) => {
    const { search } = limited(limit, "-32602: block range is too wide");
    expect((await search(50_000)).asked).toEqual(asked);
    expect(await search(50_000)).toEqual({ asked: times(8, learnt), read: 8 * learnt });
  });

  test("is learnt by several searches if each has few requests", async () => {
    const { search } = limited(100, UNCLEAR);
    expect((await search(20_000, 3)).asked).toEqual([2_000, 500, 125]);
    expect((await search(20_000, 3)).asked).toEqual([31, 62, 124]);
    expect((await search(20_000, 3)).asked).toEqual([62, 62, 62]);
  });

  test("of 10,000 blocks is never met", async () => {
    const { search } = limited(10_000, UNCLEAR);
    expect(await search(50_000)).toEqual(FULL);
  });
});
