import type { Hex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { fetchTransaction, type TransactionOnChain } from "../../chains/chain-transaction.ts";
import { readBlock, readHeadNumber } from "../../chains/read-block.ts";
import type { Context } from "../../context.ts";
import { AppError, failure, failureFrom } from "../../errors.ts";
import { OutsideError } from "../../lib/bounded-fetch.ts";

/**
 * A function that reads a transaction by chain id and hash. `transaction` and `receipt` are null if it is unknown, and
 * `receipt` alone while it is pending; a reader of `requireReceipts` throws instead where a receipt is required.
 * Repeated calls return the first result or its error.
 */
export type TransactionReader = (chainId: number, hash: Hex) => Promise<TransactionOnChain>;

/**
 * Creates a transaction reader for one request or check, so that all of its decisions use the same view of a
 * transaction. The reader throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`.
 */
export function createTransactionReader(ctx: Context): TransactionReader {
  const looked = new Map<string, Promise<TransactionOnChain>>();
  return (chainId, hash) => {
    const key = `${chainId}:${hash}`;
    const seen = looked.get(key) ?? readTransactionOrThrow(ctx, { chainId, hash });
    looked.set(key, seen);
    return seen;
  };
}

function readTransactionOrThrow(
  ctx: Context,
  { chainId, hash }: { chainId: number; hash: Hex },
): Promise<TransactionOnChain> {
  return readOrThrow(ctx, { chainId, read: (client) => fetchTransaction(client, hash) });
}

/**
 * Wraps a transaction reader: where one of `hashes` on `chainId` has no receipt, although it is proven or the chain's
 * logs show it, up to three nodes are asked, and the reader throws `upstream_unavailable` or `upstream_timeout` if none
 * returns it.
 */
export function requireReceipts(
  ctx: Context,
  of: { readTransaction: TransactionReader; chainId: number; hashes: Iterable<string> },
): TransactionReader {
  const required = new Set(of.hashes);
  const again = new Map<string, Promise<TransactionOnChain>>();
  return async (chainId, hash) => {
    const seen = await of.readTransaction(chainId, hash);
    if (seen.receipt !== null || chainId !== of.chainId || !required.has(hash)) return seen;
    const repeated = again.get(hash) ?? readElsewhere(ctx, { chainId, hash });
    again.set(hash, repeated);
    return repeated;
  };
}

/** Reads a transaction from a node that has its receipt. Throws `upstream_unavailable` if no node has it. */
function readElsewhere(
  ctx: Context,
  { chainId, hash }: { chainId: number; hash: Hex },
): Promise<TransactionOnChain> {
  return readOrThrow(ctx, {
    chainId,
    read: async (client) => {
      // A node that does not have the receipt is avoided from then on, so that all of the next requests go to one that
      // does.
      await client.ask({ method: "eth_getTransactionReceipt", params: [hash], read: assertPresent });
      const seen = await fetchTransaction(client, hash);
      assertPresent(seen.receipt);
      return seen;
    },
  });
}

function assertPresent(receipt: unknown): void {
  if ((receipt ?? null) === null)
    throw new OutsideError("malformed", "the node does not have the receipt of a transaction in its chain");
}

/**
 * Returns a function that returns true for the hash of a confirmed transaction and, with `orUnknown`, of one that the
 * node does not know; false if it cannot be read.
 */
export function confirmedOn(
  ctx: Context,
  chainId: number,
  { orUnknown = false }: { orUnknown?: boolean } = {},
): (hash: string) => Promise<boolean> {
  const readTransaction = createTransactionReader(ctx);
  return async (hash) => {
    try {
      const seen = await readTransaction(chainId, hash as Hex);
      return (orUnknown && seen.transaction === null) || isConfirmed(ctx, { chainId, seen });
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  };
}

/**
 * Returns the timestamp of a block in seconds since the epoch. Throws `chain_unsupported`, `upstream_unavailable` (also
 * if the node does not know the block), `upstream_timeout`.
 */
export async function readBlockTime(
  ctx: Context,
  { chainId, blockNumber }: { chainId: number; blockNumber: bigint },
): Promise<number> {
  const read = (client: ChainClient) => readBlock(client, Number(blockNumber));
  return (await readOrThrow(ctx, { chainId, read })).timestamp;
}

/** Returns the number of a chain's head block. Throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`. */
export function readHead(ctx: Context, chainId: number): Promise<number> {
  return readOrThrow(ctx, { chainId, read: readHeadNumber });
}

async function readOrThrow<T>(
  ctx: Context,
  { chainId, read }: { chainId: number; read: (client: ChainClient) => Promise<T> },
): Promise<T> {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  try {
    return await read(client);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const detail = `a node of ${client.definition.name} returned an invalid response`;
    throw failureFrom("upstream_unavailable", detail, error);
  }
}

/**
 * Returns true if a transaction has the number of confirmations that its chain requires, and false for a chain that is
 * not served.
 */
export function isConfirmed(ctx: Context, of: { chainId: number; seen: TransactionOnChain }): boolean {
  const definition = ctx.chains.definitions.get(of.chainId);
  return definition !== undefined && of.seen.confirmations >= definition.confirmations;
}
