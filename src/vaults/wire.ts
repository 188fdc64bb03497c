import { zeroAddress } from "viem";
import type { ChainDefinition } from "../chains/definitions.ts";
import { sameAddress } from "../lib/address.ts";
import { larger } from "../lib/amount.ts";
import type { VaultSummary as WireVault } from "../schemas/vault.ts";
import type { DepositEntry } from "./deposit-entry.ts";
import { adapterOf } from "./families.ts";
import type { Token, Vault } from "./vault.ts";

/** What a vault shows on the wire besides its registry row. */
export interface VaultDisplay {
  chain: ChainDefinition;
  entry: DepositEntry;
  /** From the chain; false where it could not be read. */
  pausedOnChain: boolean;
  /** Read from the chain; smallest unit of the asset. */
  minDeposit: bigint | null;
}

/** Every token that a deposit can start from without a swap; native where the Router can wrap it. */
export function acceptedTokens(vault: Vault, shown: Pick<VaultDisplay, "chain" | "entry">): Token[] {
  const { chain, entry } = shown;
  const tokens = vault.acceptedAssets.some((token) => sameAddress(token.address, vault.asset.address))
    ? [...vault.acceptedAssets]
    : [vault.asset, ...vault.acceptedAssets];
  const wraps = entry.via === "router" && chain.wrappedNative !== null;
  if (wraps && sameAddress(chain.wrappedNative ?? "", vault.asset.address)) {
    tokens.push({ address: zeroAddress, ...chain.native });
  }
  return tokens;
}

/** Writes a vault as the API shows it. */
export function toWireVault(vault: Vault, shown: VaultDisplay): WireVault {
  const paused = vault.status === "paused" || shown.pausedOnChain;
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
    paused,
    paused_reason: paused ? pauseReason(vault) : "",
    external_router: shown.entry.via === "user",
  };
}

/** Why a vault is paused: the registry's reason, or that its own contract refuses deposits. */
export function pauseReason(vault: Vault): string {
  return vault.status === "paused" ? vault.statusReason : "the vault's own contract refuses deposits";
}
