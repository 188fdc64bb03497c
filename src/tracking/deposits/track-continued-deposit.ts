import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { passHint, selectSourceHolder } from "../../db/queries/deposit-evidence-queries.ts";
import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import {
  adoptContinuation,
  selectContinuation,
  selectUnprovenContinuations,
} from "../../db/queries/deposit-schedule-queries.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";
import { completedTransition, type Transition } from "./deposit-transitions.ts";
import { innerDataHashes } from "./inner-data-hashes.ts";
import { awaitsSecondStep, readProven } from "./track-destination-transaction.ts";
import { builtDataHashes, matchesSource } from "./track-source-transaction.ts";

/** The continuations of a deposit: its second step, built as deposits of their own that name it as parent. */
export interface Continuations {
  /** One whose transaction is proven, or null: it is `requested`, `claimable` or `completed`. */
  proven: DepositRow | null;
  /** True if none is proven, and at least one is built. */
  built: boolean;
}

const router = depositRouterAddress.toLowerCase();

/** Reads the continuations of a deposit from Postgres. Throws `store_unavailable`. */
export async function readContinuations(ctx: Context, row: DepositRow): Promise<Continuations> {
  const found = await selectContinuation(ctx.db, { parent: row, router });
  const proven = found?.sourceProven === true ? found : null;
  return { proven, built: found !== null && proven === null };
}

interface ContinuedDeposit {
  row: DepositRow;
  readTransaction: TransactionReader;
}

/**
 * Returns the transition that gives a deposit the shares of a continuation (null if unknown). Empty until that one is
 * completed by a confirmed transaction since the delivery. Errors of the RPC nodes propagate.
 */
export async function continuationTransitions(
  ctx: Context,
  { row, readTransaction, by }: ContinuedDeposit & { by: DepositRow },
): Promise<Transition[]> {
  const { destinationTxHash } = row;
  const { sourceTxHash, depositTxHash, claimTxHash, shares, receivedAmount } = by;
  if (by.state !== "completed" || destinationTxHash === null || sourceTxHash === null) return [];
  const delivery = await readProven(ctx, { row, readTransaction, hash: destinationTxHash });
  const paid = await readProven(ctx, { row: by, readTransaction, hash: sourceTxHash });
  if (paid.blockNumber < delivery.blockNumber || !paid.confirmed) return [];
  const amountIn = receivedAmount === null ? null : BigInt(receivedAmount);
  const { change, ...transition } = completedTransition(
    { row, confirmed: true },
    { shares: BigInt(shares ?? 0), amountIn },
  );
  // The row does not prove the transaction as its own, because a transaction proves one deposit only. The shares stay
  // unknown if one claim settled several requests.
  const made = { shares, depositTxHash: depositTxHash ?? sourceTxHash, claimTxHash };
  return [{ ...transition, change: { ...change, ...made } }];
}

/**
 * Takes the deposit that already holds the transaction proving a second step (`transitions`) as the continuation, as
 * `adoptContinuation` does: anyone can build the same call for the user, and the follower may have recorded the
 * transaction for that one. Returns false if none is taken. Throws `store_unavailable`.
 */
export async function takeAsContinuation(
  ctx: Context,
  { row, hash, transitions }: { row: DepositRow; hash: Hex; transitions: readonly Transition[] },
): Promise<boolean> {
  const proves = awaitsSecondStep(row) && transitions.some(({ change }) => change.depositProven === true);
  return proves && (await adoptContinuation(ctx.db, { parent: row, hash, router }));
}

/**
 * Leaves a transaction to the unproven continuation whose call it carries out, as a hint that makes it due. Returns
 * false if it carries out none of them, or is already proven for another deposit with the same call. Throws
 * `store_unavailable`; errors of the RPC nodes propagate.
 */
export async function leaveToContinuation(
  ctx: Context,
  { row, readTransaction, hash }: ContinuedDeposit & { hash: Hex },
): Promise<boolean> {
  const { vaultChainId: chainId } = row;
  const seen = await readTransaction(chainId, hash);
  if (seen.transaction === null) return false;
  const { input } = seen.transaction;
  const dataHashes = [...builtDataHashes(input), ...innerDataHashes(input)];
  const unproven = await selectUnprovenContinuations(ctx.db, { parent: row, router, dataHashes });
  const owner = unproven.find((one) => matchesSource(one, seen));
  if (owner === undefined) return false;
  const { trackingId } = owner;
  const blockNumber = seen.receipt?.blockNumber ?? null;
  const holder =
    blockNumber === null ? null : await selectSourceHolder(ctx.db, { row: owner, hash, blockNumber });
  if (holder?.proven === true && holder.trackingId !== trackingId) return false;
  await passHint(ctx.db, { trackingId, chainId, txHash: hash, now: new Date(ctx.now()) });
  return true;
}
