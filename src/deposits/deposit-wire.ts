import { getAddress, type Hex } from "viem";
import type { DepositRow } from "../db/queries/deposits.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { Deposit } from "../schemas/status.ts";
import { currentState, statusOf } from "./state.ts";

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
