import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { type DerivedColumns, insertVault } from "../db/queries/audited-vaults.ts";
import { selectVault } from "../db/queries/vaults.ts";
import { failure } from "../errors.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { NewVaultInput, VaultRecord } from "../schemas/admin.ts";
import { noteOf } from "./audit-note.ts";
import { deriveVault } from "./derive-vault.ts";
import { toVaultRecord } from "./vault-record.ts";

/**
 * Adds a vault to the registry, `unsupported` until it is activated; a vault that is there stays as it is.
 * What the chain tells of it is filled in now, and derived again when it is activated.
 * Throws `chain_unsupported`, `store_unavailable`.
 */
export async function addVault(ctx: Context, input: NewVaultInput): Promise<VaultRecord> {
  const { vault_id: key, adapter, type, curator } = input;
  if (!ctx.chains.definitions.has(key.chainId)) {
    throw failure("chain_unsupported", `chain ${key.chainId} is not served`);
  }
  const vaultId = formatVaultId(key);
  const derived = await deriveVault(ctx, { ...key, adapter });
  const name = input.name !== "" ? input.name : derived.ok && derived.name !== "" ? derived.name : vaultId;
  const statusReason = derived.ok ? "not activated yet" : derived.reason;
  const address = key.address.toLowerCase();
  const columns = derived.ok ? derived.columns : unknownColumns(address);
  await insertVault(ctx.db, {
    vault: { chainId: key.chainId, address, type, adapter, name, curator, statusReason, ...columns },
    vaultId,
    note: noteOf(ctx, { action: "vault.add", actor: "admin", note: input.note }),
  });
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("store_unavailable", "the vault was not written");
  return toVaultRecord(row);
}

/** Stands in the registry for what was not derived; an unsupported row is used for nothing. */
function unknownColumns(address: string): DerivedColumns {
  const nowhere = { assetAddress: zeroAddress, assetSymbol: "", assetDecimals: 0, shareDecimals: 0 };
  const own = { shareToken: address, entryPoint: address, spender: address, pricer: address };
  return { ...nowhere, ...own, acceptedAssets: [] };
}
