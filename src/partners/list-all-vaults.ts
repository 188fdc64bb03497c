import type { Context } from "../context.ts";
import { selectAllVaults } from "../db/queries/audited-vaults.ts";
import { decodeCursor, encodeCursor } from "../lib/cursor.ts";
import { formatVaultId, parseVaultId } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin.ts";
import { toVaultRecord } from "./vault-record.ts";

/** Every vault of the registry, whatever its status, in the order of ids. Throws `store_unavailable`. */
export async function listAllVaults(
  ctx: Context,
  page: { limit: number; cursor: string | null },
): Promise<{ rows: VaultRecord[]; next: string | null }> {
  const [last] = (page.cursor === null ? null : decodeCursor(page.cursor, 1)) ?? [];
  const after = last === undefined ? null : parseVaultId(last);
  const found = await selectAllVaults(ctx.db, { limit: page.limit + 1, after });
  const shown = found.slice(0, page.limit);
  const end = shown.at(-1);
  const more = found.length > page.limit && end !== undefined;
  return { rows: shown.map(toVaultRecord), next: more ? encodeCursor([formatVaultId(end)]) : null };
}
