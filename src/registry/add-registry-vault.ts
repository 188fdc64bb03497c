import { RpcError } from "../chains/json-rpc.ts";
import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { insertVault, selectVault } from "../db/queries/vault-queries.ts";
import { insertClaims, isUnclaimed } from "../db/queries/vault-register-queries.ts";
import { AppError, failure } from "../errors.ts";
import { formatVaultId } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin/admin-vault-schema.ts";
import type { VaultType } from "../schemas/vault-schema.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import { assertServedChain } from "./derive-registry-vault.ts";
import { type ClaimRow, toClaimRow, type VaultClaims } from "./import-registry-claims.ts";
import { type Resolution, resolveVault } from "./proofs/prove-registry-vault.ts";
import { toVaultRecord } from "./registry-vault-records.ts";

/**
 * A vault's registry entry and whether this call added it; or, if on-chain data does not confirm the claims, only the
 * human-readable reason (`finding`).
 */
export type AddedVault = { record: VaultRecord; added: boolean } | { finding: string };

/**
 * Adds a vault to the registry as an operator's candidate, also in place of one that only a list or register named.
 * Returns the entry of any other known vault, and what on-chain data does not confirm of the claims; if the chain cannot
 * be read, they are stored unchecked. Throws `chain_unsupported`, `store_unavailable`, and viem's InvalidAddressError.
 */
export async function addVault(
  ctx: Context,
  input: { claims: VaultClaims; type: VaultType; note: string },
): Promise<AddedVault> {
  const { claims, note } = input;
  assertServedChain(ctx, claims.chainId);
  const vaultId = formatVaultId(claims);
  const known = await selectVault(ctx.db, claims);
  if (known !== null && !isUnclaimed(known)) return { record: toVaultRecord(known), added: false };
  const type = findFamily(claims.adapter)?.type ?? input.type;
  const provenance = { source: "operator", detail: "" } as const;
  const row = { ...toClaimRow(claims, { provenance, now: ctx.now() }), type };
  const resolved = await tryResolving(ctx, row);
  if (resolved?.ok === false) return { finding: resolved.reason };
  const statusReason = resolved === null ? "the chain did not respond" : "not proven yet";
  const vault = { ...row, ...resolved?.derived, statusReason };
  const noted = makeAuditNote(ctx, { action: "vault.add", actor: "admin", note });
  const added =
    known === null
      ? await insertVault(ctx.db, { vault, vaultId, note: noted })
      : (await insertClaims(ctx.db, { rows: [vault], source: null, note: noted })).length === 1;
  const stored = await selectVault(ctx.db, claims);
  if (stored === null) throw failure("store_unavailable", "the vault could not be stored");
  return { record: toVaultRecord(stored), added };
}

/**
 * Reads a vault from on-chain data and compares it with its claims. Returns null if the chain cannot be read. Throws
 * viem's InvalidAddressError for an invalid address in the claims.
 */
async function tryResolving(ctx: Context, row: ClaimRow): Promise<Resolution | null> {
  const client = ctx.chains.client(row.chainId);
  try {
    return client === null ? null : await resolveVault(client, row);
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return null;
    throw error;
  }
}
