import { getAddress } from "viem";
import type { VaultRow } from "../db/queries/vaults.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin.ts";

/** A row of the registry as the administrator sees it. */
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
    share_token: getAddress(row.shareToken),
    entry_point: getAddress(row.entryPoint),
    spender: getAddress(row.spender),
    pricer: getAddress(row.pricer),
    caller: row.caller,
    curator: row.curator,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
