import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../../../src/chains/json-rpc.ts";
import { OutsideError } from "../../../../src/lib/bounded-fetch.ts";
import { searchFill } from "../../../../src/providers/across/tracking/across-fill-search.ts";
import { deposited, filledRelay } from "../../../support/across/logs.ts";
import { deployments, fakeChain, hash, SPOKE_42161, USDC_42161 } from "../../../support/across/stage.ts";
import { blockHashOf, wireBlock, wireLog } from "../../../support/chains/wire.ts";

const destination = deployments.get(42161);
if (destination === undefined) throw new Error("no deployment");

interface Filter {
  address: string[];
  topics: unknown[];
  fromBlock: Hex;
  toBlock: Hex;
}
const rangeOf = (params: readonly unknown[]): [number, number] => {
  const { fromBlock, toBlock } = params[0] as Filter;
  return [Number(fromBlock), Number(toBlock)];
};
const nodeError = (message: string): RpcError => new RpcError("node", message);

/** A chain of half-second blocks on which the fill is in `filledAt`, and whose nodes take `widest` blocks. */
function chain(
  options: { filledAt?: number; widest?: number; refusal?: Error; pace?: number; height?: number } = {},
) {
  const { filledAt, widest = 10 ** 9, pace = 0.5, height = 1_000_000 } = options;
  const head = { number: height, timestamp: deposited.quoteTimestamp + 600 };
  const timeOf = (number: number) => head.timestamp - Math.floor((head.number - number) * pace);
  const client = fakeChain(42161, {
    eth_getBlockByNumber: ([number]) => wireBlock(Number(number), timeOf(Number(number))),
    eth_getLogs: (params) => {
      const [from, to] = rangeOf(params);
      if (to - from + 1 > widest) throw options.refusal ?? nodeError("block range is too wide");
      const found = filledAt !== undefined && from <= filledAt && filledAt <= to;
      return found ? [fillLog({}, { block: filledAt })] : [];
    },
  });
  const ranges = () => client.asked.filter(([method]) => method === "eth_getLogs").map(([, p]) => rangeOf(p));
  return { client, head, ranges };
}

const fillLog = (
  change: Parameters<typeof filledRelay>[0] = {},
  { digit = "f", block = 5, index = 0 }: { digit?: string; block?: number; index?: number } = {},
) => wireLog(filledRelay(change), { block, txHash: hash(digit), index });

const search = ({ client, head }: ReturnType<typeof chain>) =>
  searchFill(client, { deposited, destination, head });

test("searchFill() filters the SpokePool's logs by origin and deposit id, from the deposit to the head", async () => {
  const on = chain({ filledAt: 999_000 });
  expect(await search(on)).toBe(hash("f"));
  const filter = on.client.asked.at(-1)?.[1][0] as Filter;
  expect(filter.address).toEqual([SPOKE_42161.toLowerCase()]);
  expect(filter.topics).toEqual((filledRelay().topics as unknown[]).slice(0, 3).map((topic) => [topic]));
  // 600 s at half a second are 1,200 blocks; a fifth and a hundred more.
  expect(on.ranges()).toEqual([[998_460, 1_000_000]]);
});

describe("searchFill() with a too wide log range", () => {
  test.each<[Error, number]>([
    [nodeError("block range is too wide"), 770],
    [nodeError("exceed maximum block range: 500"), 500],
  ])("shrinks the range until the node accepts it and remembers the width (%#)", async (refusal, width) => {
    const on = chain({ filledAt: 999_999, widest: 1_000, refusal });
    expect(await search(on)).toBe(hash("f"));
    expect(on.ranges().slice(0, 2)).toEqual([
      [998_460, 1_000_000],
      [998_460, 998_460 + width - 1],
    ]);
    const first = on.ranges().length;
    expect(await search(on)).toBe(hash("f"));
    expect(on.ranges().slice(first)).toEqual(on.ranges().slice(1, first));
  });

  test.each([
    nodeError("query returned more than 10000 results"),
    new OutsideError("status", "", { status: 413 }),
    new OutsideError("too_large", ""),
    new RpcError("revert", "out of gas"),
  ])("shrinks the range of this search alone after a failure that may pass (%#)", async (refusal) => {
    const on = chain({ filledAt: 999_999, widest: 1_000, refusal });
    for (const _search of ["first", "second"]) {
      const asked = on.ranges().length;
      expect(await search(on)).toBe(hash("f"));
      expect(on.ranges().slice(asked)).toEqual([
        [998_460, 1_000_000],
        [998_460, 998_844],
        [998_845, 999_614],
        [999_615, 1_000_000],
      ]);
    }
  });

  test("sends a bounded number of requests", async () => {
    const on = chain({ filledAt: 999_999, widest: 0 });
    expect(await search(on)).toBeNull();
    expect(on.ranges()).toHaveLength(8);
  });

  test.each([new OutsideError("timeout", ""), new OutsideError("network", "")])(
    "does not shrink the range after another failure (%#)",
    async (refusal) => {
      const on = chain({ widest: 0, refusal });
      await expect(search(on)).rejects.toBe(refusal);
      expect(on.ranges()).toHaveLength(1);
    },
  );
});

test("searchFill() searches at most the last 100,000 blocks", async () => {
  const on = chain({ pace: 0.001 });
  expect(await search(on)).toBeNull();
  expect(on.ranges()[0]?.[0]).toBe(900_000);
});

test.each([0, -1])(
  "searchFill() searches 100,000 blocks when the block times are unusable (pace %d)",
  async (pace) => {
    const on = chain({ pace });
    await search(on);
    expect(on.ranges()[0]?.[0]).toBe(900_000);
  },
);

test("searchFill() starts at block 0 on a chain with fewer blocks", async () => {
  const on = chain({ pace: 0, height: 50_000 });
  await search(on);
  expect(on.ranges()[0]?.[0]).toBe(0);
});

test("searchFill() includes the head when it is a range of its own", async () => {
  const on = chain({
    filledAt: 1_000_000,
    widest: 1_540,
    refusal: nodeError("limited to a 1540 block range"),
  });
  expect(await search(on)).toBe(hash("f"));
  expect(on.ranges().slice(1)).toEqual([
    [998_460, 999_999],
    [1_000_000, 1_000_000],
  ]);
});

test("searchFill() starts at block 0 on a young chain", async () => {
  const on = chain();
  await searchFill(on.client, { deposited, destination, head: { number: 5, timestamp: 1 } });
  expect(on.ranges()).toEqual([[0, 5]]);
});

describe("searchFill() among the logs found", () => {
  const searchIn = (logs: readonly unknown[]) => {
    const on = fakeChain(42161, { eth_getLogs: () => logs });
    const head = { number: 5, timestamp: 1 };
    return searchFill(on, { deposited, destination, head });
  };
  const removed = { ...fillLog({}, { digit: "1" }), removed: true };

  test("accepts only the fill that matches the deposit, however many are forged", async () => {
    const fakes = Array.from({ length: 500 }, (_, index) =>
      fillLog({ outputAmount: BigInt(index) }, { digit: "1", index }),
    );
    expect(await searchIn(fakes)).toBeNull();
    expect(await searchIn([...fakes, fillLog({}, { digit: "2", index: 500 })])).toBe(hash("2"));
  });

  test.each([
    ["a log that a reorg removed", [removed]],
    ["a log that a reorg removed beside another", [removed, fillLog({}, { digit: "2", index: 1 })]],
    [
      "logs of two blocks of one height",
      [fillLog(), { ...fillLog({}, { index: 1 }), blockHash: blockHashOf(6) }],
    ],
    ["a log of another contract", [{ ...fillLog(), address: USDC_42161 }]],
    ["another shape", [{ data: "0x" }]],
  ])("throws for an answer with %s", async (_, logs) => {
    await expect(searchIn(logs)).rejects.toMatchObject({ kind: "malformed" });
  });
});
