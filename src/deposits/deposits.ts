import { getAddress, type Hex } from "viem";
import type { Context } from "../context.ts";
import {
  type DepositChange,
  type DepositRow,
  selectDeposit,
  selectDepositsByUser,
  updateDeposit,
} from "../db/queries/deposits.ts";
import { failure } from "../errors.ts";
import { cutPage, type Page, type TimePosition, timeCursorParts } from "../lib/pagination.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { Deposit } from "../schemas/deposit.ts";
import { nextStep } from "./track/next-step.ts";
import { currentState, nextState, statusOf } from "./track/state-machine.ts";
import { trackDeposit } from "./track/track.ts";
import { createTransactionReader } from "./track/transaction-reader.ts";

/** Writes a tracked deposit as the API shows it at `now` (milliseconds), without what follows. */
export function toWireDeposit(row: DepositRow, now: number): Deposit {
  const state = currentState(row, now);
  return {
    tracking_id: row.trackingId,
    state,
    ...statusOf(state, row.substatus),
    user_address: getAddress(row.userAddress),
    vault_id: formatVaultId({ chainId: row.vaultChainId, address: row.vaultAddress }),
    from_chain_id: row.fromChainId,
    to_chain_id: row.vaultChainId,
    from_token: getAddress(row.fromToken),
    from_amount: row.fromAmount,
    estimated_shares: row.estimatedShares,
    min_shares: row.minShares,
    shares: row.shares,
    bridge: row.bridge,
    router_explorer: row.routerExplorer,
    two_step: row.twoStep,
    source_tx_hash: row.sourceTxHash as Hex | null,
    destination_tx_hash: row.destinationTxHash as Hex | null,
    delivered_amount: row.deliveredAmount,
    refund_tx_hash: row.refundTxHash as Hex | null,
    deposit_tx_hash: row.depositTxHash as Hex | null,
    claim_tx_hash: row.claimTxHash as Hex | null,
    parent_tracking_id: row.parentTrackingId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    history: row.history,
    next: null,
    next_refusal: null,
  };
}

/** One tracked deposit as it is written down. Throws `deposit_not_found`, `store_unavailable`. */
async function loadDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await selectDeposit(ctx.db, trackingId);
  if (row === null) throw failure("deposit_not_found", `there is no deposit ${trackingId}`);
  return row;
}

/**
 * One tracked deposit as its chains show it now, with what the user signs next, built for the amount that really
 * arrived. Throws `deposit_not_found`, `store_unavailable`.
 */
export async function getTrackedDeposit(ctx: Context, trackingId: string): Promise<Deposit> {
  const stored = await loadDeposit(ctx, trackingId);
  const { row } = await trackDeposit(ctx, { row: stored, readTransaction: createTransactionReader(ctx) });
  const { next, refusal } = await nextStep(ctx, row);
  return { ...toWireDeposit(row, ctx.now()), next, next_refusal: refusal };
}

/** A user's deposits, newest first; `before` is the last of the page before. Throws `store_unavailable`. */
export async function listDeposits(
  ctx: Context,
  page: { user: string; limit: number; before: TimePosition | null },
): Promise<Page<DepositRow>> {
  const found = await selectDepositsByUser(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: DepositRow) => timeCursorParts({ at: row.createdAt, id: row.trackingId });
  return cutPage(found, { limit: page.limit, partsOf });
}

/**
 * Hides a deposit that its user gave up before sending it; if the chain shows it all the same, it is back.
 * Throws `deposit_not_found`, `deposit_state` once it was sent, `store_unavailable`.
 */
export async function abandonDeposit(ctx: Context, trackingId: string): Promise<DepositRow> {
  const row = await loadDeposit(ctx, trackingId);
  if (row.state === "abandoned") return row;
  const state = nextState(row.state, { kind: "abandoned" });
  if (state === row.state) throw failure("deposit_state", `a deposit that is ${state} cannot be abandoned`);
  const history = [...row.history, { state, at: new Date(ctx.now()).toISOString() }];
  const change = { state, history };
  const updated = await updateDeposit(ctx.db, { trackingId, from: row.state, change });
  if (updated === null) throw failure("deposit_state", "the deposit moved on meanwhile");
  return updated;
}

export type DepositStep = "source" | "deposit" | "claim";

const HASH_COLUMN = { source: "sourceTxHash", deposit: "depositTxHash", claim: "claimTxHash" } as const;

/** How soon after a report somebody looks, by himself. */
const RECHECK_MS = 5_000;

/**
 * Notes the hash under which somebody says a step was sent. It is a claim: it moves no state, and may be
 * replaced until the chain has shown that the deposit travels under another hash.
 * Throws `deposit_not_found`, `deposit_state`, `store_unavailable`.
 */
export async function reportTransaction(
  ctx: Context,
  report: { trackingId: string; txHash: Hex; step: DepositStep },
): Promise<DepositRow> {
  const row = await loadDeposit(ctx, report.trackingId);
  const { step, txHash } = report;
  if (step === "deposit" && !hasSecondStep(row)) {
    throw failure("deposit_state", "one transaction makes this deposit: report it as its source");
  }
  if (row[HASH_COLUMN[step]] === txHash) return row;
  if (isStepProven(row, step)) {
    throw failure("deposit_state", "the chain shows this deposit under another transaction");
  }
  const change: DepositChange = {
    [HASH_COLUMN[step]]: txHash,
    ...(step === "source" ? { sourceProven: false } : {}),
    nextCheckAt: new Date(ctx.now() + RECHECK_MS),
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
function isStepProven(row: DepositRow, step: DepositStep): boolean {
  if (row.state === "completed" || row.state === "refunded") return true;
  if (step === "source") return row.sourceProven && row.state !== "failed";
  if (step === "deposit") return row.depositProven || row.shares !== null;
  return row.state === "partial";
}
