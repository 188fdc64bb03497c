import { type Address, getAddress } from "viem";
import type { Context } from "../context.ts";
import { selectOtherRequests } from "../db/queries/deposit-evidence-queries.ts";
import type { DepositRow } from "../db/queries/deposit-queries.ts";
import { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { describeError } from "../lib/logger.ts";
import { type NextStepOutcome, prepareClaim, refusedStep } from "../orders/prepare-order-claim.ts";
import { creditedAmount } from "../orders/read-order-step-state.ts";
import { depositRouterAddress } from "../router/router-address.ts";
import { isRequested } from "../tracking/deposits/deposit-state-machine.ts";
import { readContinuation } from "../tracking/deposits/track-deposit-continuation.ts";
import { awaitsSecondStep } from "../tracking/deposits/track-deposit-destination.ts";
import {
  findVaultOfDeposit,
  isRequestGone,
  readRequest,
} from "../tracking/deposits/track-deposit-request.ts";
import { toSignableDeposit } from "./describe-built-deposit.ts";
import { prepareSecondStep } from "./two-step-deposit.ts";

const NO_NEXT_STEP: NextStepOutcome = { next: null, refusal: null };

/**
 * Builds and simulates the transaction that the user must sign after the first one of a deposit: second step or claim.
 * Both fields are null if there is none. An AppError is returned as `refusal`, not thrown.
 */
export async function nextStep(ctx: Context, row: DepositRow): Promise<NextStepOutcome> {
  try {
    if (isRequested(row)) return await prepareNextClaim(ctx, row);
    if (!awaitsSecondStep(row) || row.deliveredAmount === null || row.moveToken === null) return NO_NEXT_STEP;
    const proven = await readContinuation(ctx, row);
    if (proven !== null)
      return refusedStep("continued", `the deposit ${proven.trackingId} was made with what arrived`);
    return await nextDeposit(ctx, {
      row,
      token: getAddress(row.moveToken),
      amount: BigInt(row.deliveredAmount),
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn("next_step_refused", { tracking_id: row.trackingId, error: describeError(error) });
    return { next: null, refusal: { code: error.code, detail: error.message } };
  }
}

async function nextDeposit(
  ctx: Context,
  arrival: { row: DepositRow; token: Address; amount: bigint },
): Promise<NextStepOutcome> {
  const { row, token, amount: arrived } = arrival;
  const of = { chainId: row.vaultChainId, token, owner: row.userAddress, amount: arrived };
  const amount = await creditedAmount(ctx, of);
  const prepared = await prepareSecondStep(ctx, {
    vault: await findVaultOfDeposit(ctx, row),
    user: getAddress(row.userAddress),
    token,
    amount,
    slippage: row.slippage,
    ...{ trackingId: row.trackingId, partnerId: row.partnerId, partnerType: row.partnerType },
  });
  const { balance } = prepared.checked;
  // Without the Router's event, the deposit is known by the amount that arrived.
  const isKnown = amount === arrived || sameAddress(prepared.deposit.target, depositRouterAddress);
  if ((balance !== null && balance < amount) || !isKnown) {
    const detail = "the account no longer holds the delivered amount";
    return { next: null, refusal: { code: "balance_insufficient", detail } };
  }
  const warnings = [...prepared.checked.warnings];
  return { next: { kind: "deposit", ...toSignableDeposit(prepared), warnings }, refusal: null };
}

/**
 * Returns the simulated claim of a deposit's settled shares, or why it cannot be sent; both fields are null if there is
 * nothing to claim. Throws `store_unavailable`; errors of the RPC nodes propagate.
 */
async function prepareNextClaim(ctx: Context, row: DepositRow): Promise<NextStepOutcome> {
  const now = await readRequest(ctx, row);
  if (now === null) return refusedStep("would_revert", "the vault no longer accepts requests");
  if (isRequestGone(now.pending) === true) {
    return refusedStep(
      "request_gone",
      "the vault no longer knows this request, and no shares arrived for it",
    );
  }
  const user = getAddress(row.userAddress);
  const call = now.requests.claim(now.vault, { user, pending: now.pending });
  if (call === null) return { next: null, refusal: null };
  const earlier = await findSharingRequest(ctx, row);
  if (earlier !== null) {
    return refusedStep(
      "claim_shared",
      `one claim collects the shares of several requests: it is the next step of ${earlier}`,
    );
  }
  const headTime = now.block.timestamp;
  return prepareClaim(ctx, { vault: now.vault, user, call, headTime });
}

/**
 * Returns the tracking id of the account's oldest open request that the same claim collects. Null if the oldest is this
 * deposit's.
 */
async function findSharingRequest(ctx: Context, row: DepositRow): Promise<string | null> {
  const others = await selectOtherRequests(ctx.db, row);
  const [first] = others.filter((other) => isRequested(other) && other.requestId === row.requestId);
  if (first === undefined) return null;
  const [at, own] = [first.createdAt.getTime(), row.createdAt.getTime()];
  return at < own || (at === own && first.trackingId < row.trackingId) ? first.trackingId : null;
}
