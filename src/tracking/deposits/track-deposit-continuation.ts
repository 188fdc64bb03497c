import type { Hex } from "viem";
import type { Receipt } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import { isProofOfAnother } from "../../db/queries/deposit-evidence-queries.ts";
import { type DepositRow, selectDeposit } from "../../db/queries/deposit-queries.ts";
import {
  adoptContinuation,
  selectContinuation,
  selectOpenSecondSteps,
} from "../../db/queries/deposit-schedule-queries.ts";
import { passHint, selectSourceHolder } from "../../db/queries/equal-order-queries.ts";
import { depositRouterAddress } from "../../router/router-address.ts";
import { innerDataHashes } from "../tracked-calldata-hashes.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";
import { completedTransition, type Transition } from "./deposit-transitions.ts";
import { MADE_FOR_OTHERS } from "./deposits-in-batch.ts";
import { awaitsSecondStep, readProven } from "./track-deposit-destination.ts";
import { requireCurrentEvidence } from "./track-deposit-evidence.ts";
import {
  builtDataHashes,
  callsOf,
  directTransitions,
  isSourceOpen,
  matchesSource,
} from "./track-deposit-source.ts";

const router = depositRouterAddress.toLowerCase();

/**
 * Reads the continuation of a deposit from Postgres: its second step, built as a deposit of its own that names it as
 * parent, with a proven transaction (`requested`, `claimable` or `completed`, or a request that was settled for a part
 * or for no shares). Null if there is none. Throws `store_unavailable`.
 */
export const readContinuation = (ctx: Context, row: DepositRow): Promise<DepositRow | null> =>
  selectContinuation(ctx.db, { parent: row, router });

/** Returns true if a continuation has ended: with shares, with a part of them, or with a claim of none. */
const hasEnded = ({ state, shares }: DepositRow): boolean =>
  state === "completed" || ((state === "partial" || state === "failed") && shares !== null);

interface ContinuedDeposit {
  row: DepositRow;
  readTransaction: TransactionReader;
}

/**
 * Returns the transition that gives a deposit the end of its continuation `by`: its shares (null if unknown), what the
 * vault paid back of it, or its failure without shares. Empty until that one has ended and its source transaction is
 * confirmed, which must not be in a block before the delivery. Throws
 * `store_unavailable`, `upstream_unavailable` while a reorg of the continuation is not followed yet, and errors of the
 * RPC nodes.
 */
export async function continuationTransitions(
  ctx: Context,
  { row, readTransaction, by }: ContinuedDeposit & { by: DepositRow },
): Promise<Transition[]> {
  const { destinationTxHash } = row;
  const { sourceTxHash } = by;
  if (!hasEnded(by) || destinationTxHash === null || sourceTxHash === null) return [];
  const delivery = await readProven(ctx, { row, readTransaction, hash: destinationTxHash });
  const paid = await readProven(ctx, { row: by, readTransaction, hash: sourceTxHash });
  if (paid.blockNumber < delivery.blockNumber || !paid.confirmed) return [];
  await requireCurrentEvidence(ctx, { row: by, readTransaction });
  // It may have been derived again between the reading of its row and that of its evidence.
  const current = (await selectDeposit(ctx.db, by.trackingId)) ?? by;
  if (!hasEnded(current) || current.sourceTxHash !== sourceTxHash) return [];
  const { shares, receivedAmount, depositTxHash, claimTxHash, refundTxHash } = current;
  const amountIn = receivedAmount === null ? null : BigInt(receivedAmount);
  const { change, write } = completedTransition(
    { row, confirmed: true },
    { shares: BigInt(shares ?? 0), amountIn },
  );
  // The row does not prove the transaction as its own, because a transaction proves one deposit only. The shares stay
  // unknown if one claim settled several requests.
  const made = { shares, depositTxHash: depositTxHash ?? sourceTxHash, claimTxHash };
  const event = { kind: "chain", shows: endOf(current), confirmed: true } as const;
  const back = current.state === "partial" ? { refundTxHash } : {};
  return [{ event, change: { ...change, ...made, ...back }, write }];
}

/** Returns the event of a deposit whose continuation has ended in the given state. */
function endOf({ state }: DepositRow): "shares" | "vault_partly_claimed" | "vault_unminted" {
  if (state === "partial") return "vault_partly_claimed";
  return state === "failed" ? "vault_unminted" : "shares";
}

/**
 * Makes the deposit whose recorded proof is `hash` the continuation of `row` (see `adoptContinuation`), if
 * `transitions` show that its second step was made for another one: anyone can build the same call for the user, and
 * the follower may have recorded the transaction for that deposit. Returns false if none is adopted. Throws
 * `store_unavailable`.
 */
export async function takeAsContinuation(
  ctx: Context,
  { row, hash, transitions }: { row: DepositRow; hash: Hex; transitions: readonly Transition[] },
): Promise<boolean> {
  const isMade = awaitsSecondStep(row) && transitions.includes(MADE_FOR_OTHERS);
  return isMade && (await adoptContinuation(ctx.db, { parent: row, hash, router }));
}

/**
 * Leaves a transaction to a deposit that was built with the same call and may be the second step of `row`, whichever
 * parent it names: stores it as a hint of that deposit, which becomes due. Returns false if there is none whose source
 * is still open, or the transaction already proves another deposit. Throws `store_unavailable`; errors of the RPC nodes
 * propagate.
 */
export async function leaveToBuiltDeposit(
  ctx: Context,
  { row, readTransaction, hash }: ContinuedDeposit & { hash: Hex },
): Promise<boolean> {
  const { vaultChainId: chainId } = row;
  const seen = await readTransaction(chainId, hash);
  if (seen.transaction === null) return false;
  const { input } = seen.transaction;
  const dataHashes = [...builtDataHashes(input), ...innerDataHashes(input).keys()];
  const built = await selectOpenSecondSteps(ctx.db, { parent: row, router, dataHashes });
  const owner = built.find((one) => isSourceOpen(one) && matchesSource(one, seen));
  if (owner === undefined) return false;
  const { trackingId } = owner;
  const blockNumber = seen.receipt?.blockNumber ?? null;
  const calls = callsOf(owner, seen.transaction);
  const holder =
    blockNumber === null ? null : await selectSourceHolder(ctx.db, { row: owner, hash, blockNumber, calls });
  if (holder?.proven === true && holder.trackingId !== trackingId) return false;
  const proves = await isProofOfAnother(ctx.db, { ...owner, depositProven: true, depositTxHash: hash });
  if (proves && !(await isLeftFor(ctx, { row: owner, hash, receipt: seen.receipt }))) return false;
  await passHint(ctx.db, { trackingId, chainId, txHash: hash, now: new Date(ctx.now()) });
  return true;
}

/** Returns true if a batch that proves another deposit made this one too: one call and one payment prove one deposit. */
async function isLeftFor(
  ctx: Context,
  of: { row: DepositRow; hash: Hex; receipt: Receipt | null },
): Promise<boolean> {
  const { receipt } = of;
  if (receipt === null) return false;
  return (await directTransitions(ctx, { ...of, receipt, confirmed: true, batched: true })).length > 0;
}
