import type { Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import { chainNotServed } from "../chains/chain-definitions.ts";
import type { Context } from "../context.ts";
import type { TrackedRow } from "../db/queries/deposit-queries.ts";
import { AppError, failure } from "../errors.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import {
  createTransactionReader,
  type TransactionReader,
} from "../tracking/deposits/deposit-transaction-reader.ts";
import { getDepositStatus, type MatchedDeposit } from "./get-deposit-status.ts";
import { getWithdrawalStatus } from "./get-withdrawal-status.ts";
import { toUntrackedStatus } from "./status-tracked-deposit.ts";
import { type FoundTransaction, matchDeposit } from "./status-transaction-match.ts";
import { classifyUntracked } from "./status-untracked-transaction.ts";
import { findUserOperation } from "./status-user-operation.ts";

/**
 * Parameters of a status request: a transaction hash or the hash of a user operation, and the chains on which the
 * transaction may be.
 */
export interface StatusQuery {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/**
 * Returns the status of a transfer by the hash of one of its transactions, or of a recent user operation (ERC-4337) in
 * it. A recorded deposit or withdrawal is tracked first, unless the transaction is already known to repeat it. Throws
 * `chain_unsupported`, `vault_not_found`, `store_unavailable`, and `upstream_unavailable` or `upstream_timeout` if a
 * chain that must show the transaction cannot be read.
 */
export async function getStatus(ctx: Context, query: StatusQuery): Promise<TransferStatus> {
  const client = ctx.chains.client(query.fromChainId);
  if (client === null || !ctx.chains.definitions.has(query.toChainId)) {
    const chainId = client === null ? query.fromChainId : query.toChainId;
    throw chainNotServed(chainId, ctx.chains.definitions);
  }
  const readTransaction = createTransactionReader(ctx);
  const search = await findTransaction(query, readTransaction);
  const { unreadable } = search;
  const found =
    search.found.seen?.transaction === null
      ? ((await findContainingTransaction(ctx, { query, readTransaction })) ?? search.found)
      : search.found;
  const tracked = await matchDeposit(ctx, found);
  if (unreadable !== null && tracked?.kind !== "proven") throw unreadable;
  const status = tracked === null ? null : await statusOfTracked(ctx, { ...tracked, found, readTransaction });
  return status ?? statusOfUntracked(ctx, { found, client, readTransaction });
}

async function statusOfUntracked(
  ctx: Context,
  of: { found: FoundTransaction; client: ChainClient; readTransaction: TransactionReader },
): Promise<TransferStatus> {
  const { found, client, readTransaction } = of;
  const { seen } = found;
  if (seen === null) throw failure("upstream_unavailable", "the transaction's chain cannot be read");
  const on = ctx.chains.client(found.chainId) ?? client;
  const verdict = await classifyUntracked(ctx, { client: on, seen, readTransaction });
  return toUntrackedStatus(ctx, { found, verdict });
}

async function statusOfTracked(
  ctx: Context,
  { row, ...matched }: Omit<MatchedDeposit, "row"> & { row: TrackedRow },
): Promise<TransferStatus | null> {
  return row.direction === "deposit"
    ? getDepositStatus(ctx, { ...matched, row })
    : getWithdrawalStatus(ctx, { ...matched, row });
}

interface TransactionSearch {
  found: FoundTransaction;
  /** Error of reading the source chain, or null if that could be read or the other chain shows the transaction. */
  unreadable: AppError | null;
}

/**
 * Reads a transaction from the source chain or, if that does not show it, from the destination chain, where a delivery
 * or a deposit's second step is. `seen` is null if neither shows it and the source chain could not be read.
 */
async function findTransaction(
  { txHash: hash, ...query }: StatusQuery,
  readTransaction: TransactionReader,
): Promise<TransactionSearch> {
  const { fromChainId, toChainId } = query;
  let unreadable: AppError | null = null;
  for (const chainId of new Set([fromChainId, toChainId])) {
    try {
      const seen = await readTransaction(chainId, hash);
      if (seen.transaction !== null || seen.receipt !== null)
        return { found: { hash, chainId, seen }, unreadable: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // The transaction need not be on the destination chain: that this one alone is unreadable is no error.
      if (chainId === fromChainId) unreadable = error;
    }
  }
  const seen = unreadable === null ? await readTransaction(fromChainId, hash) : null;
  return { found: { hash, chainId: fromChainId, seen }, unreadable };
}

/**
 * Finds the transaction that contains the user operation with the requested hash, in the newest blocks of both chains.
 * Null if none is found. Wallets of smart accounts show the operation's hash as the transaction hash.
 */
async function findContainingTransaction(
  ctx: Context,
  { query, readTransaction }: { query: StatusQuery; readTransaction: TransactionReader },
): Promise<FoundTransaction | null> {
  for (const chainId of new Set([query.fromChainId, query.toChainId])) {
    const client = ctx.chains.client(chainId);
    const found =
      client === null ? null : await findUserOperation(ctx, { client, operationHash: query.txHash });
    if (found !== null) return { ...found, chainId, seen: await readTransaction(chainId, found.hash) };
  }
  return null;
}
