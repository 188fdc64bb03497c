import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import { pgCode, UNIQUE_VIOLATION } from "../../db/database-client.ts";
import {
  type DepositChange,
  type DepositRow,
  type EvidenceBlock,
  selectDeposit,
  type TrackedRow,
  updateDeposit,
} from "../../db/queries/deposit-queries.ts";
import { historyWith } from "../tracked-history.ts";
import type { ShareProof } from "./deposit-proofs.ts";
import { isRequested, nextState, type StateEvent } from "./deposit-state-machine.ts";
import type { TransactionReader } from "./deposit-transaction-reader.ts";
import { readNewEvidence } from "./track-deposit-evidence.ts";

/** A transition of a deposit: an event, with the database columns to write. */
export interface Transition {
  event: StateEvent;
  /**
   * The database columns to write. With `write: "always"` they are written even if the event does not change the
   * deposit's state.
   */
  change: DepositChange;
  write: "on_change" | "always";
  /**
   * Tracking ids of the deposits that are known to share the transaction: if it has come to prove a further one, nothing
   * is written. Absent if it was compared with none.
   */
  besides?: readonly string[];
}

/** Transitions of a deposit, with the reader of the transactions that prove them. */
interface ProvenTransitions {
  row: DepositRow;
  transitions: readonly Transition[];
  readTransaction: TransactionReader;
  /** Receives the blocks that are stored as evidence. */
  recorded?: EvidenceBlock[];
  /**
   * Called if another writer has changed the state, bound the source transaction or used the proof, so that the row is
   * unchanged.
   */
  onConflict?: () => void;
}

/**
 * Applies transitions in order, stores a change with the blocks that prove it, and makes the deposit due. Returns the
 * new row, the stored one if another writer was first, or `row` if nothing changes or its deposit transaction proves
 * another deposit. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function applyTransitions(ctx: Context, input: ProvenTransitions): Promise<DepositRow> {
  // The deposit becomes due, so that its evidence is recorded and its next step is tracked.
  return storeTransitions(ctx, { ...input, also: { nextCheckAt: new Date(ctx.now()), checks: 0 } });
}

/**
 * Applies transitions like `applyTransitions`, but leaves the deposit's schedule unchanged. Throws `store_unavailable`.
 * Errors of the RPC nodes propagate.
 */
export async function applyWhileScheduled(ctx: Context, input: ProvenTransitions): Promise<DepositRow> {
  return storeTransitions(ctx, { ...input, also: {} });
}

async function storeTransitions(
  ctx: Context,
  input: ProvenTransitions & { also: DepositChange },
): Promise<DepositRow> {
  const { row, readTransaction } = input;
  const changed = changeOf(ctx, input);
  if (changed === null) return row;
  const change = { ...changed, ...input.also };
  const evidence = await readNewEvidence(readTransaction, { before: row, after: { ...row, ...changed } });
  try {
    const { trackingId, state: from } = row;
    // It may be the second step of its parent.
    const parentDueAt = endsSecondStep(change) ? parentDue(ctx, row) : null;
    const compared = comparedIn(input);
    const updated = await updateDeposit(ctx.db, {
      trackingId,
      from,
      change,
      evidence,
      compared,
      parentDueAt,
    });
    if (updated === null) {
      input.onConflict?.();
      return (await selectDeposit(ctx.db, trackingId)) ?? row;
    }
    input.recorded?.push(...evidence);
    return updated;
  } catch (error) {
    if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
    // Another deposit was proven in between. The transaction may hold a part for each: the next check shows it.
    input.onConflict?.();
    ctx.log.warn("deposit_proof_used", { tracking_id: row.trackingId });
    return row;
  }
}

/** What the transaction that proves a row was compared with. */
export type ComparedProof = NonNullable<Parameters<typeof updateDeposit>[1]["compared"]>;

/** Returns what the transaction by which transitions prove a row was compared with; null if it was with nothing. */
export function comparedIn(of: {
  row: TrackedRow;
  transitions: readonly Pick<Transition, "besides">[];
}): ComparedProof | null {
  const besides = of.transitions.find((one) => one.besides !== undefined)?.besides;
  return besides === undefined ? null : { row: of.row, besides };
}

/** Returns true if a change ends a deposit in a way that its parent shows too, or no longer shows. */
const endsSecondStep = ({ state, shares }: DepositChange): boolean =>
  state === "completed" ||
  state === "partial" ||
  state === "refunded" ||
  (state === "failed" && typeof shares === "string");

/** Returns the time at which a deposit's parent is due if the deposit concerns it: now, or null without a parent. */
const parentDue = (ctx: Context, { parentTrackingId }: DepositRow): Date | null =>
  parentTrackingId === null ? null : new Date(ctx.now());

/**
 * Stores the state of a deposit that was derived again from the chains. A parent becomes due, because it may have taken
 * over the shares. Returns the new row, or null if another writer was first or its deposit transaction has come to prove a
 * row that it was not `compared` with. Throws `store_unavailable`, and Postgres error 23505 if it proves another deposit.
 */
export async function restateDeposit(
  ctx: Context,
  of: { row: DepositRow; shown: DepositChange & Pick<DepositRow, "state">; compared?: ComparedProof | null },
): Promise<DepositRow | null> {
  const { row, shown, compared = null } = of;
  const entry = { state: shown.state, at: new Date(ctx.now()).toISOString() };
  const history = shown.state === row.state ? row.history : historyWith(row, { entry, isOpen });
  const change = { ...shown, history };
  return updateDeposit(ctx.db, {
    ...{ trackingId: row.trackingId, from: row.state, change, compared },
    parentDueAt: parentDue(ctx, row),
  });
}

/** Returns a deposit's row as the transitions would change it, without storing it. Pure except for the clock. */
export function previewTransitions(
  ctx: Context,
  input: { row: DepositRow; transitions: readonly Transition[] },
): DepositRow {
  return { ...input.row, ...changeOf(ctx, input) };
}

/**
 * Returns true if a transition continues a deposit whose source transaction reverted. The reverted transaction is then
 * removed as its source, so that the user's next transaction can become it.
 */
const isRevertedSource = (row: DepositRow, change: DepositChange): boolean =>
  row.state === "failed" &&
  row.requestId === null &&
  row.shares === null &&
  change.sourceTxHash === undefined;

const isOpen = (state: DepositRow["state"]): boolean => isRequested({ state });

/** Returns the columns that transitions change in a deposit's row, or null if nothing changes. */
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
  const source = isRevertedSource(row, change) ? { sourceTxHash: null, sourceProven: false } : {};
  return { ...source, ...change, state, history: historyWith(row, { entry: { state, at }, isOpen }) };
}

/** The deposit that a receipt belongs to, and whether the receipt has the required confirmations. */
interface ReceiptContext {
  row: DepositRow;
  confirmed: boolean;
}

/**
 * Returns the transition of a deposit whose shares reached the user; a partial one stays partial. `depositTxHash` is
 * set if share transfers in that transaction are the proof, which then cannot prove another deposit.
 */
export function completedTransition(
  { row, confirmed }: ReceiptContext,
  proof: Pick<ShareProof, "shares" | "amountIn"> & { depositTxHash?: Hex; destinationTxHash?: Hex },
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
 * Returns the transition of a deposit whose target token was delivered to the user. `amount` is in the token's smallest
 * unit.
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
 * Returns the transition of a deposit that a bridge refunded on the source chain. `amount` is in the smallest unit of
 * the token that the bridge took.
 */
export function refundedTransition(
  { confirmed }: ReceiptContext,
  { amount, refundTxHash }: { amount: bigint; refundTxHash: Hex },
): Transition {
  const change = { substatus: null, refundTxHash, receivedAmount: amount.toString() };
  return { event: { kind: "chain", shows: "refund", confirmed }, change, write: "on_change" };
}
