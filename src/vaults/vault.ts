import { type Address, getAddress } from "viem";
import type { VaultRow } from "../db/queries/vaults.ts";
import type { VaultCaller, VaultStatus } from "../db/schema/vaults.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { VaultType } from "../schemas/vault.ts";

export interface Token {
  /** Checksummed; the zero address for the chain's native token. */
  address: Address;
  symbol: string;
  decimals: number;
}

/** A vault of the registry. Addresses are checksummed. */
export interface Vault {
  vaultId: string;
  chainId: number;
  address: Address;
  type: VaultType;
  adapter: string;
  params: Readonly<Record<string, string>>;
  name: string;
  asset: Token;
  acceptedAssets: readonly Token[];
  shareToken: Address;
  shareDecimals: number;
  /** Whom the deposit calls. */
  entryPoint: Address;
  /** Who takes the asset. */
  spender: Address;
  /** Who says what a share is worth. */
  pricer: Address;
  caller: VaultCaller;
  curator: string;
  status: VaultStatus;
  statusReason: string;
  /** Smallest unit of the asset; null: not known. */
  minDeposit: bigint | null;
  noMinimum: boolean;
}

/** What of a registry row makes the vault; its times do not. */
export type StoredVault = Omit<VaultRow, "createdAt" | "updatedAt">;

/** Reads a registry row. Throws viem's InvalidAddressError on a row whose addresses are none. */
export function toVault(row: StoredVault): Vault {
  return {
    vaultId: formatVaultId(row),
    chainId: row.chainId,
    address: getAddress(row.address),
    type: row.type,
    adapter: row.adapter,
    params: row.params,
    name: row.name,
    asset: { address: getAddress(row.assetAddress), symbol: row.assetSymbol, decimals: row.assetDecimals },
    acceptedAssets: row.acceptedAssets.map(({ address, symbol, decimals }) => ({
      address: getAddress(address),
      symbol,
      decimals,
    })),
    shareToken: getAddress(row.shareToken),
    shareDecimals: row.shareDecimals,
    entryPoint: getAddress(row.entryPoint),
    spender: getAddress(row.spender),
    pricer: getAddress(row.pricer),
    caller: row.caller,
    curator: row.curator,
    status: row.status,
    statusReason: row.statusReason,
    minDeposit: row.minDeposit === null ? null : BigInt(row.minDeposit),
    noMinimum: row.noMinimum,
  };
}
