import { type Hex, padHex } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { Context } from "../../src/context.ts";
import { findTransfers, MAX_UNPROVING } from "../../src/tracking/track-token-transfers.ts";
import { fakeChain } from "../support/across/stage.ts";
import { wireLog } from "../support/chains/wire.ts";
import { testContext } from "../support/context.ts";

const word = (value: number): Hex => padHex(`0x${value.toString(16)}`, { size: 32 });
const [TOKEN, USER] = [padHex("0xa1", { size: 20 }), padHex("0xb2", { size: 20 })];
const TRANSFER: Hex = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Asked {
  fromBlock: Hex;
  toBlock: Hex;
  topics: (string[] | null)[];
}

const transfer = (block: number, amount = 5) =>
  wireLog(
    { address: TOKEN, topics: [TRANSFER, padHex(USER, { size: 32 }), word(9)], data: word(amount) },
    { block, txHash: word(block) },
  );

/** A chain with transfers in these blocks; `limit` is the most blocks of a request, by default any number. */
function chainWith(logs: readonly ReturnType<typeof transfer>[], limit = Number.POSITIVE_INFINITY) {
  const asked: { from: number; to: number; topics: Asked["topics"] }[] = [];
  const client = fakeChain(8453, {
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock, topics } = filter as Asked;
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      asked.push({ from, to, topics });
      if (to - from + 1 > limit) throw new RpcError("node", "query exceeds max block range");
      return logs.filter(({ blockNumber }) => Number(blockNumber) >= from && Number(blockNumber) <= to);
    },
  });
  return { client, asked };
}

/** A context that counts how often a row is made due. */
function counting(): { ctx: ReturnType<typeof testContext>; soon: () => number } {
  let soon = 0;
  const run = async (): Promise<never> => {
    soon += 1;
    return undefined as never;
  };
  return { ctx: testContext({ db: { run } }), soon: () => soon };
}

const search = {
  ...{ trackingId: "trk_1", tokens: [TOKEN], party: { from: USER }, amounts: null, from: 0, head: 50_000 },
} as const;

/** Searches again and again, as checks do, until nothing is left; returns what was found in which search. */
async function searchAll(
  ctx: Context,
  { client, searches, ...more }: { client: ReturnType<typeof fakeChain>; searches: number; head?: number },
): Promise<Hex[][]> {
  const found: Hex[][] = [];
  for (let time = 0; time < searches; time += 1) {
    const { hashes, noteSearched } = await findTransfers(ctx, { ...search, ...more, client });
    found.push(hashes);
    await noteSearched();
  }
  return found;
}

describe("findTransfers()", () => {
  test("returns transactions of matching amounts, the oldest first, by sender in the second topic", async () => {
    const { client, asked } = chainWith([transfer(49_999), transfer(40_000), transfer(41_000, 6)]);
    const given = { ...search, client, amounts: [5n], from: 39_000 };
    expect((await findTransfers(testContext(), given)).hashes).toEqual([word(40_000), word(49_999)]);
    expect(asked[0]?.topics.slice(0, 2)).toEqual([[TRANSFER], [padHex(USER, { size: 32 })]]);
    expect(asked.every(({ from, to }) => to - from < 2_000)).toBe(true);
  });

  test("asks nothing of older blocks where all are among the newest", async () => {
    const { client, asked } = chainWith([]);
    const { ctx, soon } = counting();
    const { noteSearched } = await findTransfers(ctx, { ...search, client, from: 40_000 });
    await noteSearched();
    expect(Math.min(...asked.map(({ from }) => from))).toBe(40_000);
    expect(soon()).toBe(0);
  });

  test("finds what is older than the newest 16,000 blocks, the newest first, over several searches", async () => {
    const { client, asked } = chainWith([transfer(3), transfer(30_000), transfer(34_001)], 1_000);
    const { ctx, soon } = counting();
    const found = await searchAll(ctx, { client, searches: 30 });
    expect(found[0]).toContain(word(34_001));
    expect(found.flat()).toContain(word(30_000));
    expect(found.flat()).toContain(word(3));
    expect(soon()).toBeGreaterThan(2);
    // Every block was read, although no search could read all.
    const read = asked.filter(({ from, to }) => to - from < 1_000).sort((a, b) => a.from - b.from);
    let next = 0;
    for (const { from, to } of read) if (from <= next) next = Math.max(next, to + 1);
    expect(next).toBe(50_001);
  });

  test("is complete once no later search would read more, also where the nodes refuse what is left", async () => {
    const refusing = fakeChain(8453, {
      eth_getLogs: ([filter]) => {
        if (Number((filter as Asked).fromBlock) < 34_001) throw new RpcError("node", "pruned");
        return [];
      },
    });
    const { client: slow } = chainWith([], 1_000);
    const searched = async (client: typeof refusing, searches: number) => {
      const { ctx } = counting();
      await searchAll(ctx, { client, searches: searches - 1 });
      const { complete, gapless } = await findTransfers(ctx, { ...search, client });
      return { complete, gapless };
    };
    expect(await searched(slow, 1)).toEqual({ complete: false, gapless: false });
    expect(await searched(slow, 30)).toEqual({ complete: true, gapless: true });
    expect(await searched(refusing, 2)).toEqual({ complete: true, gapless: false });
  });

  test("does not read again what a search has read, but for the newest blocks", async () => {
    const { client, asked } = chainWith([]);
    const { ctx } = counting();
    await searchAll(ctx, { client, searches: 2 });
    asked.length = 0;
    await searchAll(ctx, { client, searches: 1 });
    expect(Math.min(...asked.map(({ from }) => from))).toBe(34_001);
  });

  test("reads the blocks of a pause, however long it was", async () => {
    const { client, asked } = chainWith([transfer(80_000)]);
    const { ctx } = counting();
    await searchAll(ctx, { client, searches: 2 });
    asked.length = 0;
    const found = await searchAll(ctx, { client, searches: 2, head: 200_000 });
    expect(found.flat()).toContain(word(80_000));
    // From the last block that no reorg replaces any more.
    expect(Math.min(...asked.map(({ from }) => from))).toBe(50_000 - 128 + 1);
  });

  test("finds a transaction again until it was judged", async () => {
    const { client } = chainWith([transfer(20_000)]);
    const { ctx } = counting();
    const first = await findTransfers(ctx, { ...search, client });
    expect(first.hashes).toEqual([word(20_000)]);
    expect((await findTransfers(ctx, { ...search, client })).hashes).toEqual([word(20_000)]);
    await first.noteSearched();
    expect((await findTransfers(ctx, { ...search, client })).hashes).toEqual([]);
  });

  test.each([
    ["another row", { trackingId: "trk_2" }],
    ["another amount", { amounts: [6n] }],
  ])("reads older blocks again for %s that starts at the same block", async (_name, other) => {
    const { client } = chainWith([transfer(20_000, 5), transfer(21_000, 6)]);
    const { ctx } = counting();
    const first = await findTransfers(ctx, { ...search, client, amounts: [5n] });
    expect(first.hashes).toEqual([word(20_000)]);
    await first.noteSearched();
    const found = await findTransfers(ctx, { ...search, client, amounts: [5n], ...other });
    expect(found.hashes).toEqual([word("amounts" in other ? 21_000 : 20_000)]);
  });

  test("goes on without the store that remembers searches", async () => {
    const { client } = chainWith([transfer(20_000)]);
    const { ctx } = counting();
    const fail = async (): Promise<never> => {
      throw new Error("down");
    };
    const broken = { ...ctx, redis: { ...ctx.redis, get: fail, set: fail } as unknown as Context["redis"] };
    const { hashes, noteSearched } = await findTransfers(broken, { ...search, client });
    expect(hashes).toEqual([word(20_000)]);
    await noteSearched();
    expect(ctx.logged.map(({ event }) => event)).toEqual([
      "searched_blocks_unread",
      "searched_blocks_unkept",
    ]);
  });

  test("returns nothing when nodes refuse, and throws other failures", async () => {
    const refusing = (error: Error) =>
      fakeChain(8453, {
        eth_getLogs: () => {
          throw error;
        },
      });
    const find = (error: Error) =>
      findTransfers(testContext(), { ...search, from: 49_000, client: refusing(error) });
    expect((await find(new RpcError("node", "429 too many requests"))).hashes).toEqual([]);
    await expect(find(new Error("down"))).rejects.toThrow("down");
  });
});

test("findTransfers() finds a transfer of one of the amounts, and none of an amount above uint256", async () => {
  const { client } = chainWith([transfer(40_000, 5), transfer(40_001, 6)]);
  const found = async (amounts: readonly bigint[]) =>
    (await findTransfers(counting().ctx, { ...search, client, amounts: [...amounts] })).hashes;
  expect(await found([5n])).toEqual([word(40_000)]);
  expect(await found([2n ** 300n, 6n])).toEqual([word(40_001)]);
  expect(await found([2n ** 256n + 5n])).toEqual([]);
});

describe("findTransfers() of more transactions than a check reads", () => {
  const numbers = (hashes: readonly Hex[]) => hashes.map(Number);
  const range = (from: number, length: number) => Array.from({ length }, (_, at) => from + at);
  const start = 40_000;

  /** Searches one after the other, of which each judges as many as a check reads; returns what each found. */
  async function judge(of: {
    logs: readonly ReturnType<typeof transfer>[];
    searches: number;
    from?: number;
    head?: number;
  }) {
    const { client } = chainWith(of.logs);
    const { ctx, soon } = counting();
    const found: number[][] = [];
    for (let time = 0; time < of.searches; time += 1) {
      const one = await findTransfers(ctx, {
        ...{ ...search, client, from: of.from ?? start, head: of.head ?? search.head },
      });
      found.push(numbers(one.hashes));
      await one.noteSearched({ next: one.hashes[MAX_UNPROVING] });
    }
    return { found, soon: soon() };
  }

  test("goes on where the last check ended, a minute later", async () => {
    const blocks = range(start, 2 * MAX_UNPROVING + 1);
    const { found, soon } = await judge({ logs: blocks.map((block) => transfer(block)), searches: 3 });
    expect(found).toEqual([blocks, blocks.slice(MAX_UNPROVING), blocks.slice(2 * MAX_UNPROVING)]);
    expect(soon).toBe(2);
  });

  test("goes on within a block that has more transactions than a check reads", async () => {
    const all = range(1, MAX_UNPROVING + 2);
    const logs = all.map((index) =>
      wireLog(
        { address: TOKEN, topics: transfer(1).topics, data: word(5) },
        { block: start, txHash: word(index), index },
      ),
    );
    const { found } = await judge({ logs, searches: 2 });
    expect(found).toEqual([all, all.slice(MAX_UNPROVING)]);
  });

  test("finds again what a reorg may replace", async () => {
    const blocks = range(49_950, MAX_UNPROVING + 1);
    const logs = blocks.map((block) => transfer(block));
    expect((await judge({ logs, searches: 2 })).found).toEqual([blocks, blocks]);
    const later = await judge({ logs, searches: 2, head: 51_000 });
    expect(later.found).toEqual([blocks, blocks.slice(MAX_UNPROVING)]);
  });

  test("finds again what proves something, and nothing else that was judged", async () => {
    const blocks = range(start, MAX_UNPROVING + 5);
    const { client } = chainWith(blocks.map((block) => transfer(block)));
    const { ctx } = counting();
    const first = await findTransfers(ctx, { ...search, client, from: start });
    await first.noteSearched({ proving: [word(start + 1)], next: first.hashes[MAX_UNPROVING + 1] });
    const second = await findTransfers(ctx, { ...search, client, from: start });
    expect(numbers(second.hashes)).toEqual([start + 1, ...blocks.slice(MAX_UNPROVING + 1)]);
  });

  test("does not read older blocks again once all of their transactions are judged", async () => {
    const blocks = range(20_000, MAX_UNPROVING + 1);
    const { found } = await judge({ logs: blocks.map((block) => transfer(block)), searches: 3, from: 0 });
    expect(found).toEqual([blocks, blocks.slice(MAX_UNPROVING), []]);
  });
});
