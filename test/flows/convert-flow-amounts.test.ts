import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultRow } from "../../scripts/bench/vault-row.ts";
import type { NodeSession } from "../../src/chains/chain-client.ts";
import type { ChainLog } from "../../src/chains/chain-logs.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { createBudget } from "../../src/chains/rpc-request-budget.ts";
import { convertNewFlows, convertStoredFlows } from "../../src/flows/convert-flow-amounts.ts";
import { joinFlowSources } from "../../src/flows/flow-sources.ts";
import type { Indexer } from "../../src/flows/flow-store.ts";
import { OutsideError } from "../../src/lib/bounded-fetch.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { toVault } from "../../src/vaults/vault.ts";
import { MemoryFlows } from "../support/flows/memory-store.ts";

const row = { ...vaultRow({ number: 1, adapter: "veda" }), params: { teller: "d" } };
const veda = toVault(row);
const [USER, FOREIGN]: Address[] = [
  "0x00000000000000000000000000000000000a0001",
  "0x00000000000000000000000000000000000f0001",
];
const enter = parseAbi([
  "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
]);
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

/** A deposit of 1,000 units of a token, in the block of this number. */
function enterLog(blockNumber: number, token: Address | undefined = FOREIGN): ChainLog {
  return {
    address: veda.shareToken.toLowerCase() as Address,
    topics: encodeEventTopics({
      abi: enter,
      args: { from: USER, asset: token, to: USER },
    }) as unknown as ChainLog["topics"],
    data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [1_000n, 7n]),
    blockNumber,
    blockHash: hash(String(blockNumber % 10)),
    txHash: hash("a"),
    logIndex: blockNumber,
  };
}

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
/** The aggregator's answer: chain, block, time, then each call's status, length and data. */
const aggregated = (block: number, values: readonly bigint[]): Hex =>
  `0x${[CHAIN_ID, block, 0].map((field) => field.toString(16).padStart(16, "0")).join("")}${values
    .map((value) => `010020${word(value)}`)
    .join("")}`;

/** In place of its oldest block with state: a node that fails at block 5 only. */
const FAILS_AT_5 = 2_000_000;
/** Errors of nodes that fail, in place of their oldest block with state. */
const FAILURES = new Map<number, Error>([
  [1_000_001, new RpcError("node", "429: too many requests")],
  [1_000_002, new OutsideError("timeout", "the node did not answer in time")],
  [1_000_003, new RpcError("node", "-32603: no backend is healthy")],
  [1_000_004, new RpcError("node", "-32000: state is temporarily unavailable")],
]);

/** Creates a node. A share costs 3 of the asset and 2 of the other token. `from` is the oldest block with state. */
function nodeOf({ logs = [], from = 0 }: { logs?: readonly ChainLog[]; from?: number }) {
  const asked: string[] = [];
  const request: NodeSession["request"] = async (method, params) => {
    if (method === "eth_getLogs") {
      const [{ fromBlock }] = params as [{ fromBlock: string }];
      asked.push(`logs ${Number(fromBlock)}`);
      const found = logs.filter(({ blockNumber }) => blockNumber === Number(fromBlock));
      return found.map(({ txHash, ...log }) => ({
        ...log,
        transactionHash: txHash,
        blockNumber: `0x${log.blockNumber.toString(16)}`,
        logIndex: `0x${log.logIndex.toString(16)}`,
      }));
    }
    const block = Number(params[1]);
    asked.push(`call ${block}`);
    if (from === FAILS_AT_5 && block === 5) throw new RpcError("node", "-32603: internal error");
    if (from !== FAILS_AT_5 && block < from)
      throw FAILURES.get(from) ?? new RpcError("node", "-32000: missing trie node");
    return aggregated(block, [3n, 2n]);
  };
  return { asked, node: { request } satisfies NodeSession };
}

const sources = joinFlowSources(CHAIN_ID, [veda]);
const budgetOf = (requests: number) => createBudget({ requests, blocks: 10, topics: null });

describe("convertNewFlows()", () => {
  const convert = async (
    logs: readonly ChainLog[],
    { from = 0, requests = 40, known = [] as readonly ChainLog[] } = {},
  ) => {
    const { node, asked } = nodeOf({ from });
    const rows = sources.toRows(logs, 9);
    const before = sources.toRows(known, 9).map((one) => ({ ...one, assets: "77" }));
    await convertNewFlows(node, { rows, known: before, sources, budget: budgetOf(requests) });
    return { assets: rows.map(({ assets }) => assets), asked };
  };

  test("converts another token at the rates of its own block, rounded down", async () => {
    expect(await convert([enterLog(5), enterLog(6, veda.asset.address)])).toEqual({
      assets: ["1500", "1000"],
      asked: ["call 5"],
    });
  });

  test("copies what is known of the same block", async () => {
    expect(await convert([enterLog(5), enterLog(6)], { known: [enterLog(5)] })).toEqual({
      assets: ["77", "1500"],
      asked: ["call 6"],
    });
  });

  test("leaves amounts unknown that the node or the budget does not allow", async () => {
    expect((await convert([enterLog(5), enterLog(6)], { from: 6 })).assets).toEqual([null, "1500"]);
    expect(await convert([enterLog(5)], { requests: 8 })).toEqual({ assets: [null], asked: [] });
  });
});

describe("convertStoredFlows()", () => {
  /** Runs over stored deposits of these blocks, or these logs, with nodes that have the state from these blocks on. */
  async function run(
    blocks: readonly (number | ChainLog)[],
    nodes: readonly number[],
    { requests = 60, runs = 1 } = {},
  ) {
    const logs = blocks.map((one) => (typeof one === "number" ? enterLog(one) : one));
    let now = 0;
    const store = new MemoryFlows();
    for (const one of sources.toRows(logs, 99)) store.rows.set(`${one.txHash} ${one.logIndex}`, one);
    const made = nodes.map((from) => nodeOf({ logs, from }));
    const warnings: string[] = [];
    const indexer: Indexer = {
      ...{
        chainId: CHAIN_ID,
        maxTopics: null,
        nodes: nodes.length,
        store,
        now: () => now,
        randomId: () => "run",
      },
      log: createLogger((line) => warnings.push(line), {}),
      client: {
        async onOneNode(work) {
          let last: unknown;
          for (const { node } of made) {
            try {
              return await work(node);
            } catch (error) {
              last = error;
            }
          }
          throw last;
        },
      },
    };
    const coverage = { vaultAddress: row.address, startBlock: 0, source: "", followedFrom: 0, done: [] };
    const state = { vaults: [{ vault: veda, coverage }] };
    for (; now < runs * 60_000; now += 60_000)
      await convertStoredFlows(indexer, { state, budget: budgetOf(requests) });
    const rows = [...store.rows.values()].map(({ assets, conversionTries }) => [assets, conversionTries]);
    return { rows, asked: made.map(({ asked }) => asked), warnings: warnings.length };
  }

  test("reads the events again and converts them at their blocks, the newest first", async () => {
    expect(await run([5, 6], [0])).toEqual({
      rows: [
        ["1500", 1],
        ["1500", 1],
      ],
      asked: [["logs 6", "call 6", "logs 5", "call 5"]],
      warnings: 0,
    });
  });

  test("begins with the block tried longest ago, because those that fail may use up a run's requests", async () => {
    const [failing = 0] = FAILURES.keys();
    const { asked } = await run([4, 5, 6], [failing], { requests: 10, runs: 4 });
    const read = asked[0]?.filter((request) => request.startsWith("logs"));
    expect(read).toEqual(["logs 6", "logs 5", "logs 4", "logs 6"]);
  });

  test("reaches the rows behind those that fail, although these are as many as a run converts", async () => {
    const failing = Array.from({ length: 20 }, (_, index) => ({ ...enterLog(5), logIndex: 100 + index }));
    const { rows } = await run([4, ...failing], [FAILS_AT_5], { runs: 2 });
    expect(rows[0]).toEqual(["1500", 1]);
    expect(rows.slice(1)).toEqual(failing.map(() => [null, 0]));
  });

  test("asks another node for the state that a node lacks", async () => {
    const { rows, asked } = await run([5, 6], [6, 0]);
    expect(rows.map(([assets]) => assets)).toEqual(["1500", "1500"]);
    expect(asked[1]).toEqual(["logs 5", "call 5"]);
  });

  test("counts an attempt when no node has the state, and is logged", async () => {
    expect(await run([5, 6], [6])).toMatchObject({
      rows: [
        [null, 1],
        ["1500", 1],
      ],
      warnings: 1,
    });
  });

  test("counts no attempt for blocks that were not tried", async () => {
    expect((await run([4, 5, 6], [7, 6])).rows).toEqual([
      [null, 0],
      [null, 1],
      ["1500", 1],
    ]);
  });

  test("goes on with other blocks when one fails for a while", async () => {
    const { rows, warnings } = await run([4, 5, 6], [FAILS_AT_5]);
    expect({ rows, warnings }).toEqual({
      rows: [
        ["1500", 1],
        [null, 0],
        ["1500", 1],
      ],
      warnings: 1,
    });
  });

  test.each([...FAILURES])("counts no attempt when a node fails by itself: %i", async (failing) => {
    expect(await run([5], [failing])).toMatchObject({ rows: [[null, 0]], warnings: 1 });
    // The failing node may have what the other one lacks, whichever is asked first.
    for (const nodes of [
      [failing, 6],
      [6, failing],
    ])
      expect(await run([5, 6], nodes)).toMatchObject({
        rows: [
          [null, 0],
          ["1500", 1],
        ],
        warnings: 1,
      });
  });

  test("leaves the rest to the next run when the requests are used up", async () => {
    expect((await run([5, 6], [0], { requests: 10 })).rows).toEqual([
      [null, 0],
      ["1500", 1],
    ]);
    expect((await run([5, 6], [0], { requests: 5 })).asked).toEqual([[]]);
  });
});
