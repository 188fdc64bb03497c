import { type Address, getAddress, type Hex, type Log } from "viem";
import * as z from "zod";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient } from "./chain-client.ts";
import { RpcQuantity } from "./rpc-values.ts";

const HexText = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text as Hex);
const AddressText = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text));

const TransactionShape = z
  .object({
    hash: HexText,
    from: AddressText,
    to: AddressText.nullish(),
    input: HexText,
    value: RpcQuantity,
    gas: RpcQuantity,
  })
  .nullable();

const LogsShape = z.array(
  z.object({ address: AddressText, topics: z.array(HexText), data: HexText, logIndex: RpcQuantity }),
);

const ReceiptShape = z
  .object({
    transactionHash: HexText,
    blockNumber: RpcQuantity,
    blockHash: HexText.optional(),
    status: RpcQuantity,
    gasUsed: RpcQuantity,
    logs: LogsShape,
  })
  .nullable();

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

/** The receipt of a transaction that is included in a block. Addresses of `logs` are checksummed. */
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
  /** Receipt of the transaction, or null while it is pending. */
  receipt: Receipt | null;
  /**
   * Number of blocks from the transaction's own to the head, both included; 0 while it is pending, or if the node that
   * returned the head is behind.
   */
  confirmations: number;
}

/**
 * Fetches a transaction, its receipt and its number of confirmations, in three parallel requests to possibly different
 * nodes. `hash` must be lowercase. `transaction` is null if the node does not know the transaction, `receipt` also
 * while it is pending; there is never a receipt without its transaction. Throws a ZodError if a node's response is
 * malformed, a RangeError if it describes another transaction, and `upstream_unavailable` if the nodes know only the
 * receipt. Errors of the chain client propagate.
 */
export async function fetchTransaction(client: ChainClient, hash: Hex): Promise<TransactionOnChain> {
  const [transaction, receipt, head] = await Promise.all([
    client.request("eth_getTransactionByHash", [hash]),
    client.request("eth_getTransactionReceipt", [hash]),
    client.request("eth_blockNumber", []),
  ]);
  const parsed = ReceiptShape.parse(receipt ?? null);
  const missing = parsed !== null && (transaction ?? null) === null;
  const sent = TransactionShape.parse(missing ? await requestIncluded(client, hash) : (transaction ?? null));
  for (const reported of [sent?.hash, parsed?.transactionHash]) {
    if (reported !== undefined && reported.toLowerCase() !== hash)
      throw new RangeError("the node returned another transaction");
  }
  return {
    transaction: toTransaction(sent),
    receipt: parsed === null ? null : toReceipt(parsed),
    confirmations:
      parsed === null ? 0 : Math.max(0, Number(RpcQuantity.parse(head) - parsed.blockNumber) + 1),
  };
}

/**
 * Requests a transaction again whose receipt is known. Machines of one node learn of a block at different times, and a
 * reorg may lie between two requests; without its transaction, a receipt would look like another account's.
 */
function requestIncluded(client: ChainClient, hash: Hex): Promise<unknown> {
  const read = (answer: unknown): unknown => {
    if ((answer ?? null) === null) throw new OutsideError("malformed", "the node knows only the receipt");
    return answer;
  };
  return client.ask({ method: "eth_getTransactionByHash", params: [hash], read });
}

/**
 * Fetches the calldata of a transaction, or returns null if the responding node does not know the transaction. Throws a
 * ZodError if the node's response is malformed. Errors of the chain client propagate.
 */
export async function fetchCalldata(client: Pick<ChainClient, "request">, hash: Hex): Promise<Hex | null> {
  const transaction = await client.request("eth_getTransactionByHash", [hash]);
  return TransactionShape.parse(transaction ?? null)?.input ?? null;
}

function toTransaction(parsed: z.output<typeof TransactionShape>): Transaction | null {
  return parsed === null ? null : { ...parsed, to: parsed.to ?? null };
}

function toReceipt(parsed: NonNullable<z.output<typeof ReceiptShape>>): Receipt {
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
 * Converts the event logs of a simulated call to viem's type; block number and transaction hash are null. Throws a
 * ZodError if they are malformed.
 */
export function simulatedLogs(raw: readonly unknown[]): Log[] {
  return toLogs(LogsShape.parse(raw), { blockNumber: null, transactionHash: null });
}

function toLogs(
  parsed: z.output<typeof LogsShape>,
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
