import type { Hex } from "viem";
import { fetchTransaction, type TransactionOnChain } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import { AppError, failure, failureFrom } from "../../errors.ts";

/** Looks a transaction up on a chain, at most once in what it was made for. */
export type TransactionReader = (chainId: number, hash: Hex) => Promise<TransactionOnChain>;

/**
 * Makes a `Look` for one request or one deposit of a job: all that is concluded rests on one view of each
 * transaction. It throws `chain_unsupported`, `upstream_unavailable`, `upstream_timeout`.
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

async function readTransactionOrThrow(
  ctx: Context,
  { chainId, hash }: { chainId: number; hash: Hex },
): Promise<TransactionOnChain> {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  try {
    return await fetchTransaction(client, hash);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const detail = `a node of ${client.definition.name} gave an unusable answer`;
    throw failureFrom("upstream_unavailable", detail, error);
  }
}

/** Whether a transaction is as deep in its chain as proofs have to be there. */
export function isConfirmed(ctx: Context, of: { chainId: number; seen: TransactionOnChain }): boolean {
  const definition = ctx.chains.definitions.get(of.chainId);
  return definition !== undefined && of.seen.confirmations >= definition.confirmations;
}
