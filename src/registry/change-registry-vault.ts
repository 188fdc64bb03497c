import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { selectVault, updateVaultStatus, type VaultRow } from "../db/queries/vault-queries.ts";
import { AppError, failure } from "../errors.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultChangeInput, VaultRecord } from "../schemas/admin/admin-vault-schema.ts";
import { keepAccepted } from "../vaults/accepted-contracts.ts";
import { renewRegistry } from "../vaults/find-vault.ts";
import { assertServedChain } from "./derive-registry-vault.ts";
import { proveVaultNow } from "./proofs/prove-due-vaults.ts";
import { type ProofAttempt, proveVault } from "./proofs/prove-registry-vault.ts";
import { toVaultRecord } from "./registry-vault-records.ts";

/** A vault, and the change that an administrator requests for it. */
type VaultChange = { key: VaultKey; change: VaultChangeInput };

/**
 * The registry entry after a change; or, if a proof refused the change and nothing was stored, the field at fault and
 * the human-readable reason.
 */
export type ChangedVault = { record: VaultRecord } | { field: "state" | "adapter"; finding: string };

/** Maximum number of attempts to change a vault while other requests change it concurrently. */
const MAX_CHANGE_ATTEMPTS = 5;

/**
 * Changes a vault's status, claims and texts. A change that opens or lists the vault or contains claims is not stored
 * if a proof refuses it or its views revert. After a change to `active` or `candidate` or with claims, the vault is
 * proven again, so the returned status may differ from the requested one. Throws `vault_not_found`,
 * `chain_unsupported`, `upstream_unavailable` and `store_unavailable`, also after too many concurrent changes.
 */
export async function changeVault(ctx: Context, input: VaultChange): Promise<ChangedVault> {
  // A concurrent change alters what this change starts from, but not its target.
  for (let attempt = 0; attempt < MAX_CHANGE_ATTEMPTS; attempt += 1) {
    const outcome = await tryChangingVault(ctx, input);
    if (outcome === "outdated") continue;
    if (outcome !== "changed") return outcome;
    await renewRegistry(ctx, [formatVaultId(input.key)]);
    return { record: await recordAfter(ctx, input) };
  }
  throw failure("store_unavailable", "the vault is being changed by other requests; try again");
}

/**
 * Returns the entry after a change, proven again unless the change only alters texts or closes it. If a node or the
 * database fails, it is returned as it is stored. Throws `vault_not_found` and `store_unavailable`.
 */
async function recordAfter(ctx: Context, { key, change }: VaultChange): Promise<VaultRecord> {
  if (!onlyCloses(change)) {
    try {
      return await proveVaultNow(ctx, key);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${formatVaultId(key)}`);
  return toVaultRecord(row);
}

const requestedStatus = ({ state, status }: VaultChangeInput) => state ?? status;

const claimsOf = ({ adapter, params, accepted_assets }: VaultChangeInput) =>
  adapter !== undefined || params !== undefined || accepted_assets !== undefined;

/** Returns true for a change after which no proof follows: without claims, and not to `active` or `candidate`. */
function onlyCloses(change: VaultChangeInput): boolean {
  const requested = requestedStatus(change);
  return !claimsOf(change) && requested !== "active" && requested !== "candidate";
}

/**
 * Tries once to change a vault. Returns `outdated`, without any change, if another request changed its status first,
 * and the field at fault if on-chain data contradicts the change. Throws the errors of `changeVault`.
 */
async function tryChangingVault(
  ctx: Context,
  { key, change }: VaultChange,
): Promise<"changed" | "outdated" | { field: "state" | "adapter"; finding: string }> {
  const vaultId = formatVaultId(key);
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${vaultId}`);
  const asksFor = requestedStatus(change);
  const requested = asksFor ?? row.status;
  const wasOpen = row.status === "active" || row.status === "paused";
  const opens = asksFor === "active" || (asksFor === "paused" && !wasOpen);
  const asked = withClaims(row, change);
  let derived: ProofAttempt["derived"] = null;
  if (opens || claimsOf(change)) {
    const attempt = await readOrThrow(ctx, asked);
    const { finding } = attempt;
    // Without any column from the chain, placeholders would be opened or the claims stored unread.
    if (finding.kind === "refused" || (finding.kind === "closed" && attempt.derived === null)) {
      const field = claimsOf(change) ? "adapter" : "state";
      return { field, finding: finding.proof.reason };
    }
    // Read as an operator's, it may bring the contract's own name, which a proof of the stored entry may not show.
    derived = attempt.derived === null ? null : { ...attempt.derived, name: asked.name };
  }
  const { claim, name, curator, params } = asked;
  const reason = change.reason === "" && requested === row.status ? row.statusReason : change.reason;
  const stored = await updateVaultStatus(ctx.db, {
    ...{
      chainId: key.chainId,
      address: key.address,
      vaultId,
      from: row.status,
      to: requested,
      reason,
      derived,
    },
    claimed: { claim, name, curator, params },
    texts: { name: change.name, curator: change.curator },
    // Another request of an administrator may have decided the same status meanwhile.
    by: asksFor === undefined ? null : asksFor === "candidate" ? "proof" : "admin",
    note: makeAuditNote(ctx, { action: "vault.change", actor: "admin", note: change.reason }),
  });
  return stored ? "changed" : "outdated";
}

/**
 * Returns an entry with the texts and claims of a change; its status is unchanged. With claims, asset and share token
 * are read again, but those of a vault whose shares users may hold must stay as they are.
 */
function withClaims(row: VaultRow, change: VaultChangeInput): VaultRow {
  const { adapter = row.adapter, name = row.name, curator = row.curator } = change;
  const params =
    change.params === undefined ? row.params : keepAccepted(change.params, { before: row.params });
  const texts = { ...row, name, curator, params };
  if (!claimsOf(change)) return texts;
  const isKnown = row.wasActive || row.status === "active" || row.status === "paused";
  const tokens = change.accepted_assets?.map((address) => ({ address, symbol: "", decimals: 0 })) ?? [];
  return {
    ...texts,
    adapter,
    claim: { adapter, asset: isKnown ? row.assetAddress : null, shareToken: isKnown ? row.shareToken : null },
    assetAddress: isKnown ? row.assetAddress : zeroAddress,
    acceptedAssets: [...row.acceptedAssets, ...tokens],
  };
}

/**
 * Reads and proves an entry as if an operator had added it, so that what names it and its earlier code do not count.
 * Throws `chain_unsupported`, and `upstream_unavailable` if the vault cannot be read.
 */
async function readOrThrow(ctx: Context, row: VaultRow): Promise<ProofAttempt> {
  assertServedChain(ctx, row.chainId);
  const attempt = await proveVault(ctx, { ...row, provenance: { source: "operator", detail: "" } });
  if (attempt.finding.kind === "unread" && attempt.derived === null)
    throw failure("upstream_unavailable", `the vault's chain could not be read: ${attempt.finding.reason}`);
  return attempt;
}
