import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { pgCode } from "../../db/client.ts";
import {
  type DepositChange,
  type DepositRow,
  selectDeposit,
  updateDeposit,
} from "../../db/queries/deposits.ts";
import type { ShareProof } from "./proofs.ts";
import { nextState, type StateEvent } from "./state-machine.ts";

/** One thing that was seen of a deposit. */
export interface Transition {
  event: StateEvent;
  /** What is noted with it: when it moves the state, or in any case. */
  change: DepositChange;
  write: "on_change" | "always";
}

const UNIQUE_VIOLATION = "23505";

/**
 * Moves a deposit by what was seen of it, in that order and in one write, and gives the row as it is then. A
 * writer who was faster wins; its row is given. A transaction that another deposit was proven by proves nothing.
 * Throws `store_unavailable`.
 */
export async function applyTransitions(
  ctx: Context,
  input: { row: DepositRow; transitions: readonly Transition[] },
): Promise<DepositRow> {
  const { row } = input;
  const change = changeOf(ctx, input);
  if (change === null) return row;
  try {
    const updated = await updateDeposit(ctx.db, { trackingId: row.trackingId, from: row.state, change });
    return updated ?? (await selectDeposit(ctx.db, row.trackingId)) ?? row;
  } catch (error) {
    if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
    ctx.log.warn("deposit_proof_used", { tracking_id: row.trackingId });
    return row;
  }
}

/** The row as it would be after what was seen, of which nothing is written. */
export function previewTransitions(
  ctx: Context,
  input: { row: DepositRow; transitions: readonly Transition[] },
): DepositRow {
  return { ...input.row, ...changeOf(ctx, input) };
}

/** What the observations come to; null: nothing that the row does not say already. */
function changeOf(
  ctx: Context,
  { row, transitions }: { row: DepositRow; transitions: readonly Transition[] },
): DepositChange | null {
  let state = row.state;
  let change: DepositChange = {};
  for (const { event, change: own, write } of transitions) {
    const moved = nextState(state, event);
    if (moved !== state || write === "always") change = { ...change, ...own };
    state = moved;
  }
  const differs = Object.entries(change).some(([key, value]) => row[key as keyof DepositChange] !== value);
  if (state === row.state) return differs ? change : null;
  const at = new Date(ctx.now()).toISOString();
  return { ...change, state, history: [...row.history, { state, at }] };
}

/** The deposit that a receipt is about, and whether its chain has confirmed the receipt. */
interface ReceiptContext {
  row: DepositRow;
  confirmed: boolean;
}

/**
 * Shares reached the user. With `depositTxHash` by a transfer of shares in that transaction, which then proves
 * no other deposit. Noted for a partial deposit too, which stays what it is: nothing is left to be done there.
 */
export function completedTransition(
  { row, confirmed }: ReceiptContext,
  proof: ShareProof & { depositTxHash?: Hex; destinationTxHash?: Hex },
): Transition {
  const { depositTxHash, destinationTxHash } = proof;
  const change: DepositChange = {
    substatus: null,
    shares: proof.shares.toString(),
    receivedAmount: proof.amountIn?.toString() ?? null,
    ...(depositTxHash === undefined ? {} : { depositTxHash, depositProven: true }),
    ...(destinationTxHash === undefined ? {} : { destinationTxHash }),
  };
  const event = { kind: "chain", shows: "shares", confirmed } as const;
  return { event, change, write: confirmed && row.state === "partial" ? "always" : "on_change" };
}

/** What was moved reached the user instead of the vault. `amount` in the moved token's smallest unit. */
export function deliveredTransition(
  { row, confirmed }: ReceiptContext,
  { amount, destinationTxHash }: { amount: bigint; destinationTxHash: Hex },
): Transition {
  const shows = row.twoStep ? "token_awaits_deposit" : "token_only";
  const change = { substatus: null, destinationTxHash, deliveredAmount: amount.toString() };
  return { event: { kind: "chain", shows, confirmed }, change, write: "on_change" };
}

/** The bridge paid the user back on the source chain. `amount` in the smallest unit of what it took. */
export function refundedTransition(
  { confirmed }: ReceiptContext,
  { amount, refundTxHash }: { amount: bigint; refundTxHash: Hex },
): Transition {
  const change = { substatus: null, refundTxHash, receivedAmount: amount.toString() };
  return { event: { kind: "chain", shows: "refund", confirmed }, change, write: "on_change" };
}
