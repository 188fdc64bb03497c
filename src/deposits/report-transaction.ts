import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { type DepositChange, type DepositRow, updateDeposit } from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { getDeposit } from "./get.ts";

export type DepositStep = "source" | "deposit" | "claim";

const COLUMN = { source: "sourceTxHash", deposit: "depositTxHash", claim: "claimTxHash" } as const;

/** How soon after a report somebody looks, by himself. */
const SOON_MS = 5_000;

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
  const { step, txHash } = report;
  if (step === "deposit" && !hasSecondStep(row)) {
    throw failure("deposit_state", "one transaction makes this deposit: report it as its source");
  }
  if (row[COLUMN[step]] === txHash) return row;
  if (isSettled(row, step)) {
    throw failure("deposit_state", "the chain shows this deposit under another transaction");
  }
  const change: DepositChange = {
    [COLUMN[step]]: txHash,
    ...(step === "source" ? { sourceProven: false } : {}),
    nextCheckAt: new Date(ctx.now() + SOON_MS),
    checks: 0,
  };
  const updated = await updateDeposit(ctx.db, { trackingId: row.trackingId, from: row.state, change });
  if (updated === null) throw failure("deposit_state", "the deposit moved on meanwhile");
  return updated;
}

/**
 * Whether a deposit has a transaction of its own at the vault. Of one that has none, no claim to it is ever replaced
 * by what the chain shows, so that it would stay and be told as what brought the shares.
 */
function hasSecondStep(row: DepositRow): boolean {
  return row.twoStep || row.state === "partial";
}

/** Whether the chain has shown under which transaction a step travels, or that it will not be taken any more. */
function isSettled(row: DepositRow, step: DepositStep): boolean {
  if (row.state === "completed" || row.state === "refunded") return true;
  if (step === "source") return row.sourceProven && row.state !== "failed";
  if (step === "deposit") return row.depositProven || row.shares !== null;
  return row.state === "partial";
}
