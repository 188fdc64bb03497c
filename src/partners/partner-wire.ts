import { getAddress } from "viem";
import type { selectPartner } from "../db/queries/partners.ts";
import type { Partner } from "../schemas/partner.ts";

/** A partner as it sees itself. */
export function toPartner(row: NonNullable<Awaited<ReturnType<typeof selectPartner>>>): Partner {
  return {
    address: getAddress(row.address),
    partner_id: row.partnerId,
    partner_type: row.partnerType,
    name: row.name,
    website: row.website,
    contact_email: row.contactEmail,
    description: row.description,
    vault_ids: row.vaults,
    api_key_prefix: row.keyPrefix,
    api_key_created_at: row.keyCreatedAt.toISOString(),
    created_at: row.createdAt.toISOString(),
  };
}
