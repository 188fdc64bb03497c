import { type Hex, hexToBigInt } from "viem";
import { describe, expect, test } from "vitest";
import { RpcError } from "../../../../src/chains/json-rpc.ts";
import { AppError } from "../../../../src/errors.ts";
import { OutsideError } from "../../../../src/lib/bounded-fetch.ts";
import { searchFill } from "../../../../src/providers/across/tracking/fill-search.ts";
import { deposited, filledRelay } from "../../../support/across/logs.ts";
import { deployments, failureOf, fakeChain, hash, SPOKE_42161 } from "../../../support/across/stage.ts";

const destination = deployments.get(42161);
if (destination === undefined) throw new Error("no deployment");

interface Filter {
  address: string;
  topics: unknown[];
  fromBlock: Hex;
  toBlock: Hex;
}
const rangeOf = (params: readonly unknown[]): [bigint, bigint] => {
  const { fromBlock, toBlock } = params[0] as Filter;
  return [hexToBigInt(fromBlock), hexToBigInt(toBlock)];
};
const nodeError = (message: string): AppError =>
  new AppError("upstream_unavailable", "no node", { cause: new RpcError("node", message) });

/** A chain of half-second blocks on which the fill is in `filledAt`, and whose nodes take `widest` blocks. */
function chain(
  options: { filledAt?: bigint; widest?: bigint; refusal?: Error; pace?: number; height?: bigint } = {},
) {
  const { filledAt, widest = 10n ** 9n, pace = 0.5, height = 1_000_000n } = options;
  const head = { number: height, timestamp: BigInt(deposited.quoteTimestamp + 600) };
  const timeOf = (number: bigint) => Number(head.timestamp) - Math.floor(Number(head.number - number) * pace);
  const client = fakeChain(42161, {
    eth_getBlockByNumber: ([number]) => ({
      number,
      timestamp: `0x${timeOf(BigInt(String(number))).toString(16)}`,
    }),
    eth_getLogs: (params) => {
      const [from, to] = rangeOf(params);
      if (to - from + 1n > widest) throw options.refusal ?? nodeError("block range is too wide");
      const found = filledAt !== undefined && from <= filledAt && filledAt <= to;
      return found ? [wireLog()] : [];
    },
  });
  const ranges = () => client.asked.filter(([method]) => method === "eth_getLogs").map(([, p]) => rangeOf(p));
  return { client, head, ranges };
}

const wireLog = (change: Parameters<typeof filledRelay>[0] = {}, digit = "f") => ({
  ...filledRelay(change),
  transactionHash: hash(digit),
});

const search = ({ client, head }: ReturnType<typeof chain>, widths = new Map<number, bigint>()) =>
  searchFill(client, { deposited, destination, head, widths });

test("asks the SpokePool's own log for this origin and id, from the deposit to the head", async () => {
  const on = chain({ filledAt: 999_000n });
  expect(await search(on)).toBe(hash("f"));
  const filter = on.client.asked.at(-1)?.[1][0] as Filter;
  expect(filter.address).toBe(SPOKE_42161);
  expect(filter.topics).toEqual((filledRelay().topics as unknown[]).slice(0, 3));
  // 600 s at half a second are 1,200 blocks; a fifth and a hundred more.
  expect(on.ranges()).toEqual([[998_460n, 1_000_000n]]);
});

describe("a range that is too wide", () => {
  test.each([
    nodeError("query returned more than 10000 results"),
    nodeError("exceed maximum block range: 500"),
    new AppError("upstream_unavailable", "", { cause: new OutsideError("status", "", { status: 413 }) }),
    new AppError("upstream_unavailable", "", { cause: new OutsideError("too_large", "") }),
    new RpcError("revert", "out of gas"),
  ])("is halved until nodes take it, and the width is remembered (%#)", async (refusal) => {
    const widths = new Map<number, bigint>();
    const on = chain({ filledAt: 998_500n, widest: 1_000n, refusal });
    expect(await search(on, widths)).toBe(hash("f"));
    expect(widths).toEqual(new Map([[42161, 625n]]));
    const again = chain({ filledAt: 999_999n, widest: 1_000n });
    expect(await search(again, widths)).toBe(hash("f"));
    expect(again.ranges()).toEqual([
      [998_460n, 999_084n],
      [999_085n, 999_709n],
      [999_710n, 1_000_000n],
    ]);
  });

  test("costs a bounded number of requests", async () => {
    const on = chain({ filledAt: 999_999n, widest: 0n });
    expect(await search(on)).toBeNull();
    expect(on.ranges()).toHaveLength(8);
  });

  test.each([
    new AppError("upstream_timeout", "", { cause: new OutsideError("timeout", "") }),
    new AppError("upstream_unavailable", "", { cause: new OutsideError("network", "") }),
  ])("is not what another failure is taken for (%#)", async (refusal) => {
    const on = chain({ widest: 0n, refusal });
    expect((await failureOf(search(on))).error).toBe(refusal);
    expect(on.ranges()).toHaveLength(1);
  });
});

test("looks back no further than 100,000 blocks", async () => {
  const on = chain({ pace: 0.001 });
  expect(await search(on)).toBeNull();
  expect(on.ranges()[0]?.[0]).toBe(900_000n);
});

test.each([0, -1])("looks back that far where the chain's time tells nothing (pace %d)", async (pace) => {
  const on = chain({ pace });
  await search(on);
  expect(on.ranges()[0]?.[0]).toBe(900_000n);
});

test("reads a chain of fewer blocks from its first", async () => {
  const on = chain({ pace: 0, height: 50_000n });
  await search(on);
  expect(on.ranges()[0]?.[0]).toBe(0n);
});

test("reads the newest block also when it is a range of its own", async () => {
  const on = chain({ filledAt: 1_000_000n });
  expect(await search(on, new Map([[42161, 1_540n]]))).toBe(hash("f"));
  expect(on.ranges()).toEqual([
    [998_460n, 999_999n],
    [1_000_000n, 1_000_000n],
  ]);
});

test("reads a young chain from its beginning", async () => {
  const on = chain();
  await searchFill(on.client, {
    deposited,
    destination,
    head: { number: 5n, timestamp: 1n },
    widths: new Map(),
  });
  expect(on.ranges()).toEqual([[0n, 5n]]);
});

describe("of the logs found", () => {
  const searchIn = (logs: readonly unknown[]) => {
    const on = fakeChain(42161, { eth_getLogs: () => logs });
    const head = { number: 5n, timestamp: 1n };
    return searchFill(on, { deposited, destination, head, widths: new Map() });
  };

  test("only one of exactly this transfer counts, however many are made up", async () => {
    const fakes = Array.from({ length: 500 }, (_, n) => wireLog({ outputAmount: BigInt(n) }, "1"));
    expect(await searchIn(fakes)).toBeNull();
    expect(await searchIn([...fakes, wireLog({}, "2")])).toBe(hash("2"));
  });

  test("none counts that a reorganisation removed", async () => {
    expect(await searchIn([{ ...wireLog({}, "1"), removed: true }])).toBeNull();
    expect(await searchIn([{ ...wireLog({}, "1"), removed: true }, wireLog({}, "2")])).toBe(hash("2"));
  });

  test("an answer of another shape is an error", async () => {
    await expect(searchIn([{ data: "0x" }])).rejects.toThrow();
  });
});
