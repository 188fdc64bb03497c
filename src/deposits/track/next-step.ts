import { type Address, getAddress } from "viem";
import type { Context } from "../../context.ts";
import { type DepositRow, selectOtherRequests } from "../../db/queries/deposits.ts";
import { AppError } from "../../errors.ts";
import { describeError } from "../../lib/logger.ts";
import { type PreparedClaim, prepareClaim, refusedClaim } from "../../orders/claim.ts";
import { prepareSecondStep } from "../build/two-step.ts";
import { toSignableDeposit } from "../build/wire.ts";
import { findVaultOfDeposit, isRequested, isRequestGone, readRequest } from "./async-request.ts";
import { awaitsSecondStep } from "./second-step.ts";

const NO_NEXT_STEP: PreparedClaim = { next: null, refusal: null };

/**
 * The step that follows where a deposit is: depositing what really arrived, or claiming what an asynchronous vault
 * has settled, built and simulated anew. A vault that refuses, or a chain that cannot be read, is told as the
 * refusal. Throws nothing but what is no AppError.
 */
export async function nextStep(ctx: Context, row: DepositRow): Promise<PreparedClaim> {
  try {
    if (isRequested(row)) return await prepareNextClaim(ctx, row);
    if (!awaitsSecondStep(row) || row.deliveredAmount === null || row.moveToken === null) return NO_NEXT_STEP;
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
): Promise<PreparedClaim> {
  const { row, token, amount } = arrival;
  const prepared = await prepareSecondStep(ctx, {
    vault: await findVaultOfDeposit(ctx, row),
    user: getAddress(row.userAddress),
    token,
    amount,
    slippage: row.slippage,
    trackingId: row.trackingId,
    partnerId: row.partnerId,
    partnerType: row.partnerType,
  });
  const { balance } = prepared.checked;
  if (balance !== null && balance < amount) {
    const detail = "the account does not hold what arrived any more";
    return { next: null, refusal: { code: "balance_insufficient", detail } };
  }
  return { next: { kind: "deposit", ...toSignableDeposit(prepared) }, refusal: null };
}

/**
 * The transaction with which the user takes what a vault has settled, seen to work; nothing while it is not settled,
 * or where settlement sends the shares by itself. A request that the vault knows no more, and that left nothing, is
 * told as such, and where one claim takes several requests it is the first one's. Throws what reading the chain throws
 * and `store_unavailable`.
 */
async function prepareNextClaim(ctx: Context, row: DepositRow): Promise<PreparedClaim> {
  const now = await readRequest(ctx, row);
  if (now === null) return refusedClaim("would_revert", "the vault takes no requests any more");
  if (isRequestGone(now.pending) === true) {
    return refusedClaim(
      "request_gone",
      "the vault knows this request no more, and no shares were seen to follow",
    );
  }
  const user = getAddress(row.userAddress);
  const call = now.requests.claim(now.vault, { user, pending: now.pending });
  if (call === null) return { next: null, refusal: null };
  const earlier = await findSharingRequest(ctx, row);
  if (earlier !== null) {
    return refusedClaim(
      "claim_shared",
      `one claim takes all that is settled: it is the next step of ${earlier}`,
    );
  }
  return prepareClaim(ctx, { vault: now.vault, user, call, headTime: now.block.timestamp });
}

/** The first of the account's requests that are claimed together, when it is another one. */
async function findSharingRequest(ctx: Context, row: DepositRow): Promise<string | null> {
  const others = await selectOtherRequests(ctx.db, row);
  const [first] = others.filter((other) => isRequested(other) && other.requestId === row.requestId);
  if (first === undefined) return null;
  const [at, own] = [first.createdAt.getTime(), row.createdAt.getTime()];
  return at < own || (at === own && first.trackingId < row.trackingId) ? first.trackingId : null;
}
