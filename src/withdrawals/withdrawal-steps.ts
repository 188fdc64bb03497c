import type { Context } from "../context.ts";
import type { WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { sameAddress } from "../lib/address.ts";
import { builtSecondLeg } from "../orders/order-asked-approvals.ts";
import {
  type LegFacts,
  type StepLeg,
  type StepPlan,
  toLegSteps,
  toRequestStep,
} from "../orders/order-steps.ts";
import { readStepState } from "../orders/read-order-step-state.ts";
import type { Step, StepState } from "../schemas/step-schema.ts";
import type { WithdrawalNextStep, WithdrawalState } from "../schemas/withdrawal-schema.ts";
import { confirmedOn } from "../tracking/deposits/deposit-transaction-reader.ts";
import { isOpenRequest, secondStepOf } from "../tracking/withdrawals/withdrawal-state-machine.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import { findToken } from "../vaults/find-vault-token.ts";

/** A withdrawal with its current state and the user's next transaction, or null if there is none. */
interface SteppedWithdrawal {
  row: WithdrawalRow;
  state: WithdrawalState;
  next: WithdrawalNextStep | null;
}

/** A withdrawal with what its second step depends on. */
interface PlannedWithdrawal extends SteppedWithdrawal {
  plan: StepPlan;
  asked: readonly string[];
}

/**
 * Returns the user's steps for a withdrawal in order, each with its state by the row, the reported transaction and the
 * current allowance. If no readable plan is stored, the first step has no transaction and no transfer is listed. Throws
 * `store_unavailable`.
 */
export async function readWithdrawalSteps(ctx: Context, withdrawal: SteppedWithdrawal): Promise<Step[]> {
  const { row, state, next } = withdrawal;
  const column = next?.kind === "cancel" ? "refundTxHash" : REPORTED_COLUMN[state];
  const ends = next?.kind === "claim" || next?.kind === "cancel";
  const read = await readStepState(ctx, {
    row,
    awaited: column === undefined ? null : { column, chainId: row.vaultChainId },
    earlier: [row.sourceTxHash, row.claimTxHash],
    // An earlier report, a claim's for example, must not keep the user from taking the shares back.
    ...(ends && {
      isOver: confirmedOn(ctx, row.vaultChainId, { orUnknown: next?.kind === "cancel" }),
    }),
    second: next?.kind === "transfer" ? next : null,
    isFirstRequired: (current) => firstState(current, state) === "required",
    planOf: (current) => planOfRow(ctx, current),
  });
  return toWithdrawalSteps({ ...withdrawal, ...read });
}

/** Column that stores the transaction for which a withdrawal in this state waits. */
const REPORTED_COLUMN: Readonly<
  Partial<Record<WithdrawalState, "sourceTxHash" | "depositTxHash" | "claimTxHash">>
> = { built: "sourceTxHash", awaiting_transfer: "depositTxHash", claimable: "claimTxHash" };

/**
 * Returns the steps of a withdrawal in order. `allowance` is that for the first transaction, in the share token's
 * smallest unit; if it is null (unknown or not needed), the allowance that the build found decides. `asked` is as in
 * `builtSecondLeg`.
 */
export function toWithdrawalSteps(withdrawal: PlannedWithdrawal & { allowance: bigint | null }): Step[] {
  const { row, state, next, plan, allowance } = withdrawal;
  const claim = next?.kind === "claim" ? next.transaction_request : null;
  const cancel = next?.kind === "cancel" ? next.transaction_request : null;
  // A vault that usually pays by itself may leave the claim to some accounts.
  const unclaimed = plan.unclaimed === true && claim === null;
  const first: LegFacts = {
    ...{ state: unclaimed && isOpenRequest(state) ? "waiting" : firstState(row, state) },
    txHash: row.sourceTxHash,
    ...{ allowance, approvalsWait: false },
  };
  const claims = (plan.settles || isOpenRequest(state)) && !unclaimed;
  const { vaultChainId: chainId, claimTxHash, refundTxHash } = row;
  const ready = claim !== null;
  const claimed = {
    purpose: "claim",
    ...{ chainId, token: plan.destination?.token ?? null, request: claim },
    ...{ state: claimState(row, { state, ready }), txHash: claimTxHash },
  } as const;
  const cancelled = {
    purpose: "cancel",
    ...{ chainId, token: plan.source.token, request: cancel, txHash: refundTxHash },
    state: refundTxHash === null ? "required" : "waiting",
  } as const;
  return [
    ...toLegSteps(plan.source, first),
    ...(claims ? [toRequestStep(claimed)] : []),
    ...(cancel === null ? [] : [toRequestStep(cancelled)]),
    ...transferSteps(withdrawal),
  ];
}

/** Returns the state of the step of the first transaction. */
function firstState(row: WithdrawalRow, state: WithdrawalState): StepState {
  switch (state) {
    case "built":
      return row.sourceTxHash === null ? "required" : "waiting";
    case "expired":
    case "abandoned":
      return "skipped";
    case "submitted":
      return "waiting";
    case "bridging":
      return secondStepOf(row) === null ? "waiting" : "done";
    case "failed":
      // Its transaction took the shares and paid nothing, or its request expired.
      if (row.shares !== null) return "done";
      return row.history.some((entry) => isOpenRequest(entry.state)) ? "done" : "skipped";
    default:
      return "done";
  }
}

function claimState(
  row: WithdrawalRow,
  { state, ready }: { state: WithdrawalState; ready: boolean },
): StepState {
  if (["expired", "abandoned", "failed", "cancelled", "rejected"].includes(state)) return "skipped";
  if (state === "built" || state === "submitted" || isOpenRequest(state))
    return ready && row.claimTxHash === null ? "required" : "waiting";
  return row.claimTxHash === null ? "skipped" : "done";
}

/** States of a withdrawal with a second step in which the vault has paid all that the step may take. */
const PAID: ReadonlySet<WithdrawalState> = new Set([
  "awaiting_transfer",
  "bridging",
  "completed",
  "refunded",
]);

/** Returns the user's steps for the swap or bridge of the vault's payment. Empty if there is none. */
function transferSteps({ row, state, next, plan, asked }: PlannedWithdrawal): Step[] {
  const planned = plan.destination;
  if (planned === null) return [];
  const ready = next?.kind === "transfer" ? next : null;
  const as = (own: StepState, approvalsWait = false): LegFacts => ({
    ...{ state: own, txHash: row.depositTxHash, allowance: null, approvalsWait },
  });
  if (ready === null) {
    // Once the vault has paid several requests together, the estimate of the build is not what the step takes; what an
    // open request was paid at once is not all of it.
    const amount = PAID.has(state) ? row.assets : planned.amount;
    return toLegSteps({ ...planned, amount }, transferFacts(row, { state, as }));
  }
  // Of a rebasing token, it takes what was credited.
  const amount = ready.approval?.amount ?? row.assets;
  const { leg, allowance } = builtSecondLeg(planned, { ready, amount, asked });
  return toLegSteps(leg, { ...as(row.depositTxHash === null ? "required" : "waiting"), allowance });
}

function transferFacts(
  row: WithdrawalRow,
  { state, as }: { state: WithdrawalState; as: (own: StepState, approvalsWait?: boolean) => LegFacts },
): LegFacts {
  // Of `partial`, the vault paid only a part of the request, and its token stays with the user.
  if (["expired", "abandoned", "failed", "cancelled", "rejected", "partial"].includes(state))
    return as("skipped");
  if (secondStepOf(row) !== null) return as(state === "bridging" ? "waiting" : "done");
  // What was sent needs its approvals no longer.
  return as("waiting", row.depositTxHash === null);
}

/** Returns a plan, without transactions, for a withdrawal without a readable stored one. */
async function planOfRow(ctx: Context, row: WithdrawalRow): Promise<StepPlan> {
  const { vaultChainId: chainId, mode } = row;
  const token = await findToken(ctx, { chainId, address: row.shareToken });
  const { all } = await listRegistry(ctx);
  const vault = all.find((one) => one.chainId === chainId && sameAddress(one.address, row.vaultAddress));
  const purpose = mode === "instant" ? "redeem" : mode;
  const source: StepLeg = {
    ...{ slot: "source", purpose, chainId, token, amount: row.estimatedShares },
    ...{ spender: null, allowed: true, reset: false, transaction: null },
    ...(vault === undefined ? {} : { shares_of: vault.name }),
  };
  const unclaimed = vault !== undefined && adapterOf(vault).exits?.paysUnclaimed?.(mode, vault) === true;
  return { source, destination: null, settles: mode !== "instant", ...(unclaimed && { unclaimed }) };
}

/** Recommended polling intervals of a withdrawal in milliseconds, by what it waits for. */
const POLL_MS = { user: 3_000, chain: 3_000, bridge: 5_000, vault: 60_000, nothing: 60_000 } as const;

/**
 * Returns the recommended time before fetching a withdrawal with this next step again, in milliseconds: 3,000 while the
 * user or a chain must act, 5,000 for a bridge, and 60,000 otherwise.
 */
export function pollWithdrawalAfter(state: WithdrawalState, next: WithdrawalNextStep | null): number {
  if (next !== null) return POLL_MS.user;
  switch (state) {
    case "built":
    case "claimable":
    case "awaiting_transfer":
      return POLL_MS.user;
    case "submitted":
      return POLL_MS.chain;
    case "bridging":
      return POLL_MS.bridge;
    case "requested":
    case "cooling":
      return POLL_MS.vault;
    default:
      return POLL_MS.nothing;
  }
}
