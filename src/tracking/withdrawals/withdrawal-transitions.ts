import type { Context } from "../../context.ts";
import { pgCode, UNIQUE_VIOLATION } from "../../db/database-client.ts";
import {
  type EvidenceBlock,
  updateWithdrawal,
  type WithdrawalChange,
  type WithdrawalRow,
} from "../../db/queries/deposit-queries.ts";
import { selectWithdrawal } from "../../db/queries/withdrawal-queries.ts";
import type { TransactionReader } from "../deposits/deposit-transaction-reader.ts";
import { type ComparedProof, comparedIn } from "../deposits/deposit-transitions.ts";
import { readNewEvidence } from "../deposits/track-deposit-evidence.ts";
import { historyWith } from "../tracked-history.ts";
import { isOpenRequest, nextWithdrawalState, type WithdrawalEvent } from "./withdrawal-state-machine.ts";

/** A transition of a withdrawal: an event, with the database columns to write. */
export interface WithdrawalTransition {
  event: WithdrawalEvent;
  /** Database columns to write. With `write: "always"`, they are written even if the state does not change. */
  change: WithdrawalChange;
  write: "on_change" | "always";
  /**
   * Tracking ids of the withdrawals whose second steps, or equal first calls, are known to share the transaction: if it
   * has come to prove a further one, nothing is written. Absent if it was compared with none.
   */
  besides?: readonly string[];
}

/** Transitions of a withdrawal, with the reader of the transactions that prove them. */
export interface ProvenWithdrawal {
  row: WithdrawalRow;
  transitions: readonly WithdrawalTransition[];
  readTransaction: TransactionReader;
  /** Receives the blocks that are stored as evidence. */
  recorded?: EvidenceBlock[];
  /**
   * Called if another writer has changed the state, bound the source transaction or used the second step, so that the row
   * is unchanged.
   */
  onConflict?: () => void;
}

/**
 * Applies transitions in order, stores a change with the blocks that prove it, and makes the withdrawal due. Returns
 * the new row, the stored one if another writer was first, or `row` if nothing changes or its second step proves
 * another row. Throws `store_unavailable` and errors of the RPC nodes.
 */
export async function applyToWithdrawal(ctx: Context, input: ProvenWithdrawal): Promise<WithdrawalRow> {
  return store(ctx, { ...input, also: { nextCheckAt: new Date(ctx.now()), checks: 0 } });
}

/**
 * Applies transitions like `applyToWithdrawal`, but leaves the schedule unchanged. Throws `store_unavailable`. Errors
 * of the RPC nodes propagate.
 */
export async function applyToScheduledWithdrawal(
  ctx: Context,
  input: ProvenWithdrawal,
): Promise<WithdrawalRow> {
  return store(ctx, { ...input, also: {} });
}

async function store(
  ctx: Context,
  input: ProvenWithdrawal & { also: WithdrawalChange },
): Promise<WithdrawalRow> {
  const { row, readTransaction } = input;
  const changed = changeOf(ctx, input);
  if (changed === null) return row;
  const { trackingId } = row;
  const evidence = await readNewEvidence(readTransaction, { before: row, after: { ...row, ...changed } });
  const change = { ...changed, ...input.also };
  try {
    const compared = comparedIn(input);
    const updated = await updateWithdrawal(ctx.db, {
      trackingId,
      from: row.state,
      change,
      evidence,
      compared,
    });
    if (updated === null) {
      input.onConflict?.();
      return (await selectWithdrawal(ctx.db, trackingId)) ?? row;
    }
    input.recorded?.push(...evidence);
    return updated;
  } catch (error) {
    if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
    // Another withdrawal was proven in between. The transaction may hold a part for each: the next check shows it.
    input.onConflict?.();
    ctx.log.warn("withdrawal_proof_used", { tracking_id: trackingId });
    return row;
  }
}

/**
 * Stores the state of a withdrawal that was derived again from the chains. `compared`: what its transactions were compared
 * with, in order. Returns the new row, or null if another writer was first or one of them has come to prove another row.
 * Throws `store_unavailable`, and Postgres error 23505 if its second step proves another row.
 */
export async function restateWithdrawal(
  ctx: Context,
  of: {
    row: WithdrawalRow;
    shown: WithdrawalChange & Pick<WithdrawalRow, "state">;
    compared: readonly (ComparedProof | null)[];
  },
): Promise<WithdrawalRow | null> {
  const { row, shown } = of;
  const last = of.compared.findLast((one) => one !== null) ?? null;
  const sharing = of.compared.flatMap((one) => one?.besides ?? []);
  const compared = last === null ? null : { ...last, sharing };
  const { trackingId } = row;
  const entry = { state: shown.state, at: new Date(ctx.now()).toISOString() };
  const history =
    shown.state === row.state ? row.history : historyWith(row, { entry, isOpen: isOpenRequest });
  const change = { ...shown, history };
  return updateWithdrawal(ctx.db, { trackingId, from: row.state, change, compared });
}

/** Returns a withdrawal's row as the transitions would change it, without storing it. Pure except for the clock. */
export async function previewWithdrawal(
  ctx: Context,
  input: Pick<ProvenWithdrawal, "row" | "transitions">,
): Promise<WithdrawalRow> {
  return { ...input.row, ...changeOf(ctx, input) };
}

/** Returns the columns that transitions change in a withdrawal's row, or null if nothing changes. */
function changeOf(
  ctx: Context,
  { row, transitions }: Pick<ProvenWithdrawal, "row" | "transitions">,
): WithdrawalChange | null {
  let state = row.state;
  let change: WithdrawalChange = {};
  for (const { event, change: own, write } of transitions) {
    const moved = nextWithdrawalState(state, event);
    if (moved !== state || write === "always") change = { ...change, ...own };
    state = moved;
  }
  const differs = Object.entries(change).some(([key, value]) => row[key as keyof WithdrawalChange] !== value);
  if (state === row.state) return differs ? change : null;
  const at = new Date(ctx.now()).toISOString();
  return { ...change, state, history: historyWith(row, { entry: { state, at }, isOpen: isOpenRequest }) };
}
