import type { ChainDefinition } from "../chains/chain-definitions.ts";
import type { VaultProof } from "../db/tables/vault-tables.ts";
import { larger } from "../lib/amount.ts";
import type { VaultSummary as WireVault } from "../schemas/vault-schema.ts";
import { adapterOf } from "./families/vault-families.ts";
import type { Vault } from "./vault.ts";
import { acceptedTokens, type DepositEntry, pauseReason } from "./vault-deposit-entry.ts";
import { settlementOf } from "./vault-settlement.ts";

/** Data that the API shows about a vault in addition to its registry entry. */
export interface VaultDisplay {
  chain: ChainDefinition;
  /** The contract that deposits call. */
  entry: DepositEntry;
  /** True if the vault's contract is known to reject deposits. */
  pausedOnChain: boolean;
  /** The contract's minimum deposit in the asset's smallest unit, or null if none is known. */
  minDeposit: bigint | null;
}

/**
 * Converts a vault to the format of API responses. It is shown as paused if its registry entry is not active or its
 * contract rejects deposits. Throws as `settlementOf` does.
 */
export function toWireVault(vault: Vault, shown: VaultDisplay): WireVault {
  const paused = vault.status !== "active" || shown.pausedOnChain;
  const minimum = larger(vault.minDeposit, shown.minDeposit);
  const noMinimum = vault.noMinimum || adapterOf(vault).noMinimum || minimum === 0n;
  return {
    vault_id: vault.vaultId,
    name: vault.name,
    address: vault.address,
    chain_id: vault.chainId,
    chain_name: shown.chain.name,
    asset: vault.asset,
    accepted_assets: acceptedTokens(vault, shown),
    deposit_router: shown.entry.address,
    type: vault.type,
    min_deposit: noMinimum ? "0" : (minimum?.toString() ?? null),
    no_minimum: noMinimum,
    curator: vault.curator,
    proof: vault.proof === null ? null : toWireProof(vault.proof),
    paused,
    paused_reason: paused ? pauseReason(vault) : "",
    external_router: shown.entry.via === "user",
    family: vault.adapter,
    settlement: settlementOf(vault),
  };
}

/**
 * Converts the result of a vault's last registry proof to the format of API responses, which lacks what only the
 * registry uses, such as the vault's code.
 */
export const toWireProof = ({
  ok,
  blockNumber,
  at,
  amount,
  shares,
  reason,
}: VaultProof): WireVault["proof"] => ({
  ok,
  block_number: blockNumber,
  at,
  amount,
  shares,
  reason,
});
