import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { type DepositChange, type DepositRow, updateDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { getDeposit } from "./get.ts";

export type DepositStep = "source" | "deposit" | "claim";

const COLUMN = { source: "sourceTxHash", deposit: "depositTxHash", claim: "claimTxHash" } as const;

/**
 * Notes the hash under which somebody says a step was sent. It is a claim: it moves no state, and may be
 * replaced until the chain has shown that the deposit travels under another hash.
 * Throws `deposit_not_found`, `deposit_state`, `store_unavailable`.
 */
export async function reportTransaction(
  ctx: Context,
  report: { trackingId: string; txHash: Hex; step: DepositStep },
): Promise<DepositRow> {
  const row = await getDeposit(ctx, report.trackingId);
  const column = COLUMN[report.step];
  if (row[column] === report.txHash) return row;
  const settled = report.step === "source" && row.sourceProven && row.state !== "failed";
  if (settled || row.state === "completed" || row.state === "refunded" || row.state === "partial") {
    throw failure("deposit_state", `the chain shows this deposit under another transaction`);
  }
  const change: DepositChange = { [column]: report.txHash };
  const updated = await updateDeposit(ctx.db, { trackingId: row.trackingId, from: row.state, change });
  if (updated === null) throw failure("deposit_state", "the deposit moved on meanwhile");
  return updated;
}
