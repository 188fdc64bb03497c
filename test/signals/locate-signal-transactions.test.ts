import { encodeAbiParameters, type Hex, padHex, toEventSelector } from "viem";
import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { SignalRow } from "../../src/db/queries/signal-queries.ts";
import {
  locateChanges,
  logShowsChange,
  type SearchBudget,
  searchBudget,
  withoutTransaction,
} from "../../src/signals/locate-signal-transactions.ts";
import { testContext } from "../support/context.ts";

const NEW = "0x00000000000000000000000000000000000000b2";
const TX = `0x${"ab".repeat(32)}` as const;
const vault = vaultOf({ number: 1 });

const row = (of: Partial<SignalRow> = {}): SignalRow => ({
  signalId: "sig_1",
  incidentId: "inc_1",
  ruleId: "control_changed",
  chainId: CHAIN_ID,
  vaultAddress: vault.address.toLowerCase(),
  subject: "curator",
  sequence: 0,
  tier: "medium",
  dimension: "trust",
  title: "",
  summary: "",
  metrics: [],
  evidence: { before: "0x01", after: NEW, before_block: "100", after_block: "200" },
  evolution: [],
  keys: [],
  firstSeen: new Date(0),
  lastSeen: new Date(0),
  updateCount: 0,
  txHash: null,
  blockNumber: 200,
  ...of,
});
const curatorSet = (to: string, block: number) => ({
  address: vault.address.toLowerCase(),
  topics: [toEventSelector("SetCurator(address)"), padHex(to as Hex, { size: 32 })],
  data: "0x",
  blockNumber: `0x${block.toString(16)}`,
  blockHash: padHex(`0x${block.toString(16)}`, { size: 32 }),
  transactionHash: to === NEW ? TX : padHex(`0x${block.toString(16)}`, { size: 32 }),
  logIndex: "0x1",
});

/** Looks for changes on a node that answers as told; also tells what it was asked. */
async function locate(
  rows: readonly SignalRow[],
  answer: () => unknown,
  {
    maxLogTopics = null,
    budget = searchBudget(),
  }: { maxLogTopics?: number | null; budget?: SearchBudget } = {},
) {
  const asked: unknown[] = [];
  const client = {
    definition: { chainId: CHAIN_ID, maxLogTopics },
    onOneNode: (work: Parameters<ChainClient["onOneNode"]>[0]) =>
      work({
        request: async (_method, params) => {
          asked.push(params[0]);
          return answer();
        },
      }),
  } as unknown as ChainClient;
  const ctx = testContext({ clients: [client] });
  const found = await locateChanges(ctx, { found: rows.map((one) => ({ row: one, vault })), budget });
  return { found, asked, logged: ctx.logged };
}

describe("locateChanges()", () => {
  test("adds the transaction of the last matching event between the two snapshots", async () => {
    const { found, asked } = await locate([row()], () => [curatorSet("0xc3", 120), curatorSet(NEW, 150)]);
    expect(found).toMatchObject([{ txHash: TX, blockNumber: 150 }]);
    expect(asked).toMatchObject([
      { fromBlock: "0x65", toBlock: "0xc8", address: [vault.address.toLowerCase()] },
    ]);
  });

  test.each<[string, () => unknown]>([
    ["no event was emitted", () => []],
    ["the event has another value", () => [curatorSet("0xc3", 120)]],
    [
      "the node refuses the block range",
      () => {
        throw new RpcError("node", "too many blocks");
      },
    ],
    ["the response of the node is malformed", () => ({})],
  ])("leaves the transaction null when %s", async (_what, answer) => {
    expect((await locate([row()], answer)).found).toEqual([row()]);
  });

  test("skips changes without a known event, over too many blocks, or with a transaction", async () => {
    const rows = [
      row({ subject: "unheard" }),
      row({ ruleId: "share_price_loss" }),
      row({ evidence: { ...row().evidence, before_block: "100", after_block: "10101" } }),
      row({ updateCount: 1 }),
      row({ evidence: {} }),
    ];
    const { found, asked } = await locate(rows, () => [curatorSet(NEW, 150)]);
    expect([found, asked]).toEqual([rows, []]);
  });

  test("withoutTransaction() returns a change for half an hour until its event is found", () => {
    const rows = [
      row(),
      row({ signalId: "sig_2", txHash: TX }),
      row({ signalId: "sig_3", updateCount: 1 }),
      row({ signalId: "sig_4", ruleId: "share_price_loss" }),
      row({ signalId: "sig_5", ruleId: "paused", subject: "" }),
    ];
    const found = rows.map((one) => ({ row: one, vault }));
    const ids = (nowMs: number) => withoutTransaction(found, nowMs).map((one) => one.row.signalId);
    expect(ids(30 * 60_000)).toEqual(["sig_1", "sig_5"]);
    expect(ids(30 * 60_000 + 1)).toEqual([]);
  });

  test("splits the topics into as many requests as the node's limit needs", async () => {
    const paused = row({ ruleId: "paused", subject: "", evidence: row().evidence });
    const { asked } = await locate([paused], () => []);
    expect(asked).toHaveLength(1);
    const granted = await locate([paused], () => [], { maxLogTopics: 4 });
    const topics = (one: unknown) => (one as { topics: [string[]] }).topics[0];
    expect(granted.asked.map((one) => topics(one).length)).toEqual([4, 4, 2]);
    expect(granted.asked.flatMap(topics)).toEqual(asked.flatMap(topics));
  });

  test("looks up at most ten changes in a run", async () => {
    const { asked } = await locate(
      Array.from({ length: 30 }, () => row()),
      () => [],
    );
    expect(asked).toHaveLength(10);
  });

  test("looks up no more once a run's budget is spent", async () => {
    const budget = { left: 3 };
    const first = await locate([row(), row()], () => [], { budget });
    const second = await locate([row(), row()], () => [], { budget });
    expect([first.asked.length, second.asked.length, budget.left]).toEqual([2, 1, 0]);
  });
});

test.each<[string, string, Hex, boolean]>([
  [
    "fee with 18 decimals",
    "50000000000000000",
    encodeAbiParameters([{ type: "uint256" }], [5n * 10n ** 16n]),
    true,
  ],
  [
    "different fee",
    "50000000000000001",
    encodeAbiParameters([{ type: "uint256" }], [5n * 10n ** 16n]),
    false,
  ],
  [
    "fee rates as an array",
    "1500",
    encodeAbiParameters([{ type: "uint16[5]" }], [[100, 1000, 100, 1500, 7]]),
    true,
  ],
])("logShowsChange() compares every word of the log: %s", (_what, value, data, shown) => {
  expect(logShowsChange({ topics: [TX], data }, value)).toBe(shown);
});
