import type { Context } from "../context.ts";
import { type DepositRow, selectDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";

/** One tracked deposit as it is written down. Throws `deposit_not_found`, `store_unavailable`. */
export async function getDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await selectDeposit(ctx.db, trackingId);
  if (row === null) throw failure("deposit_not_found", `there is no deposit ${trackingId}`);
  return row;
}
