import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { type DerivedColumns, insertVault, selectVault } from "../db/queries/vault-queries.ts";
import { AppError, failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { NewVaultInput, VaultRecord } from "../schemas/admin-schema.ts";
import { type Derivation, underivable, unreviewedSubject } from "../vaults/vault-derivation.ts";
import { findFamily } from "../vaults/vault-families.ts";
import { assertServedChain, deriveVault, toDerivedColumns } from "./derive-vault.ts";
import { toVaultRecord } from "./vault-records.ts";

/** A vault's registry entry, and whether this call added it. */
export interface AddedVault {
  record: VaultRecord;
  added: boolean;
}

/**
 * Adds a vault to the registry with status `candidate`. An existing entry stays unchanged. The vault's addresses,
 * tokens and parameters are read from on-chain data now, and again when the vault is activated. Throws
 * `chain_unsupported`, `store_unavailable`.
 */
export async function addVault(ctx: Context, input: NewVaultInput): Promise<AddedVault> {
  const { vault_id: key, adapter, curator } = input;
  assertServedChain(ctx, key.chainId);
  const vaultId = formatVaultId(key);
  const derived = await tryDeriving(ctx, { ...key, adapter });
  // The adapter determines the type, whatever the input contains.
  const type = findFamily(adapter)?.type ?? input.type;
  const ownName = derived.ok ? derived.vault.name : "";
  const name = [input.name, ownName, vaultId].find((text) => text !== "") ?? vaultId;
  const statusReason = derived.ok ? "not activated yet" : derived.reason;
  const address = key.address.toLowerCase();
  const columns = derived.ok ? toDerivedColumns(derived.vault) : unknownColumns(address);
  const added = await insertVault(ctx.db, {
    vault: {
      ...{ chainId: key.chainId, address, type, adapter, name, curator, statusReason, ...columns },
      provenance: { source: "operator", detail: "" },
      claim: { adapter, asset: null, shareToken: null },
      proofDueAt: new Date(ctx.now()),
    },
    vaultId,
    note: makeAuditNote(ctx, { action: "vault.add", actor: "admin", note: input.note }),
  });
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("store_unavailable", "the vault could not be stored");
  return { record: toVaultRecord(row), added };
}

/**
 * Resolves a vault from on-chain data. A chain that cannot be read counts as a vault that cannot be resolved, because
 * an unsupported entry is resolved again on activation.
 */
async function tryDeriving(ctx: Context, vault: VaultKey & { adapter: string }): Promise<Derivation> {
  try {
    return await deriveVault(ctx, { ...unreviewedSubject(vault), adapter: vault.adapter });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return underivable("the chain did not respond");
  }
}

/**
 * Returns placeholder columns for a vault that could not be resolved from on-chain data. Unsupported entries are never
 * used for deposits.
 */
function unknownColumns(address: string): DerivedColumns {
  const nowhere = { assetAddress: zeroAddress, assetSymbol: "", assetDecimals: 0, shareDecimals: 0 };
  const own = { shareToken: address, entryPoint: address, spender: address, pricer: address };
  return { ...nowhere, ...own, acceptedAssets: [] };
}
