import { getAddress } from "viem";
import type { Context } from "../context.ts";
import { selectAllVaults, type VaultRow } from "../db/queries/vault-queries.ts";
import type { VaultClaim, VaultStatus } from "../db/tables/vault-tables.ts";
import { cutPage, type Page } from "../lib/pagination.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin/admin-vault-schema.ts";
import { toWireProof } from "../vaults/describe-vault.ts";

/**
 * Returns one page of the registry's vaults, sorted by chain id and address, after the vault `after` (null: from the
 * first), of the given status or, if it is null, of any. Throws `store_unavailable`.
 */
export async function listVaultRecords(
  ctx: Context,
  page: { limit: number; after: VaultKey | null; status: VaultStatus | null },
): Promise<Page<VaultRecord>> {
  const found = await selectAllVaults(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: VaultRow) => [formatVaultId(row)];
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf });
  return { rows: rows.map(toVaultRecord), next };
}

/**
 * Converts a vault's row to the format of the admin API. Addresses are checksummed, except those in `vault_id`,
 * `params`, `named_by`, `provenance` and texts. Throws viem's InvalidAddressError for an invalid address.
 */
export function toVaultRecord(row: VaultRow): VaultRecord {
  return {
    vault_id: formatVaultId(row),
    chain_id: row.chainId,
    address: getAddress(row.address),
    name: row.name,
    type: row.type,
    adapter: row.adapter,
    status: row.status,
    status_reason: row.statusReason,
    asset: { address: getAddress(row.assetAddress), symbol: row.assetSymbol, decimals: row.assetDecimals },
    accepted_assets: row.acceptedAssets.map((token) => ({ ...token, address: getAddress(token.address) })),
    params: row.params,
    was_active: row.wasActive || row.status === "active",
    share_token: getAddress(row.shareToken),
    entry_point: getAddress(row.entryPoint),
    spender: getAddress(row.spender),
    pricer: getAddress(row.pricer),
    caller: row.caller,
    curator: row.curator,
    status_by: row.statusBy,
    provenance: row.provenance,
    named_by: row.namedBy,
    claim: row.claim === null ? null : toWireClaim(row.claim),
    proof: row.proof === null ? null : toWireProof(row.proof),
    proof_due_at: row.proofDueAt.toISOString(),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function toWireClaim({ adapter, asset, shareToken }: VaultClaim): VaultRecord["claim"] {
  const address = (text: string | null) => (text === null ? null : getAddress(text));
  return { adapter, asset: address(asset), share_token: address(shareToken) };
}
