import type { Hex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { fetchTransaction, type TransactionOnChain } from "../../chains/chain-transaction.ts";
import { readBlock } from "../../chains/read-block.ts";
import type { Context } from "../../context.ts";
import { AppError, failure, failureFrom } from "../../errors.ts";

/**
 * A function that reads a transaction by chain id and hash. An unknown transaction is not an error: its `transaction`
 * and `receipt` are null. Repeated calls return the first result or its error.
 */
export type TransactionReader = (chainId: number, hash: Hex) => Promise<TransactionOnChain>;

/**
 * Creates a transaction reader for one request or one check of a deposit or withdrawal, so that all decisions in it use
 * the same view of each transaction. The reader throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`.
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
