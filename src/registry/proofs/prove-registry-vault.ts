import { getAddress, zeroAddress } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import type { Context } from "../../context.ts";
import type { ProofChange } from "../../db/queries/vault-proof-queries.ts";
import type { VaultRow } from "../../db/queries/vault-queries.ts";
import type { VaultProof } from "../../db/tables/vault-tables.ts";
import { AppError } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import { describeError } from "../../lib/logger.ts";
import { formatVaultId } from "../../lib/vault-id.ts";
import { findFamily } from "../../vaults/families/vault-families.ts";
import { parseRegistryRow } from "../../vaults/find-vault.ts";
import type { StoredVault, Vault } from "../../vaults/vault.ts";
import { type Derivation, type DerivedVault, subjectOfRow, underivable } from "../../vaults/vault-deriver.ts";
import { confirmDerivation, toDerivedColumns } from "../derive-registry-vault.ts";
import { readVaultCode } from "../read-registry-code.ts";
import { describeForeignContract, recognizeVault } from "../recognize-registry-family.ts";
import { EXCLUDED, isBlocked, SINGLE_SOURCE, UNCURATED } from "../registry-admission-gate.ts";
import { isAgreed, isCurated, isGoverned, readCreators, readVouching } from "../registry-vouching.ts";
import { isCandidate, isDecidedByAdmin, isReviewed, type ProofFinding } from "./decide-vault-proof.ts";
import { GENERIC_ADAPTER } from "./proof-exit-ways.ts";
import { type SimulatedProof, simulateProof } from "./simulate-proof.ts";

/** Result of an attempt to prove a vault, with the columns of its registry entry that were read from on-chain data. */
export interface ProofAttempt {
  finding: ProofFinding;
  /**
   * Columns from on-chain data. Null if they could not be read, if the vault was refused before its deposit terms were
   * read, or if the simulation ended with an error other than that no node can simulate.
   */
  derived: ProofChange["derived"];
}

/**
 * Proves a registry entry on the current state of its chain: reads the vault, compares it with the entry, and simulates
 * a deposit and its redemption. Stores nothing. Never throws: what cannot be examined is `unread`, and unexpected
 * errors are refusals.
 */
export async function proveVault(ctx: Context, row: VaultRow): Promise<ProofAttempt> {
  const client = ctx.chains.client(row.chainId);
  if (client === null) return unread(`chain ${row.chainId} is not served`);
  const attempt = await tryProving(ctx, { client, row });
  // A refusal says nothing about the code that was admitted, which stays what the vault is compared with.
  return { ...attempt, finding: withCode(attempt.finding, row.proof?.code ?? null) };
}

async function tryProving(
  ctx: Context,
  { client, row }: { client: ChainClient; row: VaultRow },
): Promise<ProofAttempt> {
  try {
    // Nothing vouches for the vault any longer. Its holders can still leave.
    const left = await readDeparture(ctx, { client, row });
    if (left !== null) return { finding: refusal(ctx, left), derived: null };
    const resolved = await resolveVault(client, row);
    if (!resolved.ok) {
      const { reason, closed } = resolved;
      const finding = refusal(ctx, reason);
      return {
        finding: closed ? { ...finding, kind: "closed", closure: "stopped" } : finding,
        derived: null,
      };
    }
    const { derived } = resolved;
    const code = await readVaultCode(client, getAddress(row.address));
    const pinned = pinnedCode(row);
    // Earlier proofs recorded a proxy without the hash of its own code.
    if (pinned !== null && pinned !== code && !code.startsWith(`${pinned}/`)) {
      ctx.log.warn("vault_code_changed", { vault_id: formatVaultId(row), admitted: pinned, code });
      return { finding: refusal(ctx, CODE_CHANGED), derived: null };
    }
    const { caller = row.caller, params = row.params } = derived;
    const vault = parseRegistryRow({ ...row, ...derived, caller, params });
    const { finding, userOnly } = await simulatedFinding(ctx, vault);
    const seen = userOnly ? { caller: "user" as const } : {};
    const proven = finding.kind === "passed" ? withCode(finding, code) : finding;
    return { finding: proven, derived: { ...derived, ...seen } };
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return unread(describeError(error));
    ctx.log.error("vault_check_failed", { vault_id: formatVaultId(row), error: describeError(error) });
    return {
      finding: refusal(ctx, "an unexpected error occurred while the vault was checked"),
      derived: null,
    };
  }
}

/**
 * Returns why a discovered or imported vault may no longer be open, or null: the settings exclude it or its asset, no
 * register or list names it any longer, or those that name an open one would not suffice to open it. Null if an
 * administrator decided its status or opened it. Errors of the chain client propagate.
 */
async function readDeparture(
  ctx: Context,
  { client, row }: { client: ChainClient; row: VaultRow },
): Promise<string | null> {
  if (isReviewed(row) || isDecidedByAdmin(row)) return null;
  if (isBlocked({ ...row, asset: row.assetAddress }, ctx.config.discovery)) return EXCLUDED;
  const vouching = await readVouching(ctx, { client, row });
  if (vouching.lists.length + vouching.registers.length === 0)
    return "no vault factory or public list of vaults includes the vault any more";
  if (isCandidate(row)) return null;
  if (!isCurated(vouching)) return `${UNCURATED} any more`;
  if (isGoverned(vouching.registers)) return null;
  // Only factories that are known by their clones need the code, and `isAgreed` does not count them.
  const code = row.proof?.code ?? "";
  const creators = await readCreators(ctx, { client, vault: row, vouching, code });
  return isAgreed(ctx, { vault: row, vouching, creators }) ? null : SINGLE_SOURCE;
}

const CODE_CHANGED = "the vault's code has changed since this service opened it";

/**
 * Returns the code that a discovered or imported vault was admitted with and must keep while it is open, or null.
 * Reviewed vaults may be upgraded: only their proof counts. The admission gate examines the code of a candidate again.
 */
function pinnedCode(row: VaultRow): string | null {
  const isFound = row.provenance.source === "factory" || row.provenance.source === "list";
  const mustKeep = isFound && !isDecidedByAdmin(row) && !isCandidate(row);
  return mustKeep ? (row.proof?.code ?? null) : null;
}

/** Adds the vault's code to a finding's proof, unless it is already recorded. */
function withCode(finding: ProofFinding, code: string | null): ProofFinding {
  if (finding.kind === "unread" || finding.proof.code !== undefined) return finding;
  return { ...finding, proof: { ...finding.proof, code } };
}

/**
 * Returns the finding of a simulated deposit, and whether only users themselves can deposit. If no node can simulate,
 * the finding is `unread`; other errors propagate.
 */
async function simulatedFinding(
  ctx: Context,
  vault: Vault,
): Promise<{ finding: ProofFinding; userOnly: boolean }> {
  try {
    const made = await simulateProof(ctx, vault);
    return { finding: toFinding(ctx, made), userOnly: made.userOnly };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "simulation_unavailable")) throw error;
    return { finding: { kind: "unread", reason: describeError(error) }, userOnly: false };
  }
}

const unread = (reason: string): ProofAttempt => ({ finding: { kind: "unread", reason }, derived: null });

/**
 * A vault resolved from on-chain data; or the human-readable reason why on-chain data does not confirm its entry, with
 * `closed` as in `Derivation`.
 */
export type Resolution =
  | { ok: true; derived: NonNullable<ProofChange["derived"]> }
  | Extract<Derivation, { ok: false }>;

/**
 * The fields of a registry entry that `resolveVault` takes. Claimed and stored tokens are compared with on-chain data;
 * status and origin decide how strictly, and which name and `caller` the vault gets.
 */
export type ClaimedEntry = StoredVault & Pick<VaultRow, "claim" | "wasActive" | "provenance">;

/**
 * Reads a vault's family, addresses, tokens and parameters from on-chain data, and compares them with the entry. Throws
 * viem's InvalidAddressError for an invalid address, and `upstream_unavailable` if the nodes made only a part of the
 * reads; errors of the chain client propagate.
 */
export async function resolveVault(client: ChainClient, row: ClaimedEntry): Promise<Resolution> {
  const subject = subjectOfRow(row);
  const { family: recognized, derivations } = await recognizeVault(client, { subject, adapter: row.adapter });
  const adapter = row.adapter === GENERIC_ADAPTER ? (recognized ?? row.adapter) : row.adapter;
  if (recognized !== null && recognized !== adapter)
    return underivableAs(`on-chain data shows a vault of type ${recognized}, not ${adapter}`);
  const derivation =
    derivations.get(adapter) ?? underivable(`this service has no adapter for vaults of type ${adapter}`);
  const found = await confirmDerivation(client, { adapter, derivation, subject });
  if (!found.ok) {
    const other = recognized === null ? await describeForeignContract(client, subject.address) : null;
    return other === null ? found : underivableAs(other);
  }
  const contradiction = contradictionOf(row, found.vault);
  if (contradiction !== null) return underivableAs(contradiction);
  const type = findFamily(adapter)?.type ?? row.type;
  const columns = toDerivedColumns(found.vault);
  // A deposit by the user himself always works; one by the Router may not, so an open vault never returns to it.
  const caller = isOpen(row) && row.caller === "user" ? row.caller : columns.caller;
  const named = { ...shownName(row, found.vault), ...(caller === undefined ? {} : { caller }) };
  return { ok: true, derived: { ...columns, ...named, adapter, type } };
}

/** Suffix of a discovered vault's placeholder name, until its asset is known. */
const PLACEHOLDER = / vault$/;

/**
 * Returns the new name of a vault that still has a placeholder or its id as name. A discovered or imported one gets its
 * protocol, if known, and its asset's symbol, because its own name is unverified; a reviewed one its own name or, if it
 * has none, its asset's symbol. Returns no name for other vaults, which keep theirs.
 */
function shownName(entry: ClaimedEntry, vault: Pick<DerivedVault, "name" | "asset">): { name?: string } {
  const { name } = entry;
  const { symbol } = vault.asset;
  const isNameless = name === formatVaultId(entry);
  if (isReviewed(entry))
    return isNameless ? { name: vault.name === "" ? `Vault of ${symbol}` : vault.name } : {};
  if (isNameless) return { name: `Vault of ${symbol}` };
  return PLACEHOLDER.test(name) ? { name: name.replace(PLACEHOLDER, ` ${symbol}`) } : {};
}

/** Returns true if users may hold shares of the vault. */
const isOpen = ({ status, wasActive }: ClaimedEntry): boolean =>
  status === "active" || status === "paused" || wasActive;

const underivableAs = (reason: string) => underivable(reason) as { ok: false; reason: string };

/**
 * Returns the contradiction between on-chain data and an entry, or null. Only tokens count: a claimed or known asset, a
 * claimed share token and, once users may hold shares, the stored share token and asset decimals.
 */
function contradictionOf(
  row: ClaimedEntry,
  vault: { asset: { address: string; decimals: number }; shareToken: string },
): string | null {
  const asset = row.claim?.asset ?? row.assetAddress;
  if (!sameAddress(asset, zeroAddress) && !sameAddress(asset, vault.asset.address))
    return `its asset on chain is ${vault.asset.address}, not ${asset}`;
  const share = isOpen(row) ? row.shareToken : (row.claim?.shareToken ?? null);
  if (share !== null && !sameAddress(share, vault.shareToken))
    return `its share token on chain is ${vault.shareToken}, not ${share}`;
  if (isOpen(row) && row.assetDecimals !== vault.asset.decimals)
    return `its asset now reports ${vault.asset.decimals} decimals, not ${row.assetDecimals}`;
  return null;
}

const toTime = (ctx: Context): string => new Date(ctx.now()).toISOString();

function refusal(ctx: Context, reason: string): Extract<ProofFinding, { proof: VaultProof }> {
  const none = { blockNumber: null, amount: null, shares: null, returned: null };
  return { kind: "refused", proof: { ...none, ok: false, at: toTime(ctx), reason } };
}

function toFinding(ctx: Context, made: SimulatedProof): ProofFinding {
  const text = (amount: bigint | null): string | null => amount?.toString() ?? null;
  const proof: VaultProof = {
    ok: made.kind === "passed",
    blockNumber: made.blockNumber,
    at: toTime(ctx),
    amount: text(made.amount),
    shares: text(made.shares),
    returned: text(made.returned),
    reason: made.reason,
  };
  const { kind, closure } = made;
  return closure === null ? { kind, proof } : { kind, proof, closure };
}
