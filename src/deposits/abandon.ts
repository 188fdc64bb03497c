import type { Context } from "../context.ts";
import { type DepositRow, updateDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { getDeposit } from "./get.ts";
import { next } from "./state.ts";

/**
 * Hides a deposit that its user gave up before sending it; if the chain shows it all the same, it is back.
 * Throws `deposit_not_found`, `deposit_state` once it was sent, `store_unavailable`.
 */
export async function abandonDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await getDeposit(ctx, trackingId);
  if (row.state === "abandoned") return row;
  const state = next(row.state, { kind: "given_up" });
  if (state === row.state) throw failure("deposit_state", `a deposit that is ${state} cannot be abandoned`);
  const history = [...row.history, { state, at: new Date(ctx.now()).toISOString() }];
  const change = { state, history };
  const updated = await updateDeposit(ctx.db, { trackingId, from: row.state, change });
  if (updated === null) throw failure("deposit_state", "the deposit moved on meanwhile");
  return updated;
}
