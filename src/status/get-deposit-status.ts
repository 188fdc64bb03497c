import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { sameAddress } from "../lib/address.ts";
import type { TransferStatus } from "../schemas/deposit-schema.ts";
import { isUnseen } from "../tracking/deposits/deposit-state-machine.ts";
import type { TransactionReader } from "../tracking/deposits/deposit-transaction-reader.ts";
import { applyTransitions, type Transition } from "../tracking/deposits/deposit-transitions.ts";
import { type TrackedDeposit, trackDeposit } from "../tracking/deposits/track-deposit.ts";
import { vaultTransitions } from "../tracking/deposits/track-deposit-destination.ts";
import { isSourceOpen, sourceTransitions } from "../tracking/deposits/track-deposit-source.ts";
import { getReplayStatus } from "./status-replayed-deposit.ts";
import { toStatusWithoutSteps, toTransferStatus } from "./status-tracked-deposit.ts";
import {
  type FoundTransaction,
  isLikelyOwn,
  isProvenBy,
  isRevertedSource,
  type MatchKind,
  UNCONFIRMED,
} from "./status-transaction-match.ts";

/** A deposit with a transaction that may belong to it. */
export interface MatchedDeposit {
  row: DepositRow;
  kind: MatchKind;
  found: FoundTransaction;
  readTransaction: TransactionReader;
}

/**
 * Returns the status of a transaction that may belong to a deposit; unless `kind` is `replayed`, the deposit is tracked
 * first. Null if the transaction does not count as the deposit's. Throws `store_unavailable`, `vault_not_found`, and
 * `chain_unsupported`, `upstream_unavailable` or `upstream_timeout` if a chain that the answer needs cannot be read.
 */
export async function getDepositStatus(
  ctx: Context,
  matched: MatchedDeposit,
): Promise<TransferStatus | null> {
  const { kind, found, readTransaction } = matched;
  if (kind === "replayed") return getReplayStatus(ctx, matched);
  const { row, unreadable } = await advanceDeposit(ctx, matched);
  if (isProvenBy(row, found.hash)) return toTransferStatus(ctx, row);
  const isSource = kind !== "only_reported" && row.sourceTxHash === found.hash;
  if (unreadable !== null && !isSource && found.seen?.receipt != null && isLikelyOwn(row, { kind, found }))
    throw unreadable;
  if (kind === "only_reported") return isReportShown(row, found) ? toStatusWithoutSteps(ctx, row) : null;
  if (isUnseen(row.state) && isRevertedSource(kind, found))
    return { ...(await toStatusWithoutSteps(ctx, row)), ...UNCONFIRMED };
  // Its receipt shows neither shares nor a request, or it proves another deposit.
  if (found.seen?.receipt != null && isUnseen(row.state)) return null;
  const overtaken = kind !== "named" && row.sourceProven && row.state !== "failed";
  return overtaken ? getReplayStatus(ctx, { row, found, readTransaction }) : toTransferStatus(ctx, row);
}

/**
 * Returns true if a reported transaction without other evidence may be shown as the deposit's, with nothing to sign: a
 * pending one of the user, or, while the deposit has not been seen, one that is not found on-chain.
 */
function isReportShown(row: DepositRow, { seen }: FoundTransaction): boolean {
  if (seen?.receipt != null) return false;
  const sender = seen?.transaction?.from ?? null;
  return sender === null ? isUnseen(row.state) : sameAddress(sender, row.userAddress);
}

/** Applies the transitions that a transaction proves to its deposit, then tracks the deposit's remaining steps. */
async function advanceDeposit(
  ctx: Context,
  { row, found, readTransaction }: MatchedDeposit,
): Promise<TrackedDeposit> {
  const transitions = await transitionsOf(ctx, { row, found, readTransaction });
  const moved = await applyTransitions(ctx, { row, transitions, readTransaction });
  return trackDeposit(ctx, { row: moved, readTransaction });
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
