import { keccak256 } from "viem";
import type { Context } from "../context.ts";
import { insertDeposit, type NewDeposit } from "../db/queries/deposits.ts";
import { toEstimate } from "./built-wire.ts";
import type { MovedDeposit } from "./moved.ts";
import type { PreparedDeposit } from "./prepare.ts";
import type { DirectDeposit } from "./prepare-direct.ts";
import { nextCheck } from "./schedule.ts";

/** Writes down a deposit that is about to be handed out. Throws `store_unavailable`. */
export async function recordDeposit(
  ctx: Context,
  input: { prepared: PreparedDeposit; expiresAt: Date },
): Promise<void> {
  const { prepared } = input;
  const { order } = prepared;
  const { vault } = order;
  const estimate = toEstimate(prepared);
  const now = new Date(ctx.now());
  await insertDeposit(ctx.db, {
    ...(prepared.kind === "direct" ? ofDirect(prepared.direct) : ofMoved(prepared.moved)),
    trackingId: order.trackingId,
    ref: order.ref,
    state: "built",
    userAddress: order.user.toLowerCase(),
    vaultChainId: vault.chainId,
    vaultAddress: vault.address.toLowerCase(),
    shareToken: vault.shareToken.toLowerCase(),
    fromChainId: order.from.chainId,
    fromToken: order.from.token.toLowerCase(),
    fromAmount: order.from.amount.toString(),
    slippage: order.slippage,
    estimatedShares: estimate.estimated_shares,
    minShares: estimate.min_shares,
    parentTrackingId: order.parentTrackingId,
    partnerId: order.partnerId,
    partnerType: order.partnerType,
    partnerAddress: order.partnerAddress,
    partnerVerified: order.partnerVerified,
    referrer: order.referrer.toLowerCase(),
    referrerHandle: order.referrerHandle,
    history: [{ state: "built", at: now.toISOString() }],
    createdAt: now,
    updatedAt: now,
    expiresAt: input.expiresAt,
    nextCheckAt: nextCheck({ state: "built", checks: 0, createdAt: now, shares: null }, now.getTime()),
  });
}

type First = Pick<NewDeposit, "sourceTo" | "sourceDataHash">;

/** The first transaction as it is handed out. */
const ofDirect = ({ deposit }: DirectDeposit): First => ({
  sourceTo: deposit.target.toLowerCase(),
  sourceDataHash: keccak256(deposit.data),
});

/** The same, and what is needed to follow the money. */
function ofMoved({ move, token, end }: MovedDeposit): First & Partial<NewDeposit> {
  return {
    sourceTo: move.transaction.to.toLowerCase(),
    sourceDataHash: keccak256(move.transaction.data),
    provider: move.provider,
    bridge: move.bridge,
    tool: move.tool,
    moveToken: token.address.toLowerCase(),
    moveExpected: move.toAmount.toString(),
    moveMin: move.toAmountMin.toString(),
    destinationCall: end.kind === "call",
    twoStep: end.kind === "second",
  };
}
