import type { Context } from "../context.ts";
import { selectAllVaults } from "../db/queries/audited-vaults.ts";
import type { VaultRow } from "../db/queries/vaults.ts";
import { cutPage, type Page } from "../lib/page.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin.ts";
import { toVaultRecord } from "./vault-record.ts";

/**
 * Every vault of the registry, whatever its status, in the order of ids; `after` is the last of the page before.
 * Throws `store_unavailable`.
 */
export async function listAllVaults(
  ctx: Context,
  page: { limit: number; after: VaultKey | null },
): Promise<Page<VaultRecord>> {
  const found = await selectAllVaults(ctx.db, { ...page, limit: page.limit + 1 });
  const partsOf = (row: VaultRow) => [formatVaultId(row)];
  const { rows, next } = cutPage(found, { limit: page.limit, partsOf });
  return { rows: rows.map(toVaultRecord), next };
}
