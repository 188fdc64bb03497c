import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { AppError, failure } from "../../errors.ts";
import type { TransferStatus } from "../../schemas/deposit-schema.ts";
import { isOpen, isUnseen } from "../track/deposit-state-machine.ts";
import { createTransactionReader, type TransactionReader } from "../track/deposit-transaction-reader.ts";
import { applyTransitions, type Transition } from "../track/deposit-transitions.ts";
import { isSourceOpen, sourceTransitions } from "../track/source-transaction.ts";
import { trackDeposit } from "../track/track-deposit.ts";
import { vaultTransitions } from "../track/vault-transaction.ts";
import { type FoundTransaction, isProvenBy, type MatchKind, matchDeposit } from "./match-transaction.ts";
import { getReplayStatus } from "./replayed-deposit-status.ts";
import { toTransferStatus, toUntrackedStatus } from "./tracked-deposit-status.ts";
import { classifyUntracked } from "./untracked-transaction-status.ts";

/** The transaction and the chains of a status request. */
export interface StatusQuery {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/**
 * Returns the transfer status of a transaction: a source transaction, a delivery or a second step. Updates
 * its deposit from the chains; an unknown hash writes nothing. Throws `chain_unsupported`,
 * `store_unavailable`, and `upstream_unavailable` or `upstream_timeout` when the chain cannot be read and
 * nothing is proven.
 */
export async function getStatus(ctx: Context, query: StatusQuery): Promise<TransferStatus> {
  const client = ctx.chains.client(query.fromChainId);
  if (client === null || !ctx.chains.definitions.has(query.toChainId)) {
    const chainId = client === null ? query.fromChainId : query.toChainId;
    throw failure("chain_unsupported", `chain ${chainId} is not served`);
  }
  const readTransaction = createTransactionReader(ctx);
  const { found, unreadable } = await findTransaction(query, readTransaction);
  const tracked = await matchDeposit(ctx, found);
  if (unreadable !== null && tracked?.kind !== "proven") throw unreadable;
  if (tracked?.kind === "replayed") return getReplayStatus(ctx, { row: tracked.row, found, readTransaction });
  if (tracked !== null) {
    const row = await advanceDeposit(ctx, { row: tracked.row, found, readTransaction });
    if (!isUnrelated(row, { kind: tracked.kind, found })) return toTransferStatus(ctx, row);
  }
  const { seen } = found;
  if (seen === null) throw failure("upstream_unavailable", "the transaction's chain cannot be read");
  const on = ctx.chains.client(found.chainId) ?? client;
  return toUntrackedStatus(found, {
    client: on,
    verdict: await classifyUntracked(ctx, { client: on, seen }),
  });
}

/**
 * Returns true when a transaction does not belong to the deposit it was matched with: it was only reported
 * for it, or proves nothing of it, or repeats a transaction that already completed it. Such a transaction is
 * classified by its receipt alone.
 */
function isUnrelated(
  row: DepositRow,
  { kind, found }: { kind: MatchKind; found: FoundTransaction },
): boolean {
  if ((found.seen?.receipt ?? null) === null || isProvenBy(row, found.hash)) return false;
  return kind === "claimed" || isUnseen(row.state) || !isOpen(row.state);
}

interface TransactionSearch {
  found: FoundTransaction;
  /** The error of the source chain; null when it could be read. */
  unreadable: AppError | null;
}

/**
 * Reads a transaction on the source chain, then on the vault's chain: the hash may be of a delivery or a
 * second step.
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
      // The transaction need not be on the vault's chain, so an unreadable vault chain alone is not an error.
      if (chainId === fromChainId) unreadable = error;
    }
  }
  const seen = unreadable === null ? await readTransaction(fromChainId, hash) : null;
  return { found: { hash, chainId: fromChainId, seen }, unreadable };
}

/** Applies the transaction's transitions to a deposit, then tracks the rest of it. */
async function advanceDeposit(
  ctx: Context,
  {
    row,
    found,
    readTransaction,
  }: { row: DepositRow; found: FoundTransaction; readTransaction: TransactionReader },
): Promise<DepositRow> {
  const transitions = await transitionsOf(ctx, { row, found, readTransaction });
  const moved = await applyTransitions(ctx, { row, transitions });
  return (await trackDeposit(ctx, { row: moved, readTransaction })).row;
}

async function transitionsOf(
  ctx: Context,
  {
    row,
    found,
    readTransaction,
  }: { row: DepositRow; found: FoundTransaction; readTransaction: TransactionReader },
): Promise<Transition[]> {
  const { hash, chainId, seen } = found;
  if (seen === null) return [];
  const mayBeSource = chainId === row.fromChainId && isSourceOpen(row) && !isProvenBy(row, hash);
  const atSource = mayBeSource ? await sourceTransitions(ctx, { row, hash, seen }) : [];
  const mayBeAtVault = chainId === row.vaultChainId && row.provider !== null && atSource.length === 0;
  return mayBeAtVault ? vaultTransitions(ctx, { row, hash, readTransaction }) : atSource;
}
