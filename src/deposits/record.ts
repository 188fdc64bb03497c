import { keccak256 } from "viem";
import type { Context } from "../context.ts";
import { insertDeposit } from "../db/queries/deposits.ts";
import type { PreparedDeposit } from "./prepare.ts";

/** Writes down a deposit that is about to be handed out. Throws `store_unavailable`. */
export async function recordDeposit(
  ctx: Context,
  input: { prepared: PreparedDeposit; expiresAt: Date },
): Promise<void> {
  const { order, direct } = input.prepared;
  const { vault } = order;
  const now = new Date(ctx.now());
  await insertDeposit(ctx.db, {
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
    estimatedShares: direct.expectedShares.toString(),
    minShares: direct.floors.minShares?.toString() ?? null,
    sourceTo: direct.deposit.target.toLowerCase(),
    sourceDataHash: keccak256(direct.deposit.data),
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
  });
}
