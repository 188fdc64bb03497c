import { zeroAddress } from "viem";
import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import type { VaultRow } from "../db/queries/vault-queries.ts";
import { forgetListed, insertClaims } from "../db/queries/vault-register-queries.ts";
import type { Provenance } from "../db/tables/vault-tables.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { ImportedClaim, ImportReport } from "../schemas/admin/admin-vault-schema.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import type { StoredVault } from "../vaults/vault.ts";

/**
 * Registry claims: what the source of a registry entry states about a vault; null or empty where it states nothing.
 * Family, asset and share token are compared with on-chain data; entry point and spender cannot be claimed.
 */
export interface VaultClaims extends VaultKey {
  /** Name of a family's adapter; `erc4626` leaves the family open. */
  adapter: string;
  asset: string | null;
  shareToken: string | null;
  /** Parameters of the family, for those that no contract reveals. */
  params: Readonly<Record<string, string>>;
  /** Additional tokens that the vault may accept without a swap. */
  acceptedAssets: readonly string[];
  name: string;
  curator: string;
}

/** Claims for a vault of which only the chain and the address are known. */
export const NO_CLAIMS: Omit<VaultClaims, keyof VaultKey> = {
  ...{ adapter: "erc4626", asset: null, shareToken: null, params: {}, acceptedAssets: [] },
  ...{ name: "", curator: "" },
};

/** Maximum number of claims in one statement, well below PostgreSQL's limit of parameters. */
const CHUNK = 500;

/** Registry row of a claimed vault before it is stored. */
export type ClaimRow = StoredVault &
  Pick<VaultRow, "claim" | "provenance" | "proofDueAt" | "statusBy" | "wasActive">;

/**
 * Returns the registry row of a claimed vault: a candidate whose proof is due at `now` (UNIX milliseconds), with
 * placeholders. Addresses are lowercase, except in accepted assets and `params`. An empty name becomes its id.
 */
export function toClaimRow(claims: VaultClaims, of: { provenance: Provenance; now: number }): ClaimRow {
  const own = claims.address.toLowerCase();
  const { chainId, adapter, params, name, curator } = claims;
  const asset = claims.asset?.toLowerCase() ?? null;
  const tokens = claims.acceptedAssets.map((address) => ({ address, symbol: "", decimals: 0 }));
  return {
    ...{ chainId, address: own, adapter, type: findFamily(adapter)?.type ?? "custom", curator },
    ...{ name: name === "" ? formatVaultId(claims) : name, params: { ...params } },
    ...{ assetAddress: asset ?? zeroAddress, assetSymbol: "", assetDecimals: 0, acceptedAssets: tokens },
    ...{ shareToken: own, shareDecimals: 0, entryPoint: own, spender: own, pricer: own },
    ...{ caller: "router", minDeposit: null, noMinimum: false, startBlock: null, wasActive: false },
    ...{ status: "candidate", statusBy: "proof", statusReason: "not proven yet" },
    provenance: of.provenance,
    claim: { adapter, asset, shareToken: claims.shareToken?.toLowerCase() ?? null },
    proofDueAt: new Date(of.now),
  };
}

/**
 * Adds claimed vaults to the registry as candidates and reports on each claim, in the given order; those with an
 * unserved chain or an unknown family are refused. `list` is the name of the public list that they come from (recorded
 * for known vaults too), or null for an operator, who also adds candidates that only a list or register named. Of
 * repeated claims, the last one not refused is stored. `unlisted` are vaults that the list no longer names: its name is
 * removed from them, and their proofs become due. Throws `store_unavailable`; a part may then be stored.
 */
export async function importClaims(
  ctx: Context,
  input: {
    claims: readonly VaultClaims[];
    list: string | null;
    unlisted?: readonly VaultKey[];
    note: string;
  },
): Promise<ImportReport> {
  const { claims, list, unlisted = [] } = input;
  const provenance: Provenance =
    list === null ? { source: "operator", detail: "" } : { source: "list", detail: list };
  const distinct = new Map<string, VaultClaims>();
  for (const claim of claims) if (refusalOf(ctx, claim) === null) distinct.set(formatVaultId(claim), claim);
  const rows = [...distinct.values()].map((claim) => toClaimRow(claim, { provenance, now: ctx.now() }));
  const added = new Set<string>();
  for (let start = 0; start < rows.length; start += CHUNK) {
    const note = makeAuditNote(ctx, { action: "vault.add", actor: "admin", note: input.note });
    const keys = await insertClaims(ctx.db, {
      rows: rows.slice(start, start + CHUNK),
      source: list === null ? null : `list:${list}`,
      note,
    });
    for (const key of keys) added.add(formatVaultId(key));
  }
  const keys = unlisted.map(({ chainId, address }) => ({ chainId, address: address.toLowerCase() }));
  const note = makeAuditNote(ctx, { action: "vault.unlist", actor: "admin", note: input.note });
  const left = list === null ? 0 : await forgetListed(ctx.db, { keys, source: `list:${list}`, note });
  const reported = claims.map((claim) => reportOf(ctx, { claim, added }));
  const countOf = (result: ImportedClaim["result"]) => reported.filter((row) => row.result === result).length;
  return {
    ...{ added: countOf("added"), known: countOf("known"), refused: countOf("refused"), unlisted: left },
    vaults: reported,
  };
}

/** Returns the report on one claim. A repeated claim in one request counts as already known. */
function reportOf(ctx: Context, { claim, added }: { claim: VaultClaims; added: Set<string> }): ImportedClaim {
  const vault_id = formatVaultId(claim);
  const reason = refusalOf(ctx, claim);
  if (reason !== null) return { vault_id, result: "refused", reason };
  return { vault_id, result: added.delete(vault_id) ? "added" : "known", reason: "" };
}

/** Returns why a claim is not stored, or null if it may be. */
function refusalOf(ctx: Context, { chainId, adapter }: VaultClaims): string | null {
  if (!ctx.chains.definitions.has(chainId)) return `chain ${chainId} is not served`;
  return findFamily(adapter) === null ? `no adapter is called ${adapter}` : null;
}
