import type { Hex } from "viem";
import type { Receipt, TransactionOnChain } from "../chains/chain-transaction.ts";
import type { Context } from "../context.ts";
import type { TrackedRow } from "../db/queries/deposit-queries.ts";
import {
  exchangeSource,
  MAX_REORG_BLOCKS,
  passHint,
  selectEqualOrder,
  selectSourceHolder,
} from "../db/queries/equal-order-queries.ts";
import { isUnseen } from "./deposits/deposit-state-machine.ts";
import { isUnseenWithdrawal } from "./withdrawals/withdrawal-state-machine.ts";

/** The row that a source transaction may count for, and what else is done while it is left to another row. */
interface ClaimedSource {
  row: TrackedRow;
  hash: Hex;
  receipt: Receipt;
  /** How often the transaction makes the row's call; absent: once. */
  calls?: number;
  /** Receives the transaction if it is left to another unproven row: until that one is bound, it is undecided. */
  leave?: ((hash: Hex) => unknown) | undefined;
}

/**
 * Returns true if a source transaction counts for this row, and not for others of the user with the same call, as many
 * as it makes; anyone can build them. Another row that is unproven gets it as a hint. Throws `store_unavailable`.
 */
export async function holdsSource(ctx: Context, source: ClaimedSource): Promise<boolean> {
  const { row, hash, calls, leave } = source;
  const { blockNumber } = source.receipt;
  const holder = await selectSourceHolder(ctx.db, { row, hash, blockNumber, calls });
  if (holder === null || holder.trackingId === row.trackingId) return true;
  const { trackingId, proven } = holder;
  if (proven) return false;
  await passHint(ctx.db, { trackingId, chainId: row.fromChainId, txHash: hash, now: new Date(ctx.now()) });
  leave?.(hash);
  return false;
}

/**
 * Leaves a transaction that precedes the build of `row` to an equal row that was built before it. If that one is bound
 * to a later transaction, because chains were read out of order, `row` gets that one in exchange. Throws
 * `store_unavailable`.
 */
export async function leaveToEarlierRow(ctx: Context, source: ClaimedSource): Promise<void> {
  const { row, hash, receipt, leave } = source;
  const { blockNumber } = receipt;
  if (!(await holdsSource(ctx, source))) return;
  const later = await exchangeSource(ctx.db, { row, hash, blockNumber, now: new Date(ctx.now()) });
  if (later === null) return;
  leave?.(hash);
  // This check may have tried it while it was the other row's, and must not drop it.
  leave?.(later);
}

/** What rows with the same call show about a row's transaction. */
export interface SharedSource<Row> {
  /** The row whose progress answers for the transaction: the row itself, or an equal one. */
  answering: Row;
  /** Tracking id of the equal row under which the user's transaction is recorded, or null. */
  sameAs: string | null;
}

/**
 * Finds, for an unsent or reverted row with a known `builtBlock`, another row of the user with the same call and a
 * proven transaction (`sameAs`). For a reverted row, the other must not have failed, and its transaction must be
 * reported for `row`. `answering` is the other row if that is so reported and both continue alike, otherwise `row`.
 * Throws `store_unavailable`.
 */
export async function findSharedSource<Row extends TrackedRow>(
  ctx: Context,
  row: Row,
): Promise<SharedSource<Row>> {
  const unseen = row.direction === "deposit" ? isUnseen(row.state) : isUnseenWithdrawal(row.state);
  // A redemption that took shares and paid nothing has failed too, but no other transaction answers for it.
  const reverted = row.state === "failed" && row.requestId === null && row.shares === null;
  const asks = (unseen || reverted) && row.builtBlock !== null;
  const equal = asks ? await selectEqualOrder(ctx.db, row) : null;
  if (equal === null) return { answering: row, sameAs: null };
  if (reverted && (!equal.reported || equal.row.state === "failed")) return { answering: row, sameAs: null };
  // The rows have one direction, hence one type.
  const answering = equal.reported && endsLike(row, equal.row) ? (equal.row as Row) : row;
  return { answering, sameAs: equal.row.trackingId };
}

/** Returns true if two rows with the same call continue alike, as the SQL condition `continuesAlike` says. */
const endsLike = (one: TrackedRow, other: TrackedRow): boolean =>
  one.vaultChainId === other.vaultChainId &&
  one.vaultAddress === other.vaultAddress &&
  paymentChainOf(one) === paymentChainOf(other) &&
  one.moveToken === other.moveToken &&
  one.twoStep === other.twoStep;

const paymentChainOf = (row: TrackedRow): number | null =>
  row.direction === "withdrawal" ? row.toChainId : null;

/**
 * Returns true if a transaction was included more than 32 blocks before the block at which a row was built: a reorg may
 * move it by so many. False without a receipt, and if that block is unknown or, by a node's fault, above the head.
 */
export function precedesBuild(
  { builtBlock }: Pick<TrackedRow, "builtBlock">,
  { receipt, confirmations }: TransactionOnChain,
): boolean {
  if (builtBlock === null || receipt === null) return false;
  const block = Number(receipt.blockNumber);
  return builtBlock < block + confirmations && block < builtBlock - MAX_REORG_BLOCKS;
}
