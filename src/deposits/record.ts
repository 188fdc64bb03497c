import { keccak256 } from "viem";
import type { Context } from "../context.ts";
import { insertDeposit } from "../db/queries/deposits.ts";
import type { PreparedDeposit } from "./prepare.ts";

/** Writes down a deposit that is about to be handed out. Throws `store_unavailable`. */
export async function recordDeposit(
  ctx: Context,
  input: { prepared: PreparedDeposit; expiresAt: Date },
): Promise<void> {
  const { prepared, expiresAt } = input;
  const { intent, floors, simulated, deposit } = prepared;
  const now = new Date(ctx.now());
  await insertDeposit(ctx.db, {
    trackingId: intent.trackingId,
    ref: intent.ref,
    state: "built",
    userAddress: intent.user.toLowerCase(),
    vaultChainId: intent.vault.chainId,
    vaultAddress: intent.vault.address.toLowerCase(),
    shareToken: intent.vault.shareToken.toLowerCase(),
    fromChainId: intent.vault.chainId,
    fromToken: intent.token.address.toLowerCase(),
    fromAmount: intent.amount.toString(),
    estimatedShares: simulated.shares.toString(),
    minShares: floors.minShares?.toString() ?? null,
    sourceTo: deposit.target.toLowerCase(),
    sourceDataHash: keccak256(deposit.data),
    parentTrackingId: intent.parentTrackingId,
    partnerId: intent.partnerId,
    partnerType: intent.partnerType,
    partnerAddress: intent.partnerAddress,
    partnerVerified: intent.partnerVerified,
    referrer: intent.referrer.toLowerCase(),
    referrerHandle: intent.referrerHandle,
    history: [{ state: "built", at: now.toISOString() }],
    createdAt: now,
    updatedAt: now,
    expiresAt,
  });
}
