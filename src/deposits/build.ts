import type { Context } from "../context.ts";
import type { BuildInput, BuiltDeposit } from "../schemas/quote.ts";
import { toSendable } from "./direct-wire.ts";
import { paysNative } from "./intent.ts";
import { type PreparedDeposit, prepareDeposit } from "./prepare.ts";
import { type DirectDeposit, QUOTE_TTL_MS } from "./prepare-direct.ts";
import { recordDeposit } from "./record.ts";

/**
 * Builds a deposit: resolve → check → encode → verify → simulate → record. What it returns has been seen to
 * work on the chain's head state.
 * Throws the refusals of resolving and preparing, `store_unavailable`, `upstream_unavailable`, `upstream_timeout`.
 */
export async function buildDeposit(ctx: Context, input: BuildInput): Promise<BuiltDeposit> {
  const prepared = await prepareDeposit(ctx, input);
  const expiresAt = new Date(ctx.now() + QUOTE_TTL_MS);
  await recordDeposit(ctx, { prepared, expiresAt });
  return toWire(prepared, expiresAt);
}

function toWire({ order, direct }: PreparedDeposit, expiresAt: Date): BuiltDeposit {
  const { intent, simulated, floors, checked } = direct;
  const { chainId } = intent.vault;
  const amount = direct.depositAmount.toString();
  return {
    ...toSendable(direct),
    tracking: { from_chain_id: chainId, to_chain_id: chainId, bridge: null, router_explorer: null },
    tracking_id: order.trackingId,
    two_step: false,
    deposit_tx: null,
    estimate: {
      to_amount: amount,
      to_amount_min: floors.minIn.toString(),
      deposit_amount: amount,
      estimated_shares: direct.expectedShares.toString(),
      min_shares: floors.minShares?.toString() ?? null,
    },
    expires_at: expiresAt.toISOString(),
    simulation: {
      block_number: simulatedAt(direct),
      gas_used: simulated.gasUsed.toString(),
      shares: simulated.shares?.toString() ?? null,
      balance_sufficient: checked.balance !== null && checked.balance >= intent.amount,
      allowance_sufficient:
        paysNative(intent) || (checked.allowance !== null && checked.allowance >= intent.amount),
      destination: null,
    },
  };
}

/** The head the simulation built on: never before the one that was read, however nodes number simulated blocks. */
function simulatedAt({ simulated, checked }: DirectDeposit): number {
  return Math.max(Number(simulated.blockNumber ?? 0n), checked.block.number);
}
