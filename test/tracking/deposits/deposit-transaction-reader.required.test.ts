import { type Hex, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { createChainClient, NodeHealth, type NodeSession } from "../../../src/chains/chain-client.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { Fetch } from "../../../src/lib/bounded-fetch.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { settlementTransitions } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import {
  createTransactionReader,
  requireReceipts,
} from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { exitRequestTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-request.ts";
import { secondExitTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { blockHashOf, wireLog } from "../../support/chains/wire.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, row, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { simulatedChain } from "../../support/deposits/simulated-chain.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

/** Nodes that answer null for a transaction that their chain contains. */
const { definition } = simulatedChain({}).client;
const { chainId } = definition;
const [DELIVERY, PAID, OTHERS]: Hex[] = ["11", "22", "33"].map((byte): Hex => `0x${byte.repeat(32)}`);
const HEAD = 60_000;
const BLOCKS: Readonly<Record<string, number>> = { [DELIVERY ?? ""]: 900, [PAID ?? ""]: 1_000 };
const AMOUNT = 100_000_000n;

const mined = (block: number) => ({ blockNumber: numberToHex(block), blockHash: blockHashOf(block) });
const sent = { from: USER, to: OTHER, input: "0x", value: "0x0", gas: "0x5208" };
const payments = {
  fromUser: transferLog({ token: USDC, from: USER, to: VAULT, value: AMOUNT }),
  toUser: transferLog({ token: USDC, from: VAULT, to: USER, value: AMOUNT }),
};

/** What one node knows: transactions by hash, each with its block. Its logs show the payment in any case. */
type Node = Readonly<Record<string, number>>;

/** A context with these nodes of one chain, in this order, and the requests that they received. */
function nodesOf(...nodes: readonly Node[]) {
  const asked: { node: number; method: string; params: readonly unknown[] }[] = [];
  const fetch: Fetch = async (url, init) => {
    const node = Number(new URL(String(url)).pathname.slice(1));
    const { method, params } = JSON.parse(String(init?.body)) as { method: string; params: unknown[] };
    asked.push({ node, method, params });
    return Response.json({ jsonrpc: "2.0", id: 1, result: answerOf(nodes[node] ?? {}, method, params) });
  };
  const rpcUrls = nodes.map((_, index) => `https://node.invalid/${index}`);
  const timing = new Timing(() => 0);
  const now = () => 0;
  const client = createChainClient({
    ...{ definition: { ...definition, rpcUrls }, health: new NodeHealth(), fetch, timing, now },
  });
  return { client, asked };
}

function answerOf(known: Node, method: string, params: readonly unknown[]): unknown {
  const [first] = params as [string & { fromBlock: Hex; toBlock: Hex; topics: unknown[] }];
  switch (method) {
    case "eth_chainId":
      return numberToHex(chainId);
    case "eth_blockNumber":
      return numberToHex(HEAD);
    case "eth_getTransactionByHash":
      return known[first] === undefined ? null : { hash: first, ...sent };
    case "eth_getTransactionReceipt": {
      const block = known[first];
      const done = { transactionHash: first, status: "0x1", gasUsed: "0x1", logs: [] };
      return block === undefined ? null : { ...done, ...mined(block) };
    }
    case "eth_getLogs": {
      const within = Number(first.fromBlock) <= 1_000 && Number(first.toBlock) >= 1_000;
      const { address, topics, data } = first.topics[1] === null ? payments.toUser : payments.fromUser;
      return within ? [wireLog({ address, topics, data }, { block: 1_000, txHash: PAID ?? "0x" })] : [];
    }
    default:
      throw new Error(method);
  }
}

const blockOf = ({ receipt }: TransactionOnChain): bigint | null => receipt?.blockNumber ?? null;

describe("requireReceipts()", () => {
  const read = (nodes: readonly Node[], hash: Hex | undefined) => {
    const ctx = testContext({ clients: [nodesOf(...nodes).client] });
    const readTransaction = createTransactionReader(ctx);
    const reader = requireReceipts(ctx, { readTransaction, chainId, hashes: [PAID ?? "0x"] });
    return reader(chainId, hash ?? "0x");
  };

  test("asks another node for a receipt that one has forgotten", async () => {
    expect(blockOf(await read([{}, BLOCKS], PAID))).toBe(1_000n);
  });

  test("throws upstream_unavailable if no node has it", async () => {
    await expect(read([{}, {}], PAID)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("leaves other transactions unknown", async () => {
    expect(blockOf(await read([{}, {}], OTHERS))).toBeNull();
  });
});

/** Number of requests with which one search reads the blocks from 900 to 44,000. */
const OLDER_REQUESTS = 5;

/** Counts the requests for events of blocks below the newest 16,000. */
const olderBlocks = (asked: ReturnType<typeof nodesOf>["asked"]): number =>
  asked.filter(({ method, params }) => {
    const [filter] = params as [{ toBlock: Hex }];
    return method === "eth_getLogs" && Number(filter.toBlock) <= HEAD - 16_000;
  }).length;

/** All nodes have forgotten the user's payment, whose transfer their logs show. */
const forgetful = { [DELIVERY ?? ""]: 900 };

test("a second step whose receipt no node has is searched for again, block by block", async () => {
  const { client, asked } = nodesOf(forgetful);
  const waiting = {
    ...{ ...row, state: "awaiting_deposit" as const, twoStep: true, provider: "lifi" },
    ...{
      moveToken: USDC.toLowerCase(),
      deliveredAmount: AMOUNT.toString(),
      destinationTxHash: DELIVERY ?? null,
    },
  };
  const ctx = testContext({ clients: [client], db: fixedDatabase(() => []) });
  for (const searches of [1, 2, 3]) {
    const readTransaction = createTransactionReader(ctx);
    const { unreadable } = await trackDeposit(ctx, { row: waiting, hints: [], readTransaction });
    expect(unreadable?.code).toBe("upstream_unavailable");
    expect(olderBlocks(asked)).toBe(searches * OLDER_REQUESTS);
  }
});

test("so is the second step of a withdrawal", async () => {
  const { client, asked } = nodesOf(forgetful);
  const waiting = { ...withdrawalRow, state: "awaiting_transfer" as const, sourceTxHash: DELIVERY ?? null };
  const built = { target: VAULT.toLowerCase(), dataHash: "0x", amount: AMOUNT.toString() };
  const ctx = testContext({ clients: [client], db: fixedDatabase(() => [built]) });
  for (const searches of [1, 2, 3]) {
    const readTransaction = createTransactionReader(ctx);
    await expect(
      secondExitTransitions(ctx, { row: waiting, hints: [], readTransaction }),
    ).rejects.toMatchObject({ code: "upstream_unavailable" });
    expect(olderBlocks(asked)).toBe(searches * OLDER_REQUESTS);
  }
});

/** A context whose chain reports that a vault has no request of the user's, and shows a payment without a receipt. */
function afterSettlement() {
  const contracts = contractsClient(() => ({ ok: true, data: numberToHex(0n, { size: 32 }) }));
  const request: NodeSession["request"] = async (method, params) =>
    method === "eth_call" ? contracts.request(method, params) : answerOf(forgetful, method, params);
  const { asset } = vault;
  const stored = { assetAddress: asset.address, assetSymbol: asset.symbol, assetDecimals: asset.decimals };
  const found: unknown[][] = [[{ ...vault, adapter: "lagoon", caller: "user", wasActive: true, ...stored }]];
  const db = { run: async () => found.shift() ?? [] } as unknown as Database;
  const ctx = testContext({ db, clients: [completeClient({ ...contracts, request })] });
  return { ctx, readTransaction: createTransactionReader(ctx) };
}

test("the end of a deposit request whose receipt no node has is unknown", async () => {
  const { ctx, readTransaction } = afterSettlement();
  const waiting = { ...row, state: "requested" as const, requestId: "0", depositTxHash: DELIVERY ?? null };
  await expect(settlementTransitions(ctx, { row: waiting, readTransaction })).rejects.toMatchObject({
    code: "upstream_unavailable",
  });
});

test("so is the end of a redemption request", async () => {
  const { ctx, readTransaction } = afterSettlement();
  const requested = { state: "requested", mode: "request", requestId: "0", sourceProven: true } as const;
  const waiting = { ...withdrawalRow, ...requested, sourceTxHash: DELIVERY ?? null };
  await expect(
    exitRequestTransitions(ctx, { row: waiting, hints: [], readTransaction }),
  ).rejects.toMatchObject({ code: "upstream_unavailable" });
});
