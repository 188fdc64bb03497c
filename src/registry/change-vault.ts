import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit.ts";
import { type DerivedColumns, selectVault, updateVaultStatus } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultChangeInput, VaultRecord } from "../schemas/admin.ts";
import { type DerivationSubject, subjectOfRow } from "../vaults/derivation.ts";
import { assertServedChain, deriveVault, toDerivedColumns } from "../vaults/derive-vault.ts";
import { parseRegistryRow } from "../vaults/find-vault.ts";
import type { StoredVault } from "../vaults/vault.ts";
import { toVaultRecord } from "./vault-records.ts";

type VaultChange = { key: VaultKey; change: VaultChangeInput };

/** Changes of one vault that may come in between before this one is given up. */
const MAX_CHANGE_ATTEMPTS = 5;

/**
 * Pauses a vault, lets it go on, takes it out, or brings it in. What leaves `unsupported` has its addresses
 * derived from the chain first. Builds see the change at once, lists within a minute.
 * Throws `vault_not_found`, `chain_unsupported`, `upstream_rejected` with the reason why it stays as it is where its
 * contracts do not give what a row needs, `store_unavailable`, and `upstream_unavailable` or `upstream_timeout` where the
 * chain is needed and does not answer.
 */
export async function changeVault(ctx: Context, input: VaultChange): Promise<VaultRecord> {
  // What came first changes what this one starts from, never what it asks for.
  for (let attempt = 0; attempt < MAX_CHANGE_ATTEMPTS; attempt += 1) {
    if (!(await tryChangingVault(ctx, input))) continue;
    await ctx.cache.drop("registry");
    const after = await selectVault(ctx.db, input.key);
    if (after !== null) return toVaultRecord(after);
  }
  throw failure("store_unavailable", "the vault is being changed by others again and again");
}

/** False when another change came first: then nothing was changed. */
async function tryChangingVault(ctx: Context, { key, change }: VaultChange): Promise<boolean> {
  const vaultId = formatVaultId(key);
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  const brought = row.status === "unsupported" && change.status !== "unsupported";
  const derived = brought ? await derivedColumns(ctx, { ...subjectOfRow(row), adapter: row.adapter }) : null;
  const { caller = row.caller, params = row.params } = derived ?? {};
  if (change.status === "active") assertUsable({ ...row, ...derived, caller, params });
  return updateVaultStatus(ctx.db, {
    chainId: key.chainId,
    address: key.address,
    vaultId,
    from: row.status,
    to: change.status,
    reason: change.reason,
    derived,
    note: makeAuditNote(ctx, { action: "vault.change", actor: "admin", note: change.reason }),
  });
}

/** Throws `upstream_rejected` for a row that would be left out wherever it is asked for. */
function assertUsable(row: StoredVault): void {
  try {
    parseRegistryRow(row);
  } catch (error) {
    throw failure("upstream_rejected", `the vault cannot be used: ${describeError(error)}`);
  }
}

/** What the chain says now: whatever the row said before was never used, or is out of date. */
async function derivedColumns(
  ctx: Context,
  vault: DerivationSubject & { adapter: string },
): Promise<DerivedColumns> {
  assertServedChain(ctx, vault.chainId);
  const derived = await deriveVault(ctx, vault);
  if (derived.ok) return toDerivedColumns(derived.vault);
  // Neither the request is wrong nor the vault paused: what its contracts say of it is refused.
  throw failure("upstream_rejected", `the vault stays unsupported: ${derived.reason}`);
}
