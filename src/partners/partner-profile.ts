import { type Address, getAddress } from "viem";
import type { Context } from "../context.ts";
import { type ListedPair, selectPairs } from "../db/queries/api-key-queries.ts";
import { type PartnerRow, selectPartner, updatePartner } from "../db/queries/partner-queries.ts";
import { failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { Partner, SettingsInput } from "../schemas/partner-schema.ts";
import { findVault } from "../vaults/find-vault.ts";
import { requirePartner } from "./partner-actor.ts";

/**
 * Returns the profile of the partner that registered with the given wallet address. Throws `partner_not_found` if there
 * is none, and `store_unavailable`.
 */
export async function getPartner(ctx: Context, address: Address): Promise<Partner> {
  const [row, pairs] = await Promise.all([selectPartner(ctx.db, address), selectPairs(ctx.db, address)]);
  if (row === null) throw failure("partner_not_found", `${address} is not registered as a partner`);
  return toPartner(row, pairs[0] ?? null);
}

/** Converts a partner's database row and its first listed key pair, null if it has none, to the profile on the wire. */
function toPartner(row: PartnerRow, pair: ListedPair | null): Partner {
  return {
    address: getAddress(row.address),
    partner_id: row.partnerId,
    partner_type: row.partnerType,
    name: row.name,
    website: row.website,
    contact_email: row.contactEmail,
    description: row.description,
    vault_ids: row.vaults,
    api_key_prefix: pair?.prefix ?? "",
    api_key_created_at: new Date(pair?.createdAt ?? row.createdAt).toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}

/**
 * Updates the profile of the authenticated partner; fields that the input omits stay unchanged. Throws
 * `credentials_required`, `partner_not_found`, `store_unavailable`.
 */
export async function updateSettings(ctx: Context, input: SettingsInput): Promise<Partner> {
  const { address } = requirePartner(ctx).partner;
  const { contact_email: contactEmail, partner_type: partnerType, ...texts } = input;
  const named = Object.entries({ ...texts, contactEmail, partnerType });
  const change = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  if (Object.keys(change).length > 0) await updatePartner(ctx.db, { address, change });
  return getPartner(ctx, address);
}

/**
 * Restricts the authenticated partner's API keys to orders of the given vaults; null allows every vault, an empty list
 * none. Throws `credentials_required`, `vault_not_found`, `partner_not_found`, `store_unavailable`.
 */
export async function enrolVaults(ctx: Context, keys: readonly VaultKey[] | null): Promise<Partner> {
  const { address } = requirePartner(ctx).partner;
  const vaults = keys === null ? null : [...new Set(keys.map(formatVaultId))];
  for (const vaultId of vaults ?? []) await findVault(ctx, vaultId);
  await updatePartner(ctx.db, { address, change: { vaults } });
  return getPartner(ctx, address);
}
