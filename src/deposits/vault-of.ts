import { getAddress } from "viem";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { findVaultForDeposit } from "../vaults/registry.ts";
import type { Vault } from "../vaults/vault.ts";

/** The vault of a tracked deposit, straight from Postgres. Throws `vault_not_found`, `store_unavailable`. */
export function vaultOf(ctx: Context, row: DepositRow): Promise<Vault> {
  return findVaultForDeposit(ctx, { chainId: row.vaultChainId, address: getAddress(row.vaultAddress) });
}
