import { type Address, getAddress } from "viem";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import type { VaultCaller, VaultProof, VaultStatus } from "../db/tables/vault-tables.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { VaultType } from "../schemas/vault-schema.ts";

/** A token on a chain: address, symbol and decimals. */
export interface Token {
  /** Checksummed address. The zero address stands for the chain's native currency. */
  address: Address;
  symbol: string;
  decimals: number;
}

/** A vault of the registry, converted from its row for use in code. Fields of type `Address` are checksummed. */
export interface Vault {
  /** `<chain_id>:<lowercase address>`. */
  vaultId: string;
  chainId: number;
  address: Address;
  /** The vault's type as the API shows it. */
  type: VaultType;
  /** Name of the vault's family. */
  adapter: string;
  /** Parameters of the family; may be empty. */
  params: Readonly<Record<string, string>>;
  /** Name of the vault for display. */
  name: string;
  asset: Token;
  /** Tokens that the registry entry lists as accepted without a swap; the asset may be missing. */
  acceptedAssets: readonly Token[];
  shareToken: Address;
  shareDecimals: number;
  /** The contract that a deposit calls. */
  entryPoint: Address;
  /** The contract that pulls the deposited token and therefore needs the allowance. */
  spender: Address;
  /** The contract from which the share price is read. */
  pricer: Address;
  /** `router` if the Router may call the vault to deposit, `user` if only the user may. */
  caller: VaultCaller;
  /** Name of the curator, or empty if unknown. */
  curator: string;
  status: VaultStatus;
  /** Human-readable reason for the status; may be empty. */
  statusReason: string;
  /** The last known proof of the vault, or null. */
  proof: VaultProof | null;
  /** Minimum deposit by the registry entry in the asset's smallest unit, or null if it states none. */
  minDeposit: bigint | null;
  /** True if the registry entry says that there is no minimum deposit; the adapter or the chain may show it too. */
  noMinimum: boolean;
}

/** The columns of the vaults table that `toVault` takes. `proof`, the last proof, may be absent or null. */
export type StoredVault = Omit<
  VaultRow,
  | "createdAt"
  | "updatedAt"
  | "statusBy"
  | "wasActive"
  | "provenance"
  | "claim"
  | "namedBy"
  | "proof"
  | "proofDueAt"
  | "proofRefusals"
> & { proof?: VaultProof | null };

/** Converts a row of the vaults table to a vault. Throws viem's InvalidAddressError for an invalid address. */
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
    proof: row.proof ?? null,
    minDeposit: row.minDeposit === null ? null : BigInt(row.minDeposit),
    noMinimum: row.noMinimum,
  };
}
