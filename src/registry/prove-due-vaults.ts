import type { Context } from "../context.ts";
import { makeAuditNote } from "../db/queries/audit-queries.ts";
import { selectFailingChains } from "../db/queries/flow-queries.ts";
import { claimDueProofs, countDueProofs, recordProof } from "../db/queries/vault-proof-queries.ts";
import { selectVault, type VaultRow } from "../db/queries/vault-queries.ts";
import { failure } from "../errors.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { SECOND_MS } from "../lib/durations.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import type { VaultRecord } from "../schemas/admin/admin-vault-schema.ts";
import { renewRegistry } from "../vaults/find-vault.ts";
import { decideAfterProof, type ProofFinding } from "./proof-decision.ts";
import { proveVault } from "./prove-vault.ts";
import { readAdmission } from "./read-admission.ts";
import { toVaultRecord } from "./vault-records.ts";

/** Number of vaults of one chain that a run claims at a time. */
const BATCH_SIZE = 4;
/** Time after which a run starts no further batch, in milliseconds. */
const RUN_MS = 40 * SECOND_MS;
/** Time for which a run claims its vaults, in milliseconds: a killed run's vaults are due again after it. */
const LEASE_MS = 30 * SECOND_MS;

/** Numbers of vaults that one run proved, by finding. */
export type ProofRoundReport = Record<ProofFinding["kind"] | "changed", number>;

/**
 * Runs the proof (a simulated deposit) of each vault that is due, the most overdue first. Several chains run in
 * parallel; the vaults of one chain run one at a time, to respect public nodes' limits. Skips chains whose last index
 * run failed, because their nodes would probably only tie up connections. Stops when its time budget is spent and
 * leaves the rest to the next run. Throws `store_unavailable`.
 */
export async function proveDueVaults(ctx: Context): Promise<ProofRoundReport> {
  const startedAt = ctx.now();
  const report: ProofRoundReport = { passed: 0, refused: 0, closed: 0, unread: 0, changed: 0 };
  const [due, failing] = await Promise.all([
    countDueProofs(ctx.db, new Date(startedAt)),
    selectFailingChains(ctx.db),
  ]);
  const chains = due.filter(({ chainId }) => ctx.chains.definitions.has(chainId) && !failing.has(chainId));
  await mapConcurrently(chains, {
    doubtful: () => false,
    work: async ({ chainId }) => {
      while (ctx.now() - startedAt < RUN_MS) {
        const rows = await claim(ctx, chainId);
        if (rows.length === 0 || !(await proveBatch(ctx, { rows, report }))) return;
      }
    },
  });
  if (report.changed > 0) await renewRegistry(ctx);
  return report;
}

function claim(ctx: Context, chainId: number): Promise<VaultRow[]> {
  const now = ctx.now();
  const leaseUntil = new Date(now + LEASE_MS);
  return claimDueProofs(ctx.db, { chainId, now: new Date(now), leaseUntil, limit: BATCH_SIZE });
}

/** Proves a batch of one chain's vaults. Returns false if the chain does not respond; its other vaults then wait. */
async function proveBatch(
  ctx: Context,
  { rows, report }: { rows: readonly VaultRow[]; report: ProofRoundReport },
): Promise<boolean> {
  for (const row of rows) {
    const { finding, changed } = await proveAndRecord(ctx, { row, actor: "proof" });
    report[finding.kind] += 1;
    if (changed) report.changed += 1;
    if (finding.kind === "unread") return false;
  }
  return true;
}

/** Proves one registry entry and stores the result. `changed` is true if the vault's status changed. */
async function proveAndRecord(
  ctx: Context,
  { row, actor }: { row: VaultRow; actor: string },
): Promise<{ finding: ProofFinding; changed: boolean }> {
  const { finding, derived } = await proveVault(ctx, row);
  const admission = await readAdmission(ctx, { row, finding, derived });
  const decided = decideAfterProof(row, { finding, admission, now: ctx.now() });
  // Addresses of a vault whose proof failed are kept as they were: they are shown, but receive no deposit.
  const change = { ...decided, derived: finding.kind === "passed" ? derived : null };
  const reason = finding.kind === "unread" ? finding.reason : finding.proof.reason;
  const note = makeAuditNote(ctx, { action: "vault.prove", actor, note: reason });
  const vaultId = formatVaultId(row);
  const stored = await recordProof(ctx.db, { row, vaultId, change, note });
  ctx.log.info("vault_proof", {
    vault: vaultId,
    finding: finding.kind,
    status: change.status,
    reason,
    stored,
  });
  return { finding, changed: stored && change.status !== row.status };
}

/**
 * Proves one vault now, whatever its schedule, and returns its registry entry. Throws `vault_not_found`,
 * `store_unavailable`, and `upstream_unavailable` if the chain could not be read.
 */
export async function proveVaultNow(ctx: Context, key: VaultKey): Promise<VaultRecord> {
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${formatVaultId(key)}`);
  const { finding } = await proveAndRecord(ctx, { row, actor: "admin" });
  await renewRegistry(ctx);
  if (finding.kind === "unread") throw failure("upstream_unavailable", "the vault's chain could not be read");
  return toVaultRecord((await selectVault(ctx.db, key)) ?? row);
}
