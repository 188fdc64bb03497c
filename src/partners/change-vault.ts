import type { Context } from "../context.ts";
import { type DerivedColumns, updateVaultStatus } from "../db/queries/audited-vaults.ts";
import { selectVault, type VaultRow } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultChangeInput, VaultRecord } from "../schemas/admin.ts";
import { noteOf } from "./audit-note.ts";
import { deriveVault } from "./derive-vault.ts";
import { toVaultRecord } from "./vault-record.ts";

/**
 * Pauses a vault, lets it go on, takes it out, or brings it in. What leaves `unsupported` has its addresses
 * derived from the chain first. Builds see the change at once, lists within a minute.
 * Throws `vault_not_found`, `vault_paused` with the reason why it stays unsupported, `store_unavailable`.
 */
export async function changeVault(
  ctx: Context,
  input: { key: VaultKey; change: VaultChangeInput },
): Promise<VaultRecord> {
  const { key, change } = input;
  const vaultId = formatVaultId(key);
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  const brought = row.status === "unsupported" && change.status !== "unsupported";
  const changed = await updateVaultStatus(ctx.db, {
    chainId: key.chainId,
    address: key.address,
    vaultId,
    from: row.status,
    to: change.status,
    reason: change.reason,
    derived: brought ? await derivedColumns(ctx, { row, key }) : null,
    note: noteOf(ctx, { action: "vault.change", actor: "admin", note: change.reason }),
  });
  if (!changed) {
    const reason = "another change came first";
    throw failure("vault_paused", "the vault was changed meanwhile", { reason });
  }
  await ctx.cache.drop("registry");
  const after = await selectVault(ctx.db, key);
  if (after === null) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  return toVaultRecord(after);
}

async function derivedColumns(
  ctx: Context,
  vault: { row: VaultRow; key: VaultKey },
): Promise<DerivedColumns> {
  const derived = await deriveVault(ctx, { ...vault.key, adapter: vault.row.adapter });
  if (derived.ok) return derived.columns;
  const { reason } = derived;
  throw failure("vault_paused", "the vault's addresses could not be derived; it stays unsupported", {
    reason,
  });
}
