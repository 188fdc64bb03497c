import {
  type Address,
  concatHex,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  padHex,
  slice,
} from "viem";
import { depositRouterRuntimeCode } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { answerMulticall } from "../chains/multicall.ts";
import { execute, FORGER, HANDLER, SPOKE_POOL, START_BALANCE, USDC, VAULTS } from "./contracts.ts";
import { NO_FAULTS, type NodeFaults } from "./node-faults.ts";
import { FINALITY, type SimulatedBlock, type SimulatedChain } from "./simulated-chain.ts";
import { view } from "./views.ts";

/** An error that a node returns. */
class NodeRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface WireCall {
  from?: Address;
  to?: Address;
  data?: Hex;
  input?: Hex;
}
type WireOverrides = Record<string, { stateDiff?: Record<string, Hex> }>;

interface Simulation {
  blockStateCalls: { calls: Required<WireCall>[]; stateOverrides?: WireOverrides }[];
}

const BALANCE_OF = "0x70a08231";

/** A JSON-RPC node of a simulated chain. */
export class SimulatedNode {
  readonly #chain: SimulatedChain;
  faults: NodeFaults = { ...NO_FAULTS };
  /** The logs of blocks, each made once, with the number of the block's transactions at that time. */
  readonly #made = new WeakMap<SimulatedBlock, { transactions: number; logs: WireLog[] }>();
  /** Number of answered requests by method. */
  readonly asked = new Map<string, number>();

  constructor(chain: SimulatedChain) {
    this.#chain = chain;
  }

  /** Returns the response to an HTTP request. */
  respond(body: string): Response {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    if (this.faults.down) throw new TypeError("the connection failed");
    try {
      return Response.json({ jsonrpc: "2.0", id, result: this.#answer(method, params) });
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      const { code, message } = error;
      return Response.json({ jsonrpc: "2.0", id, error: { code, message } });
    }
  }

  get #blocks(): readonly SimulatedBlock[] {
    const { stale, behind } = this.faults;
    const all = stale && this.#chain.before.length > 0 ? this.#chain.before : this.#chain.blocks;
    return behind === 0 ? all : all.slice(0, Math.max(1, all.length - behind));
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    const blocks = this.#blocks;
    const [first, second, third] = params;
    switch (method) {
      case "eth_chainId":
        return numberToHex(this.#chain.chainId);
      case "eth_blockNumber":
        return numberToHex(blocks.length - 1);
      case "eth_getBlockByNumber":
        return header(this.#blockAt(blocks, first as string));
      case "eth_getBlockByHash":
        return header(this.#chain.findBlock(blocks, first as Hex) ?? undefined);
      case "eth_getLogs":
        return this.#logs(blocks, first as LogQuery);
      case "eth_getTransactionByHash":
        return this.#transaction(blocks, first as Hex);
      case "eth_getTransactionReceipt":
        return this.#receipt(blocks, first as Hex);
      case "eth_getBlockReceipts":
        return this.#receipts(blocks, first as string);
      case "eth_getCode":
        return codeOf(first as Address);
      case "eth_getStorageAt":
        return numberToHex(0, { size: 32 });
      case "eth_getBalance":
        return numberToHex(10n ** 20n);
      case "eth_getTransactionCount":
        return "0x1";
      case "eth_call":
        return this.#call(first as WireCall, third as WireOverrides | undefined);
      case "eth_simulateV1":
        return this.#simulate(first as Simulation);
      default:
        throw new NodeRefusal(
          -32601,
          `the method ${method} does not exist/is not available (${String(second)})`,
        );
    }
  }

  #blockAt(blocks: readonly SimulatedBlock[], tag: string): SimulatedBlock | undefined {
    if (tag === "latest" || tag === "pending") return blocks.at(-1);
    if (tag === "finalized" || tag === "safe") return blocks[Math.max(0, blocks.length - 1 - FINALITY)];
    return blocks[tag === "earliest" ? 0 : Number(tag)];
  }

  #shown(blocks: readonly SimulatedBlock[]): readonly SimulatedBlock[] {
    const { forgets } = this.faults;
    return forgets === 0 ? blocks : blocks.slice(0, Math.max(1, blocks.length - forgets));
  }

  #logs(blocks: readonly SimulatedBlock[], query: LogQuery): unknown {
    const shown = this.#shown(blocks);
    if (query.blockHash !== undefined) {
      const block = this.#chain.findBlock(shown, query.blockHash);
      if (block === null) throw new NodeRefusal(-32000, "unknown block");
      return this.#logsOf(block).filter(matcherOf(query));
    }
    const number = (tag: string): number => this.#blockAt(blocks, tag)?.number ?? Number(tag);
    const [from, to] = [number(query.fromBlock ?? "latest"), number(query.toBlock ?? "latest")];
    if (to - from >= this.faults.limit)
      throw new NodeRefusal(-32005, `limited to a ${this.faults.limit} block range`);
    const matches = matcherOf(query);
    return shown.slice(from, to + 1).flatMap((block) => this.#logsOf(block).filter(matches));
  }

  #logsOf(block: SimulatedBlock): WireLog[] {
    const transactions = block.included.length;
    const known = this.#made.get(block);
    if (known?.transactions === transactions) return known.logs;
    const logs = block.included.flatMap((_, index) => receiptOf(block, index).logs);
    this.#made.set(block, { transactions, logs });
    return logs;
  }

  #transaction(blocks: readonly SimulatedBlock[], hash: Hex): unknown {
    const { unindexed } = this.faults;
    const shown = this.#shown(blocks);
    const found = this.#chain.findIn(shown.slice(0, Math.max(1, shown.length - unindexed)), hash);
    const pending = this.#chain.pool.find((sent) => sent.hash === hash);
    const sent = found?.included.sent ?? pending;
    if (sent === undefined) return null;
    return {
      ...{ hash, from: sent.from, to: sent.to, input: sent.input, value: numberToHex(sent.value) },
      ...{ gas: "0x7a120", nonce: "0x1", type: "0x2" },
      blockNumber: found === null ? null : numberToHex(found.block.number),
      blockHash: found?.block.hash ?? null,
      transactionIndex: found === null ? null : numberToHex(found.included.index),
    };
  }

  #receipt(blocks: readonly SimulatedBlock[], hash: Hex): unknown {
    const shown = this.#shown(blocks);
    const found = this.#chain.findIn(
      shown.slice(0, Math.max(1, shown.length - this.faults.unreceipted)),
      hash,
    );
    const isKept = found !== null && blocks.length - found.block.number <= this.faults.keeps;
    return isKept ? receiptOf(found.block, found.included.index) : null;
  }

  #receipts(blocks: readonly SimulatedBlock[], tag: string): unknown {
    const shown = this.#shown(blocks);
    const block = tag.length === 66 ? this.#chain.findBlock(shown, tag as Hex) : shown[Number(tag)];
    return block == null ? null : block.included.map((_, index) => receiptOf(block, index));
  }

  #call({ from, to, data, input }: WireCall, overrides: WireOverrides | undefined): Hex {
    const sent = data ?? input ?? "0x";
    const chain = this.#chain;
    if (to === undefined) {
      const { number, timestamp } = chain.head;
      const contracts: Parameters<typeof answerMulticall>[1]["contracts"] = (call) => {
        const answer = view(chain, { from: call.to, ...call });
        return answer === null ? { ok: false, data: "0x" } : { ok: true, data: answer };
      };
      return answerMulticall(sent, { contracts, block: { chainId: chain.chainId, number, timestamp } });
    }
    const balance = overriddenBalance(overrides, { to, data: sent });
    const answer = view(chain, {
      from: from ?? to,
      to,
      data: sent,
      ...(balance === null ? {} : { balance }),
    });
    if (answer === null) throw new NodeRefusal(3, "execution reverted");
    return answer;
  }

  /** Simulates calls in order. Balances are derived from the tokens' events. */
  #simulate(request: Simulation) {
    const chain = this.#chain;
    const [block] = request.blockStateCalls;
    const gains = new Map<string, bigint>();
    const calls = (block?.calls ?? []).map((call) => {
      const { from, to, data } = call;
      if (data.startsWith(BALANCE_OF)) {
        const account = getAddress(slice(data, 16, 36));
        const base = overriddenBalance(block?.stateOverrides, { to, data }) ?? START_BALANCE;
        const value = base + (gains.get(gainKey(to, account)) ?? 0n);
        return { status: "0x1", returnData: padHex(numberToHex(value)), gasUsed: "0x5208", logs: [] };
      }
      const delivered = largestOverride(block?.stateOverrides);
      const { succeeded, logs } = execute(chain, {
        from,
        to,
        data,
        ...(delivered === null ? {} : { delivered }),
      });
      for (const log of logs) {
        if (log.topics[0] !== TRANSFER) continue;
        const [, payer = "0x", payee = "0x"] = log.topics;
        const value = hexToBigInt(log.data);
        for (const [account, change] of [
          [payer, -value],
          [payee, value],
        ] as const) {
          const key = gainKey(log.address, getAddress(slice(account, 12)));
          gains.set(key, (gains.get(key) ?? 0n) + change);
        }
      }
      const wire = logs.map((log, index) => ({ ...log, logIndex: numberToHex(index) }));
      return { status: succeeded ? "0x1" : "0x0", returnData: "0x", gasUsed: "0x30d40", logs: wire };
    });
    return [
      { number: numberToHex(chain.head.number + 1), timestamp: numberToHex(chain.head.timestamp), calls },
    ];
  }
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const gainKey = (token: string, account: string): string => `${token} ${account}`.toLowerCase();

/** Returns the overridden balance of an account. Every simulated token keeps its balances in the mapping at slot 9. */
function overriddenBalance(
  overrides: WireOverrides | undefined,
  { to, data }: { to: Address; data: Hex },
): bigint | null {
  if (overrides === undefined || !data.startsWith(BALANCE_OF)) return null;
  const own = Object.entries(overrides).find(([address]) => address.toLowerCase() === to.toLowerCase())?.[1];
  const account = slice(data, 4, 36);
  const slot = keccak256(concatHex([account, numberToHex(9, { size: 32 })]));
  const value = own?.stateDiff?.[slot];
  return value === undefined ? null : hexToBigInt(value);
}

/** Returns the largest balance in the overrides, which is what a simulated executor received. Null if there is none. */
function largestOverride(overrides: WireOverrides | undefined): bigint | null {
  const values = Object.values(overrides ?? {}).flatMap(({ stateDiff }) => Object.values(stateDiff ?? {}));
  const [first] = values;
  return first === undefined ? null : hexToBigInt(first);
}

interface LogQuery {
  fromBlock?: string;
  toBlock?: string;
  blockHash?: Hex;
  address?: string | string[];
  topics?: (string | string[] | null)[];
}

interface WireLog {
  address: string;
  topics: string[];
}

/** Returns a function that is true for logs that a query asks for. */
function matcherOf(query: LogQuery): (log: WireLog) => boolean {
  const setOf = (wanted: string | string[]): Set<string> =>
    new Set([wanted].flat().map((one) => one.toLowerCase()));
  const addresses = setOf(query.address ?? []);
  const topicSets = (query.topics ?? []).map((wanted) => (wanted === null ? null : setOf(wanted)));
  return ({ address, topics }) =>
    (addresses.size === 0 || addresses.has(address)) &&
    topicSets.every((wanted, at) => wanted === null || wanted.has(topics[at] ?? ""));
}

function header(block: SimulatedBlock | undefined) {
  if (block === undefined) return null;
  const { number, hash, parentHash, timestamp, included } = block;
  const transactions = included.map(({ sent }) => sent.hash);
  return {
    ...{ number: numberToHex(number), hash, parentHash, timestamp: numberToHex(timestamp), transactions },
  };
}

function receiptOf(block: SimulatedBlock, index: number) {
  const included = block.included[index];
  if (included === undefined) throw new RangeError("no such transaction");
  const { sent, succeeded, logs, firstLog } = included;
  const place = {
    blockNumber: numberToHex(block.number),
    blockHash: block.hash,
    transactionHash: sent.hash,
    transactionIndex: numberToHex(index),
  };
  return {
    ...place,
    ...{ status: succeeded ? "0x1" : "0x0", gasUsed: "0x30d40", from: sent.from, to: sent.to },
    logs: logs.map((log, at) => ({ ...log, ...place, logIndex: numberToHex(firstLog + at), removed: false })),
  };
}

function codeOf(address: Address): Hex {
  const sought = address.toLowerCase();
  if (sought === depositRouterAddress.toLowerCase()) return depositRouterRuntimeCode;
  return CONTRACTS.some((known) => known.toLowerCase() === sought) ? "0x60006000fd" : "0x";
}

const CONTRACTS: readonly string[] = [
  ...VAULTS,
  ...Object.values(USDC),
  ...Object.values(SPOKE_POOL),
  ...[HANDLER, FORGER],
];
