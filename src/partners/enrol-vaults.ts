import type { Context } from "../context.ts";
import { updatePartner } from "../db/queries/partners.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { Partner } from "../schemas/partner.ts";
import { findVault } from "../vaults/registry.ts";
import { requirePartner } from "./actor.ts";
import { getPartner } from "./get-partner.ts";

/**
 * Restricts deposits with the partner's key to these vaults; null lifts the restriction, an empty list admits
 * none. Throws `vault_not_found`, `store_unavailable`.
 */
export async function enrolVaults(ctx: Context, keys: readonly VaultKey[] | null): Promise<Partner> {
  const { address } = requirePartner(ctx).partner;
  const vaults = keys === null ? null : [...new Set(keys.map(formatVaultId))];
  for (const vaultId of vaults ?? []) await findVault(ctx, vaultId);
  await updatePartner(ctx.db, { address, change: { vaults } });
  return getPartner(ctx, address);
}
