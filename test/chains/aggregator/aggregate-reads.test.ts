import fc from "fast-check";
import { type Address, type Hex, hexToNumber, numberToHex, parseAbi, size, slice } from "viem";
import { describe, expect, test } from "vitest";
import { aggregate, aggregateList, runWholeQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import { MAX_CALLS } from "../../../src/chains/aggregator/aggregator-codec.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { createQuery, type Read, read, readThen } from "../../../src/chains/chain-reads.ts";
import {
  answerMulticall,
  type ContractAnswer,
  type Contracts,
  callsOf,
  contractsClient,
  head,
} from "../../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../../support/chains/rpc-node.ts";
import { holdTimeouts } from "../../support/local-server.ts";

const abi = parseAbi([
  "function value() view returns (uint256)",
  "function flag() view returns (bool)",
  "function owner() view returns (address)",
]);
const address = (n: number): Address => numberToHex(n, { size: 20 });
const value = (n: number): Read<bigint> => read({ to: address(n), abi, name: "value" });
const word = (n: bigint): ContractAnswer => ({ ok: true, data: numberToHex(n, { size: 32 }) });
const REVERT: Hex = "0x08c379a0";
/** Contract n answers n × 10. */
const tens: Contracts = ({ to }) => word(BigInt(to) * 10n);

describe("aggregate()", () => {
  test("makes many reads in one request at one block", async () => {
    const client = contractsClient(tens);
    const { block, results } = await aggregate(client, { a: value(1), b: value(2) });
    expect(block).toEqual({ number: 1_234, timestamp: 1_700_000_000 });
    expect(results).toEqual({ a: { ok: true, value: 10n }, b: { ok: true, value: 20n } });
    expect(client.calls.map(({ method, params }) => [method, params[1]])).toEqual([["eth_call", "latest"]]);
  });

  test.each<[string, ContractAnswer, Hex | null]>([
    ["a revert with data", { ok: false, data: REVERT }, REVERT],
    ["a revert without data", { ok: false, data: "0x" }, "0x"],
    ["an address without code", { ok: true, data: "0x" }, null],
    ["half a word", { ok: true, data: "0x0001" }, null],
    ["a fallback's text", { ok: true, data: "0x68656c6c6f" }, null],
  ])("lets each read fail on its own: %s", async (_what, answer, revert) => {
    for (const broken of [1, 2, 3]) {
      const client = contractsClient((call) => (BigInt(call.to) === BigInt(broken) ? answer : tens(call)));
      const { results } = await aggregate(client, { 1: value(1), 2: value(2), 3: value(3) });
      const expected = [1, 2, 3].map((n) =>
        n === broken ? { ok: false, revert } : { ok: true, value: BigInt(n * 10) },
      );
      expect(Object.values(results)).toEqual(expected);
    }
  });

  test("reports returndata of another type as a failed read", async () => {
    const client = contractsClient(() => word(2n));
    const { results } = await aggregate(client, {
      flag: read({ to: address(1), abi, name: "flag" }),
      value: value(1),
    });
    expect(results).toEqual({ flag: { ok: false, revert: null }, value: { ok: true, value: 2n } });
  });

  test("keeps results in place whichever reads fail", async () => {
    const property = fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
      async (oks) => {
        const contracts: Contracts = (call) =>
          oks[Number(BigInt(call.to)) - 1]
            ? tens(call)
            : { ok: false, data: numberToHex(BigInt(call.to), { size: 20 }) };
        const reads = oks.map((_, index) => value(index + 1));
        const { results } = await aggregateList(contractsClient(contracts), reads);
        expect(results).toEqual(
          oks.map((ok, index) =>
            ok ? { ok: true, value: BigInt((index + 1) * 10) } : { ok: false, revert: address(index + 1) },
          ),
        );
      },
    );
    await fc.assert(property, { numRuns: 50 });
  });

  test("splits reads that do not fit one request, in order, and returns the first request's block", async () => {
    let slices = 0;
    const nextBlock: ChainClient = {
      ...contractsClient(tens),
      request: (method, params) => {
        slices += 1;
        const block = { ...head, number: 1_000 + slices };
        return contractsClient(tens, { block }).request(method, params);
      },
    };
    const reads = Array.from({ length: MAX_CALLS + 1 }, (_, index) => value(index + 1));
    const { block, results } = await aggregateList(nextBlock, reads);
    expect([slices, block.number]).toEqual([2, 1_001]);
    expect(results).toEqual(reads.map((_, index) => ({ ok: true, value: BigInt((index + 1) * 10) })));
  });

  test("sends as many reads as fit in one request", async () => {
    const client = contractsClient(tens);
    await aggregateList(
      client,
      Array.from({ length: MAX_CALLS }, (_, index) => value(index)),
    );
    expect(client.calls).toHaveLength(1);
  });

  test("returns the block without any reads", async () => {
    const { block, results } = await aggregate(contractsClient(tens), {});
    expect([block.number, results]).toEqual([1_234, {}]);
  });

  test("reports chain id and head to the client", async () => {
    const client = contractsClient(tens);
    const reports: unknown[] = [];
    await aggregate({ ...client, observe: (report) => void reports.push(report) }, { a: value(1) });
    expect(reports).toEqual([{ chainId: 31337, blockNumber: 1_234 }]);
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["nothing", "0x"],
    ["a number", 5],
    ["no hexadecimal", "0xzz"],
    ["half a byte", "0x123"],
    ["one word", numberToHex(1, { size: 32 })],
    ["an offset beyond the end", `0x${"f".repeat(64)}`],
  ])("throws upstream_unavailable when the answer is %s", async (_what, answer) => {
    const client = { ...contractsClient(tens), request: async () => answer };
    await expect(aggregate(client, { a: value(1) })).rejects.toMatchObject({
      name: "AppError",
      code: "upstream_unavailable",
      message: "a node of Testchain gave an unusable answer",
    });
  });
});

/** Answers by the gas that each call is given, and how often it was asked. */
function scripted(answer: (call: { to: bigint; times: number; gas: number }) => ContractAnswer) {
  const times = new Map<bigint, number>();
  let gas = 0;
  const inner = contractsClient((call) => {
    const to = BigInt(call.to);
    times.set(to, (times.get(to) ?? 0) + 1);
    return answer({ to, times: times.get(to) ?? 0, gas });
  });
  const request: ChainClient["request"] = (method, params) => {
    const [{ data }] = params as [{ data: Hex }];
    gas = hexToNumber(slice(data, -8, -4));
    return inner.request(method, params);
  };
  return { ...inner, request };
}
const ten = (to: bigint): ContractAnswer => word(to * 10n);

describe("aggregate() with reads that were not reached", () => {
  test("retries them, those of a contract that burned its gas last", async () => {
    const orders: bigint[][] = [];
    const client = contractsClient(() => ({ ok: true, data: "0x" }));
    const request: ChainClient["request"] = async (_method, params) => {
      const [{ data }] = params as [{ data: Hex }];
      orders.push(callsOf(data).map(({ to }) => BigInt(to)));
      const first = orders.length === 1;
      const contracts: Contracts = (call) => {
        if (BigInt(call.to) === 9n) return { ok: false, status: "spent" };
        return first && BigInt(call.to) > 1n ? { ok: false, status: "not_reached" } : tens(call);
      };
      let reached = 0;
      const bounded: Contracts = (call) => {
        reached += 1;
        return first && reached > 2 ? { ok: false, status: "not_reached" } : contracts(call);
      };
      return answerMulticall(data, { contracts: bounded, block: head });
    };
    const reads = { a: value(1), burns: value(9), burnsToo: value(9), b: value(2), c: value(3) };
    const { results } = await aggregate({ ...client, request }, reads);
    expect(orders).toEqual([
      [1n, 9n, 9n, 2n, 3n],
      [2n, 3n, 9n],
      [9n, 9n],
    ]);
    expect(Object.values(results).map((result) => (result.ok ? result.value : result.revert))).toEqual([
      10n,
      null,
      null,
      20n,
      30n,
    ]);
  });

  /** Answers each request up to the first read of the contract 9, which takes all gas that is left. */
  function starvedClient() {
    const client = contractsClient(() => ({ ok: true, data: "0x" }));
    const orders: bigint[][] = [];
    const request: ChainClient["request"] = async (_method, params) => {
      const [{ data }] = params as [{ data: Hex }];
      orders.push(callsOf(data).map(({ to }) => BigInt(to)));
      let isStarved = false;
      const contracts: Contracts = (call) => {
        if (isStarved) return { ok: false, status: "not_reached" };
        isStarved = BigInt(call.to) === 9n;
        return tens(call);
      };
      return answerMulticall(data, { contracts, block: head });
    };
    return { client: { ...client, request }, orders };
  }
  const greedy = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`greedy${index}`, value(9)]));

  test("makes those of other contracts before those of one whose answers take all gas", async () => {
    const { client, orders } = starvedClient();
    const { results } = await aggregate(client, { ...greedy(3), a: value(1), b: value(2) });
    expect(orders).toEqual([[9n, 9n, 9n, 1n, 2n], [1n, 2n, 9n, 9n], [9n]]);
    expect(results).toMatchObject({ a: { ok: true, value: 10n }, b: { ok: true, value: 20n } });
  });

  test("fails the reads of a contract that do not fit into requests of their own", async () => {
    const { client, orders } = starvedClient();
    const { results } = await aggregate(client, { a: value(1), ...greedy(11) });
    expect(orders).toHaveLength(9);
    expect(results).toMatchObject({ greedy8: { ok: true, value: 90n } });
    const failed = Object.values<unknown>(results).slice(-2);
    expect(failed).toEqual([
      { ok: false, revert: null },
      { ok: false, revert: null },
    ]);
  });

  test("gives up after six requests and one of the contract's own", async () => {
    const client = scripted(({ to }) => (to === 1n ? ten(to) : { ok: false, status: "not_reached" }));
    const { results } = await aggregate(client, { a: value(1), b: value(2) });
    const unmade = { ok: false, revert: null, isUnmade: true };
    expect(results).toEqual({ a: { ok: true, value: 10n }, b: unmade });
    expect(client.calls).toHaveLength(7);
  });
});

test("runWholeQuery() gives no result without every read of every batch", async () => {
  const second = (n: number) =>
    readThen({ a: value(1) }, () => createQuery({ b: value(n) }, ({ b }) => (b.ok ? b.value : null)));
  const client = scripted(({ to }) => {
    if (to === 2n) return { ok: false, status: "not_reached" };
    return to === 3n ? { ok: false, data: REVERT } : ten(to);
  });
  await expect(runWholeQuery(client, second(2))).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(await runWholeQuery(client, second(3))).toBeNull();
  expect(await runWholeQuery(client, second(4))).toBe(40n);
});

describe("aggregate() with a read that used all its gas", () => {
  test("retries it once with more gas", async () => {
    const client = scripted(({ to, gas }) =>
      to === 2n && gas < 20_000_000 ? { ok: false, status: "spent" } : ten(to),
    );
    const { results } = await aggregate(client, { a: value(1), b: value(2) });
    expect(results).toEqual({ a: { ok: true, value: 10n }, b: { ok: true, value: 20n } });
    expect(client.calls.map(({ params }) => callsOf((params[0] as { data: Hex }).data).length)).toEqual([
      2, 1,
    ]);
  });

  test("reports it as unknown, not as a revert, when more gas does not suffice", async () => {
    const client = scripted(({ to }) => (to === 2n ? { ok: false, status: "spent" } : ten(to)));
    const { results } = await aggregate(client, { a: value(1), b: value(2) });
    expect(results).toEqual({ a: { ok: true, value: 10n }, b: { ok: false, revert: null } });
    expect(client.calls).toHaveLength(2);
  });
});

test("aggregate() reports an oversized answer as unknown without a retry", async () => {
  const client = scripted(({ to }) => (to === 2n ? { ok: false, status: "unknown" } : ten(to)));
  const { results } = await aggregate(client, { a: value(1), b: value(2) });
  expect(results).toEqual({ a: { ok: true, value: 10n }, b: { ok: false, revert: null } });
  expect(client.calls).toHaveLength(1);
});

test("sliceCalls() splits by size: no request exceeds the limit of creation code", async () => {
  const heavy = { to: address(1), data: `0x${"00".repeat(20_000)}` as const, decode: (data: Hex) => data };
  const client = contractsClient(tens);
  const { results } = await aggregateList(client, [heavy, heavy, heavy, value(2)]);
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true]);
  const sizes = client.calls.map(({ params }) => size((params[0] as { data: Hex }).data));
  expect(sizes).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(49_152);
});

describe("aggregate() over a real client", () => {
  const multicallNode = (block = head) =>
    startHonestNode(({ params }): RpcAnswer => {
      const [{ data }] = params as [{ data: Hex }];
      return { result: answerMulticall(data, { contracts: tens, block }) };
    });

  test("verifies the node's chain id with the same request", async () => {
    const node = await multicallNode();
    const { client, health } = clientOn([node]);
    expect((await aggregate(client, { a: value(1) })).results.a).toEqual({ ok: true, value: 10n });
    expect([node.calls.length, health.isVerified(node.url)]).toEqual([1, true]);
  });

  test("refuses answers from the wrong chain", async () => {
    const node = await multicallNode({ ...head, chainId: 1 });
    const { client, health } = clientOn([node]);
    await expect(aggregate(client, { a: value(1) })).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(health.isVerified(node.url)).toBe(false);
  });

  test("tries a node last whose head fell behind its own earlier answer", async () => {
    const block = { ...head };
    const node = await multicallNode(block);
    const { client, health, clock } = clientOn([node]);
    await aggregate(client, { a: value(1) });
    block.number -= 9;
    await aggregate(client, { a: value(1) });
    expect(health.order([node.url, "other"], clock.now)).toEqual(["other", node.url]);
  });

  test.each([
    ["html", "upstream_unavailable"],
    ["hang", "upstream_timeout"],
  ] as const)("%s is %s", async (fault, code) => {
    const deadlines = holdTimeouts();
    const node = await startHonestNode(() => {
      if (fault === "hang") deadlines.expire();
      return { fault };
    });
    const { client } = clientOn([node]);
    await expect(aggregate(client, { a: value(1) })).rejects.toMatchObject({ code });
  });
});
