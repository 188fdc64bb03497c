import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { type DerivedColumns, insertVault, selectVault } from "../db/queries/vault-queries.ts";
import { AppError, failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { NewVaultInput, VaultRecord } from "../schemas/admin-schema.ts";
import { assertServedChain, deriveVault, toDerivedColumns } from "../vaults/derive-vault.ts";
import { type Derivation, underivable, unreviewedSubject } from "../vaults/vault-derivation.ts";
import { findFamily } from "../vaults/vault-families.ts";
import { toVaultRecord } from "./vault-records.ts";

/** A registry row, and whether this call inserted it. */
export interface AddedVault {
  record: VaultRecord;
  added: boolean;
}

/**
 * Adds a vault to the registry with status `unsupported`; an existing row stays unchanged. Its addresses are derived from
 * the chain now, and again when it is activated.
 * Throws `chain_unsupported`, `store_unavailable`.
 */
export async function addVault(ctx: Context, input: NewVaultInput): Promise<AddedVault> {
  const { vault_id: key, adapter, curator } = input;
  assertServedChain(ctx, key.chainId);
  const vaultId = formatVaultId(key);
  const derived = await tryDeriving(ctx, { ...key, adapter });
  // The adapter determines the type, whatever the input says.
  const type = findFamily(adapter)?.type ?? input.type;
  const ownName = derived.ok ? derived.vault.name : "";
  const name = [input.name, ownName, vaultId].find((text) => text !== "") ?? vaultId;
  const statusReason = derived.ok ? "not activated yet" : derived.reason;
  const address = key.address.toLowerCase();
  const columns = derived.ok ? toDerivedColumns(derived.vault) : unknownColumns(address);
  const added = await insertVault(ctx.db, {
    vault: { chainId: key.chainId, address, type, adapter, name, curator, statusReason, ...columns },
    vaultId,
    note: makeAuditNote(ctx, { action: "vault.add", actor: "admin", note: input.note }),
  });
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("store_unavailable", "the vault could not be stored");
  return { record: toVaultRecord(row), added };
}

/** Derives a vault, or reports it underivable when the chain fails: an unsupported row is derived again on activation. */
async function tryDeriving(ctx: Context, vault: VaultKey & { adapter: string }): Promise<Derivation> {
  try {
    return await deriveVault(ctx, { ...unreviewedSubject(vault), adapter: vault.adapter });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return underivable("the chain did not respond");
  }
}

/** Placeholder columns of a vault that was not derived; unsupported rows are never used. */
function unknownColumns(address: string): DerivedColumns {
  const nowhere = { assetAddress: zeroAddress, assetSymbol: "", assetDecimals: 0, shareDecimals: 0 };
  const own = { shareToken: address, entryPoint: address, spender: address, pricer: address };
  return { ...nowhere, ...own, acceptedAssets: [] };
}
