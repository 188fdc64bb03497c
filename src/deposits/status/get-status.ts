import type { Hex } from "viem";
import { unservedChain } from "../../chains/chain-definitions.ts";
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
import {
  type FoundTransaction,
  isProvenBy,
  type MatchKind,
  matchDeposit,
} from "./find-deposit-of-transaction.ts";
import { getReplayStatus } from "./repeated-transaction-status.ts";
import { toTransferStatus, toUntrackedStatus } from "./tracked-deposit-status.ts";
import { classifyUntracked } from "./untracked-transaction-status.ts";

/** Parameters of a status request: a transaction hash, and the chains on which the transaction may be. */
export interface StatusQuery {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/**
 * Returns the transfer status of a transaction, which may be the source transaction, the delivery or the second step of
 * a deposit. First updates that deposit from on-chain data; for a transaction without a deposit nothing is stored.
 * Throws `chain_unsupported`, `store_unavailable`, and `upstream_unavailable` or `upstream_timeout` if the chain cannot
 * be read and the transaction is not yet proven.
 */
export async function getStatus(ctx: Context, query: StatusQuery): Promise<TransferStatus> {
  const client = ctx.chains.client(query.fromChainId);
  if (client === null || !ctx.chains.definitions.has(query.toChainId)) {
    const chainId = client === null ? query.fromChainId : query.toChainId;
    throw unservedChain(chainId, ctx.chains.definitions);
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
 * Returns true if a transaction does not belong to the deposit that it was matched with: it was only reported for that
 * deposit, does not prove anything for it, or repeats a transaction after the deposit was completed. The caller then
 * classifies the transaction by its receipt alone.
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
  /** Error of reading the source chain, or null if it could be read. */
  unreadable: AppError | null;
}

/**
 * Reads a transaction from the source chain or, if it is not there, from the vault's chain, because the hash may be
 * that of a delivery or of a second step.
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

/**
 * Applies the status transitions that a transaction proves to its deposit, then tracks the remaining steps of the
 * deposit.
 */
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
