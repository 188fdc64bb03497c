import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { pgCode } from "../../db/database-client.ts";
import {
  type DepositChange,
  type DepositRow,
  selectDeposit,
  updateDeposit,
} from "../../db/queries/deposit-queries.ts";
import type { ShareProof } from "./deposit-proofs.ts";
import { nextState, type StateEvent } from "./deposit-state-machine.ts";

/** An event of a deposit with the columns it writes. */
export interface Transition {
  event: StateEvent;
  /** Written when the event changes the state, or always. */
  change: DepositChange;
  write: "on_change" | "always";
}

const UNIQUE_VIOLATION = "23505";

/**
 * Applies transitions to a deposit in order and in one write, and returns the new row. When another writer
 * was faster, its row is returned. A transaction that already proves another deposit is ignored. Throws
 * `store_unavailable`.
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

/** Returns the row as the transitions would change it, without writing. */
export function previewTransitions(
  ctx: Context,
  input: { row: DepositRow; transitions: readonly Transition[] },
): DepositRow {
  return { ...input.row, ...changeOf(ctx, input) };
}

/** Returns the columns that the transitions change; null when nothing changes. */
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

/** The deposit of a receipt, and whether its chain has confirmed it. */
interface ReceiptContext {
  row: DepositRow;
  confirmed: boolean;
}

/**
 * Returns the transition of shares that reached the user. `depositTxHash` is set when the share transfers of
 * that transaction are the proof, which then prove no other deposit. Also written for a partial deposit,
 * which stays partial but needs no further step.
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

/**
 * Returns the transition of a token that reached the user instead of the vault. `amount` in the delivered
 * token's smallest unit.
 */
export function deliveredTransition(
  { row, confirmed }: ReceiptContext,
  { amount, destinationTxHash }: { amount: bigint; destinationTxHash: Hex },
): Transition {
  const shows = row.twoStep ? "token_awaits_deposit" : "token_only";
  const change = { substatus: null, destinationTxHash, deliveredAmount: amount.toString() };
  return { event: { kind: "chain", shows, confirmed }, change, write: "on_change" };
}

/**
 * Returns the transition of a bridge's refund on the source chain. `amount` in the smallest unit of the token
 * paid.
 */
export function refundedTransition(
  { confirmed }: ReceiptContext,
  { amount, refundTxHash }: { amount: bigint; refundTxHash: Hex },
): Transition {
  const change = { substatus: null, refundTxHash, receivedAmount: amount.toString() };
  return { event: { kind: "chain", shows: "refund", confirmed }, change, write: "on_change" };
}
