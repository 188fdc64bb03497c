import type { Context } from "../context.ts";
import { pgCode } from "../db/client.ts";
import { type DepositChange, type DepositRow, selectDeposit, updateDeposit } from "../db/queries/deposits.ts";
import { type Evidence, next } from "./state.ts";

/** One thing that was seen of a deposit. */
export interface Observation {
  evidence: Evidence;
  /** What is noted with it: when it moves the state, or in any case. */
  change: DepositChange;
  noted: "when_moving" | "always";
}

const UNIQUE_VIOLATION = "23505";

/**
 * Moves a deposit by what was seen of it, in that order and in one write, and gives the row as it is then. A
 * writer who was faster wins; its row is given. A transaction that another deposit was proven by proves nothing.
 * Throws `store_unavailable`.
 */
export async function moveDeposit(
  ctx: Context,
  input: { row: DepositRow; observations: readonly Observation[] },
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
export function moveInMemory(
  ctx: Context,
  input: { row: DepositRow; observations: readonly Observation[] },
): DepositRow {
  return { ...input.row, ...changeOf(ctx, input) };
}

/** What the observations come to; null: nothing that the row does not say already. */
function changeOf(
  ctx: Context,
  { row, observations }: { row: DepositRow; observations: readonly Observation[] },
): DepositChange | null {
  let state = row.state;
  let change: DepositChange = {};
  for (const { evidence, change: own, noted } of observations) {
    const moved = next(state, evidence);
    if (moved !== state || noted === "always") change = { ...change, ...own };
    state = moved;
  }
  const differs = Object.entries(change).some(([key, value]) => row[key as keyof DepositChange] !== value);
  if (state === row.state) return differs ? change : null;
  const at = new Date(ctx.now()).toISOString();
  return { ...change, state, history: [...row.history, { state, at }] };
}
