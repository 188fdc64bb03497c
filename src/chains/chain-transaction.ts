import { type Address, getAddress, type Hex, type Log } from "viem";
import * as z from "zod";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { once } from "../lib/once.ts";
import type { ChainClient } from "./chain-client.ts";
import { readHeadNumber } from "./read-block.ts";
import { RpcQuantity } from "./rpc-values.ts";

/** Shapes of the nodes' answers, made when the first is read: most modules that import this file read none. */
const shapes = once(() => {
  const hex = z
    .string()
    .regex(/^0x[0-9a-fA-F]*$/)
    .transform((text) => text as Hex);
  const address = z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((text) => getAddress(text));
  const logs = z.array(z.object({ address, topics: z.array(hex), data: hex, logIndex: RpcQuantity }));
  const ends = { from: address, to: address.nullish() };
  const transaction = z
    .object({ hash: hex, ...ends, input: hex, value: RpcQuantity, gas: RpcQuantity })
    .nullable();
  const block = { blockNumber: RpcQuantity, blockHash: hex.optional() };
  const receipt = z
    .object({ transactionHash: hex, ...block, status: RpcQuantity, gasUsed: RpcQuantity, logs })
    .nullable();
  return { transaction, receipt, logs };
});

type Shapes = ReturnType<typeof shapes>;

/**
 * A transaction as a node returns it, with checksummed addresses; `value` is in wei, and `to` is null for a contract
 * creation.
 */
export interface Transaction {
  hash: Hex;
  from: Address;
  to: Address | null;
  input: Hex;
  value: bigint;
  /** Gas limit of the transaction. */
  gas: bigint;
}

/** The receipt of a transaction in a block. Addresses of `logs` are checksummed, their `blockHash` is null. */
export interface Receipt {
  blockNumber: bigint;
  /** Hash of the block, lowercase; undefined if the node did not return it. */
  blockHash?: string | undefined;
  /** True if the transaction succeeded, false if it reverted. */
  succeeded: boolean;
  gasUsed: bigint;
  logs: Log[];
}

/**
 * A transaction, its receipt and its number of confirmations at the time of reading; `transaction` is null if the node
 * does not know it.
 */
export interface TransactionOnChain {
  transaction: Transaction | null;
  /** Receipt of the transaction, or null while it is pending or unknown. */
  receipt: Receipt | null;
  /**
   * Number of blocks from the transaction's own to the head, both included; 0 without a receipt, or if the head that a
   * node returned is below the transaction's block.
   */
  confirmations: number;
}

/**
 * Fetches a transaction, its receipt and its number of confirmations. There is no receipt without its transaction.
 * Throws `upstream_unavailable` if the nodes know only the receipt; errors of the chain client propagate.
 */
export async function fetchTransaction(client: ChainClient, hash: Hex): Promise<TransactionOnChain> {
  const [transaction, receipt, head] = await Promise.all([
    requestTransaction(client, hash),
    client.ask({
      method: "eth_getTransactionReceipt",
      params: [hash],
      read: (answer) => {
        const parsed = shapes().receipt.parse(answer ?? null);
        assertSame(parsed?.transactionHash, hash);
        return parsed;
      },
    }),
    readHeadNumber(client),
  ]);
  const sent = transaction ?? (receipt === null ? null : await requestIncluded(client, hash));
  return {
    transaction: sent === null ? null : { ...sent, to: sent.to ?? null },
    receipt: receipt === null ? null : toReceipt(receipt),
    confirmations: receipt === null ? 0 : Math.max(0, head - Number(receipt.blockNumber) + 1),
  };
}

type ParsedTransaction = z.output<Shapes["transaction"]>;

/** Requests a transaction, which is null if the node does not know it. The next node is asked if `check` throws. */
function requestTransaction(
  client: Pick<ChainClient, "ask">,
  hash: Hex,
  check: (sent: ParsedTransaction) => void = () => undefined,
): Promise<ParsedTransaction> {
  return client.ask({
    method: "eth_getTransactionByHash",
    params: [hash],
    read: (answer) => {
      const sent = shapes().transaction.parse(answer ?? null);
      assertSame(sent?.hash, hash);
      check(sent);
      return sent;
    },
  });
}

function assertSame(reported: Hex | undefined, hash: Hex): void {
  if (reported !== undefined && reported.toLowerCase() !== hash.toLowerCase())
    throw new OutsideError("malformed", "the node returned another transaction");
}

/**
 * Requests again a transaction whose receipt is known, because the machines behind one URL learn of a block at
 * different times. Without its transaction, a receipt would look like another account's.
 */
function requestIncluded(client: ChainClient, hash: Hex): Promise<ParsedTransaction> {
  return requestTransaction(client, hash, (sent) => {
    if (sent === null) throw new OutsideError("malformed", "the node knows only the receipt");
  });
}

/**
 * Fetches the calldata of a transaction, or returns null if the responding node does not know the transaction. Errors
 * of the chain client propagate.
 */
export async function fetchCalldata(client: Pick<ChainClient, "ask">, hash: Hex): Promise<Hex | null> {
  return (await requestTransaction(client, hash))?.input ?? null;
}

function toReceipt(parsed: NonNullable<z.output<Shapes["receipt"]>>): Receipt {
  const { blockNumber, transactionHash } = parsed;
  return {
    blockNumber,
    blockHash: parsed.blockHash?.toLowerCase(),
    succeeded: parsed.status === 1n,
    gasUsed: parsed.gasUsed,
    logs: toLogs(parsed.logs, { blockNumber, transactionHash }),
  };
}

/**
 * Converts the event logs of a simulated call to viem's type; block number, block hash and transaction hash are null.
 * Throws a ZodError if they are malformed.
 */
export function simulatedLogs(raw: readonly unknown[]): Log[] {
  return toLogs(shapes().logs.parse(raw), { blockNumber: null, transactionHash: null });
}

function toLogs(
  parsed: z.output<Shapes["logs"]>,
  at: { blockNumber: bigint | null; transactionHash: Hex | null },
): Log[] {
  return parsed.map((log) => ({
    ...log,
    ...at,
    topics: log.topics as Log["topics"],
    logIndex: Number(log.logIndex),
    blockHash: null,
    transactionIndex: null,
    removed: false,
  })) as Log[];
}
