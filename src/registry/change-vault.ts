import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { type DerivedColumns, selectVault, updateVaultStatus } from "../db/queries/vault-queries.ts";
import { failure } from "../errors.ts";
import { describeError } from "../lib/logger.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultChangeInput, VaultRecord } from "../schemas/admin-schema.ts";
import { parseRegistryRow, renewRegistry } from "../vaults/find-vault.ts";
import type { StoredVault } from "../vaults/vault.ts";
import { type DerivationSubject, subjectOfRow } from "../vaults/vault-derivation.ts";
import { assertServedChain, deriveVault, toDerivedColumns } from "./derive-vault.ts";
import { toVaultRecord } from "./vault-records.ts";

/** A vault, and the status change that an administrator requests for it. */
type VaultChange = { key: VaultKey; change: VaultChangeInput };

/** Maximum number of attempts to change a vault's status while other requests change it concurrently. */
const MAX_CHANGE_ATTEMPTS = 5;

/**
 * Changes a vault's status in the registry: activates it, pauses it, or marks it as unsupported. For a vault that was
 * neither active nor paused, the addresses, tokens and parameters are first read from on-chain data. Builds see the
 * change immediately, listings within a minute. Throws `vault_not_found`, `chain_unsupported`, `store_unavailable`,
 * `upstream_rejected` with the reason if the vault's contracts cannot be resolved, and `upstream_unavailable` or
 * `upstream_timeout` if the chain does not respond.
 */
export async function changeVault(ctx: Context, input: VaultChange): Promise<VaultRecord> {
  // A concurrent change alters the status that this change starts from, but not its target.
  for (let attempt = 0; attempt < MAX_CHANGE_ATTEMPTS; attempt += 1) {
    if (!(await tryChangingVault(ctx, input))) continue;
    await renewRegistry(ctx);
    const after = await selectVault(ctx.db, input.key);
    if (after !== null) return toVaultRecord(after);
  }
  throw failure("store_unavailable", "the vault is being changed by other requests; try again");
}

/**
 * Tries once to change a vault's status. Returns false, without any change, if another request changed the status
 * first.
 */
async function tryChangingVault(ctx: Context, { key, change }: VaultChange): Promise<boolean> {
  const vaultId = formatVaultId(key);
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  const wasOpen = row.status === "active" || row.status === "paused";
  const opens = !wasOpen && change.status !== "unsupported";
  const derived = opens ? await derivedColumns(ctx, { ...subjectOfRow(row), adapter: row.adapter }) : null;
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

/** Throws `upstream_rejected` for a registry entry that cannot be parsed, because listings would skip it. */
function assertUsable(row: StoredVault): void {
  try {
    parseRegistryRow(row);
  } catch (error) {
    throw failure("upstream_rejected", `the vault cannot be used: ${describeError(error)}`);
  }
}

/**
 * Reads a vault's registry columns from on-chain data, because those of an unsupported entry are placeholders or no
 * longer current. Throws `chain_unsupported`, and `upstream_rejected` if the vault cannot be resolved. Errors of the
 * RPC nodes propagate.
 */
async function derivedColumns(
  ctx: Context,
  vault: DerivationSubject & { adapter: string },
): Promise<DerivedColumns> {
  assertServedChain(ctx, vault.chainId);
  const derived = await deriveVault(ctx, vault);
  if (derived.ok) return toDerivedColumns(derived.vault);
  throw failure("upstream_rejected", `the vault stays unsupported: ${derived.reason}`);
}
