import { getAddress } from "viem";
import * as z from "zod";
import type { Context } from "../context.ts";
import { selectStepPlan } from "../db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../db/queries/deposit-queries.ts";
import { addBuiltTransfer, selectOtherRedemptions } from "../db/queries/withdrawal-queries.ts";
import { AppError } from "../errors.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { slippageLeft } from "../orders/order-slippage.ts";
import { StepPlan } from "../orders/order-steps.ts";
import { toWalletCall } from "../orders/order-wallet-calls.ts";
import { creditedAmount, readAllowance } from "../orders/read-order-step-state.ts";
import { NextStepRefusal, type Warning } from "../schemas/step-schema.ts";
import { WithdrawalNextStep } from "../schemas/withdrawal-schema.ts";
import { type OpenExit, readExitRequest } from "../tracking/withdrawals/read-exit-request.ts";
import { readSafePart } from "../tracking/withdrawals/safe-payment-part.ts";
import { isOpenRequest } from "../tracking/withdrawals/withdrawal-state-machine.ts";
import type { ExitFollowUp, PendingExit } from "../vaults/vault-exits.ts";
import { prepareTransfer } from "./find-exit-transfer-route.ts";
import { notClaimable } from "./requests/request-calls.ts";
import { type RequestAction, simulateRequestCall } from "./requests/simulate-request-action.ts";

/**
 * The next transaction of a withdrawal, or the reason why it cannot be signed now. Both are null if there is nothing to
 * sign.
 */
export interface NextExitStepOutcome {
  next: WithdrawalNextStep | null;
  refusal: NextStepRefusal | null;
}

const NOTHING: NextExitStepOutcome = { next: null, refusal: null };
const refused = (code: string, detail: string): NextExitStepOutcome => ({
  next: null,
  refusal: { code, detail },
});
const refusedBy = ({ code, message }: AppError): NextExitStepOutcome => refused(code, message);

/**
 * Builds and simulates the next transaction that the user must sign for a withdrawal, and stores what identifies a
 * second step's transaction. An AppError is returned as `refusal`, not thrown.
 */
export async function nextExitStep(ctx: Context, row: WithdrawalRow): Promise<NextExitStepOutcome> {
  try {
    if (isOpenRequest(row.state)) return await nextOfRequest(ctx, row);
    return row.state === "awaiting_transfer" ? await nextTransfer(ctx, row) : NOTHING;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("next_step_refused", { tracking_id: row.trackingId, error: describeError(error) });
    return refusedBy(error);
  }
}

async function nextOfRequest(ctx: Context, row: WithdrawalRow): Promise<NextExitStepOutcome> {
  const now = await readExitRequest(ctx, row);
  if (now === null) return refused("would_revert", "the vault no longer accepts requests");
  if (now === "unread")
    return refused("simulation_unavailable", "the vault's requests cannot be read now; try again later");
  const { vault, exits, request, block } = now;
  if (request === null) return refused("request_gone", "the vault no longer knows this request");
  const user = getAddress(row.userAddress);
  if (request.state === "claimable") {
    const call = exits.claim?.(vault, { user, request }) ?? null;
    if (call === null) return NOTHING;
    const earlier = await findEarlierRequest(ctx, row);
    if (earlier !== null)
      return refused(
        "claim_shared",
        `one claim collects several requests: it is the next step of ${earlier}`,
      );
    return prepareFollowUp(ctx, { now: { ...now, request }, row, call, kind: "claim" });
  }
  if (request.state !== "expired") {
    if (isStuck(request, block)) return STUCK;
    // What a vault has settled and does not pay has no wait of its own.
    const isRefused = request.refusal !== undefined && request.earliest === null;
    return isRefused ? refusedBy(notClaimable({ vault, request, block })) : NOTHING;
  }
  const call = exits.cancel?.(vault, { user, request }) ?? null;
  return call === null
    ? NOTHING
    : prepareFollowUp(ctx, { now: { ...now, request }, row, call, kind: "cancel" });
}

/**
 * A cancellation is not offered as a step, which clients send without a question: the vault may pay again before the
 * request expires.
 */
const STUCK = refused(
  "withdrawal_state",
  "the wait is over, but the vault does not pay this request now; it can be cancelled",
);

/** Returns true if a cooldown is over, but the vault refuses the claim, and the user may cancel the request. */
const isStuck = ({ mode, state, earliest, cancellable }: PendingExit, { timestamp }: BlockTime): boolean =>
  mode === "cooldown" && state === "pending" && cancellable && earliest !== null && earliest <= timestamp;

/**
 * Returns the tracking id of the account's oldest open request that the same claim collects. Null if the oldest is this
 * withdrawal's.
 */
async function findEarlierRequest(ctx: Context, row: WithdrawalRow): Promise<string | null> {
  const open = (await selectOtherRedemptions(ctx.db, row)).filter(({ state }) => isOpenRequest(state));
  const first = open.at(-1);
  if (first === undefined) return null;
  const [at, own] = [first.createdAt.getTime(), row.createdAt.getTime()];
  return at < own || (at === own && first.trackingId < row.trackingId) ? first.trackingId : null;
}

/** Simulates a claim or cancellation as a build of it does, with the same warnings and errors. */
async function prepareFollowUp(
  ctx: Context,
  of: {
    now: OpenExit & { request: PendingExit };
    row: WithdrawalRow;
    call: ExitFollowUp;
    kind: RequestAction;
  },
): Promise<NextExitStepOutcome> {
  const { now, row, call, kind } = of;
  const { vault, request, block } = now;
  const user = getAddress(row.userAddress);
  const made = await simulateRequestCall(ctx, { vault, user, request, action: kind, call, block });
  const { transaction, own, warnings } = made;
  const calls = [toWalletCall(own, vault.chainId)];
  const next = { kind, transaction_request: transaction, approval: null, calls, warnings };
  return { next, refusal: null };
}

/** Time for which a built second step is the answer to each reading, in milliseconds: anyone can read a withdrawal. */
const REBUILD_MS = 10 * SECOND_MS;

/** Schema of an outcome that the cache keeps. */
const Outcome = z.object({ next: WithdrawalNextStep.nullable(), refusal: NextStepRefusal.nullable() });

/**
 * Returns the second step for the amount that the vault paid. It is at most ten seconds old, and is built again when its
 * approval is confirmed.
 */
async function nextTransfer(ctx: Context, row: WithdrawalRow): Promise<NextExitStepOutcome> {
  const built = await cachedTransfer(ctx, row, "");
  const { approval, calls } = built.next ?? { approval: null, calls: [] };
  if (approval === null || calls.length < 2) return built;
  const { token_address: token, spender_address: spender, amount } = approval;
  const of = { chainId: row.vaultChainId, token, owner: row.userAddress, spender };
  const allowance = await readAllowance(ctx, of);
  return allowance === null || allowance < BigInt(amount) ? built : cachedTransfer(ctx, row, ":approved");
}

async function cachedTransfer(ctx: Context, row: WithdrawalRow, state: string): Promise<NextExitStepOutcome> {
  const { value } = await ctx.cache.cached<NextExitStepOutcome>({
    key: `exit-transfer:${row.trackingId}:${row.assets}${state}`,
    schema: Outcome,
    ...{ freshMs: REBUILD_MS, staleMs: REBUILD_MS, keepMs: REBUILD_MS },
    load: () => buildTransfer(ctx, row),
  });
  return value;
}

/**
 * Builds the second step for the amount that the vault paid (`creditedAmount`), and stores its target and calldata hash,
 * by which its transaction is recognised.
 */
async function buildTransfer(ctx: Context, row: WithdrawalRow): Promise<NextExitStepOutcome> {
  const paid = row.assets === null ? await readSafePart(ctx, row) : BigInt(row.assets);
  if (paid === null)
    return refused(
      "amount_unknown",
      "several requests were paid together, so the amount of this one is unknown",
    );
  const { vaultChainId: chainId, trackingId, exitToken, userAddress: owner } = row;
  const amount = await creditedAmount(ctx, { chainId, token: exitToken, owner, amount: paid });
  const plan = StepPlan.safeParse(await selectStepPlan(ctx.db, trackingId));
  const prepared = await prepareTransfer(ctx, {
    user: getAddress(owner),
    from: { chainId, token: getAddress(exitToken), amount },
    to: { chainId: row.toChainId, token: getAddress(row.moveToken) },
    slippage: secondSlippage(row, amount),
    preferredBridge: plan.data?.preferred_bridge ?? null,
  });
  const { target, dataHash, provider, bridge, tool, toAmountMin, balanceSufficient } = prepared;
  if (!balanceSufficient)
    return refused("balance_insufficient", "the account no longer holds what the vault paid");
  await addBuiltTransfer(ctx.db, {
    ...{ trackingId, dataHash, target: target.toLowerCase(), provider, bridge, tool },
    ...{ amount: amount.toString(), least: toAmountMin.toString(), builtAt: new Date(ctx.now()) },
  });
  const { transaction_request, approval, calls } = prepared;
  const warnings = [...prepared.warnings, ...(row.assets === null ? [SHARED] : [])];
  return { next: { kind: "transfer", transaction_request, approval, calls, warnings }, refusal: null };
}

/** Warning of a second step that takes only what none of the other known requests can claim. */
const SHARED: Warning = {
  code: "amount_shared",
  detail:
    "several requests were paid together: this step takes what none of the others known here can claim, and the rest stays in the account",
};

/** Returns the slippage of a second step. Only an instant withdrawal's estimate is a promise that has lost a part. */
function secondSlippage({ mode, slippage, estimatedAssets }: WithdrawalRow, paid: bigint): number {
  const promised = mode === "instant" && estimatedAssets !== null ? BigInt(estimatedAssets) : paid;
  return slippageLeft(slippage, { promised, paid });
}
