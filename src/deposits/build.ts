import { numberToHex } from "viem";
import type { Context } from "../context.ts";
import type { BuildInput, BuiltDeposit } from "../schemas/quote.ts";
import type { Approval } from "../schemas/transaction.ts";
import type { UserCall } from "./encode.ts";
import { gasLimit } from "./floors.ts";
import { approvedSpender, type Intent, paysNative } from "./intent.ts";
import { type PreparedDeposit, prepareDeposit, QUOTE_TTL_MS } from "./prepare.ts";
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

function toWire(prepared: PreparedDeposit, expiresAt: Date): BuiltDeposit {
  const { intent, deposit, simulated, floors, checked } = prepared;
  const chainId = intent.vault.chainId;
  return {
    transaction_request: {
      to: deposit.target,
      data: deposit.data,
      value: deposit.value.toString(),
      chain_id: chainId,
      gas_limit: gasLimit(simulated.gasUsed).toString(),
    },
    tracking: { from_chain_id: chainId, to_chain_id: chainId, bridge: null, router_explorer: null },
    approval: toApproval(intent),
    tracking_id: intent.trackingId,
    two_step: false,
    deposit_tx: null,
    estimate: {
      to_amount: prepared.depositAmount.toString(),
      to_amount_min: floors.minIn.toString(),
      deposit_amount: prepared.depositAmount.toString(),
      estimated_shares: simulated.shares.toString(),
      min_shares: floors.minShares?.toString() ?? null,
    },
    expires_at: expiresAt.toISOString(),
    simulation: {
      block_number: simulatedAt(prepared),
      gas_used: simulated.gasUsed.toString(),
      shares: simulated.shares.toString(),
      balance_sufficient: checked.balance !== null && checked.balance >= intent.amount,
      allowance_sufficient:
        paysNative(intent) || (checked.allowance !== null && checked.allowance >= intent.amount),
      destination: null,
    },
    calls: simulated.calls.map((call) => toWalletCall(call, chainId)),
  };
}

/** The head the simulation built on: never before the one that was read, however nodes number simulated blocks. */
function simulatedAt({ simulated, checked }: PreparedDeposit): number {
  return Math.max(Number(simulated.blockNumber ?? 0n), checked.block.number);
}

/** The approval a plain wallet sends first; null for a native source. */
export function toApproval(intent: Intent): Approval | null {
  if (paysNative(intent)) return null;
  return {
    token_address: intent.token.address,
    spender_address: approvedSpender(intent),
    amount: intent.amount.toString(),
  };
}

function toWalletCall(call: UserCall, chainId: number) {
  return { to: call.target, data: call.data, value: numberToHex(call.value), chain_id: numberToHex(chainId) };
}
