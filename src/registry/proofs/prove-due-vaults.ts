import * as z from "zod";
import { readBlock } from "../../chains/read-block.ts";
import type { Context } from "../../context.ts";
import { makeAuditNote } from "../../db/queries/audit-queries.ts";
import { selectFailingChains } from "../../db/queries/flow-queries.ts";
import { countDueProofs, leaseDueProofs, recordProof } from "../../db/queries/vault-proof-queries.ts";
import { selectVault, type VaultRow } from "../../db/queries/vault-queries.ts";
import { failure } from "../../errors.ts";
import { mapConcurrently } from "../../lib/concurrency.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { formatVaultId, type VaultKey } from "../../lib/vault-id.ts";
import type { VaultRecord } from "../../schemas/admin/admin-vault-schema.ts";
import { renewRegistry } from "../../vaults/find-vault.ts";
import { readAdmission } from "../registry-admission-facts.ts";
import { toVaultRecord } from "../registry-vault-records.ts";
import { decideAfterProof, type ProofFinding } from "./decide-vault-proof.ts";
import { proveVault } from "./prove-registry-vault.ts";

/** Number of vaults of one chain that a run leases at a time. */
const BATCH_SIZE = 4;
/** Time after which a run starts no further batch, in milliseconds. */
const RUN_MS = 40 * SECOND_MS;
/** Maximum number of vaults that one run proves on one chain. */
const MAX_VAULTS = 60;
/**
 * Number of requests after which a run starts no further batch. A proof makes up to sixty-five, so a run on one chain
 * stays within the platform's limit of subrequests (wrangler.toml).
 */
const MAX_REQUESTS = 700;
/**
 * Number of `unread` proofs after which a run stops on a chain that answers. A vault whose views make nodes time out must
 * not keep others from their proofs; a chain whose nodes cannot simulate leaves all of them `unread`.
 */
const MAX_UNREAD = 3;
/** Lease on vaults that a run proves, in milliseconds; after it, the vaults of a killed run are due again. */
const LEASE_MS = 30 * SECOND_MS;

/** Schema of the queue message that requests the due vault proofs of one chain. */
export const ProofMessage = z.object({ kind: z.literal("proofs"), chain_id: z.int().positive() });
/** Queue message that requests the due vault proofs of one chain. */
export type ProofMessage = z.infer<typeof ProofMessage>;

/**
 * Counts from one run: proven vaults by finding, vaults whose status changed, and chains for which a queue message was
 * sent.
 */
export type ProofRoundReport = Record<ProofFinding["kind"] | "changed" | "queued", number>;

/** A round of proofs: when it ends, what it reports, and the ids of the vaults whose status it changed. */
interface ProofRound {
  endsAt: number;
  report: ProofRoundReport;
  changed: string[];
}

const noProofs = (): ProofRoundReport => ({
  ...{ passed: 0, refused: 0, closed: 0, unread: 0, changed: 0, queued: 0 },
});

/**
 * Runs the due proofs of vaults within the limits of a run, or queues a message per chain if a queue is configured.
 * Skips chains that are not served and, without a queue, those of `selectFailingChains` whose nodes do not answer. Throws
 * `store_unavailable` and errors of the queue.
 */
export async function proveDueVaults(ctx: Context): Promise<ProofRoundReport> {
  const report = noProofs();
  const due = await countDueProofs(ctx.db, new Date(ctx.now()));
  if (due.length === 0) return report;
  const chains = due.filter(({ chainId }) => ctx.chains.definitions.has(chainId));
  const queue = ctx.config.followingQueue;
  if (queue !== null) {
    const messages = chains.map(({ chainId }) => ({
      body: { kind: "proofs", chain_id: chainId } satisfies ProofMessage,
    }));
    if (messages.length > 0) await queue.sendBatch(messages);
    return { ...report, queued: messages.length };
  }
  const round: ProofRound = { endsAt: ctx.now() + RUN_MS, report, changed: [] };
  const failing = await selectFailingChains(ctx.db);
  await mapConcurrently(chains, {
    doubtful: ({ chainId }) => failing.has(chainId),
    work: async ({ chainId }) => {
      // Nodes that refuse the logs of flows may still simulate. A proof at dead ones would hold several connections.
      if (!failing.has(chainId) || (await answers(ctx, chainId))) await proveChain(ctx, { chainId, round });
    },
  });
  if (round.changed.length > 0) await renewRegistry(ctx, round.changed);
  return report;
}

/**
 * Handles a queue message: runs the due proofs of one chain's vaults, until a limit is reached or the chain does not answer.
 * Reports zeros while another run holds the chain's lock. Throws `store_unavailable`.
 */
export async function proveFromMessage(ctx: Context, message: ProofMessage): Promise<ProofRoundReport> {
  const { chain_id: chainId } = message;
  const round: ProofRound = { endsAt: ctx.now() + RUN_MS, report: noProofs(), changed: [] };
  await ctx.withLock({ key: `proofs:${chainId}`, work: () => proveChain(ctx, { chainId, round }) });
  if (round.changed.length > 0) await renewRegistry(ctx, round.changed);
  return round.report;
}

/**
 * Proves the due vaults of one chain sequentially, to respect public nodes' limits, until none is due, the chain does
 * not answer, `MAX_UNREAD` proofs were `unread`, or the run's budget is used up. The rest is left to the next run.
 */
async function proveChain(
  ctx: Context,
  { chainId, round }: { chainId: number; round: ProofRound },
): Promise<void> {
  const hasRoom = (): boolean => ctx.now() < round.endsAt && ctx.timing.requests() < MAX_REQUESTS;
  let unread = 0;
  const goesOn = async (): Promise<boolean> => {
    unread += 1;
    return unread < MAX_UNREAD && hasRoom() && (await answers(ctx, chainId));
  };
  for (let proven = 0; proven < MAX_VAULTS && hasRoom(); proven += BATCH_SIZE) {
    const rows = await lease(ctx, chainId);
    if (rows.length === 0 || !(await proveBatch(ctx, { rows, round, goesOn }))) return;
  }
}

/** Returns true if a node of the chain returns its head. A node that hangs holds one connection. */
async function answers(ctx: Context, chainId: number): Promise<boolean> {
  const client = ctx.chains.client(chainId);
  if (client === null) return false;
  try {
    await client.onOneNode((node) => readBlock(node, "latest"));
    return true;
  } catch {
    return false;
  }
}

function lease(ctx: Context, chainId: number): Promise<VaultRow[]> {
  const now = ctx.now();
  const leaseUntil = new Date(now + LEASE_MS);
  return leaseDueProofs(ctx.db, { chainId, now: new Date(now), leaseUntil, limit: BATCH_SIZE });
}

/**
 * Proves a batch of one chain's vaults. Returns false if `goesOn` does after an `unread` proof; the vaults after it then
 * wait.
 */
async function proveBatch(
  ctx: Context,
  of: { rows: readonly VaultRow[]; round: ProofRound; goesOn: () => Promise<boolean> },
): Promise<boolean> {
  const { rows, round, goesOn } = of;
  const { report, changed: changedIds } = round;
  for (const row of rows) {
    const { finding, changed } = await proveAndRecord(ctx, { row, actor: "proof" });
    report[finding.kind] += 1;
    if (changed) {
      report.changed += 1;
      changedIds.push(formatVaultId(row));
    }
    if (finding.kind === "unread" && !(await goesOn())) return false;
  }
  return true;
}

/**
 * Proves one registry entry and stores the result, unless the entry was changed since it was read. `changed` is true if
 * the vault's status changed. Throws `store_unavailable`.
 */
async function proveAndRecord(
  ctx: Context,
  { row, actor }: { row: VaultRow; actor: string },
): Promise<{ finding: ProofFinding; changed: boolean }> {
  const { finding, derived } = await proveVault(ctx, row);
  const admission = await readAdmission(ctx, { row, finding, derived });
  const byAdmin = actor === "admin";
  const decided = decideAfterProof(row, { finding, admission, now: ctx.now(), byAdmin });
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
 * Proves one vault now, stores the result unless the entry was changed during the proof, and returns the entry. Throws
 * `vault_not_found`, `store_unavailable`, and `upstream_unavailable` for the finding `unread`.
 */
export async function proveVaultNow(ctx: Context, key: VaultKey): Promise<VaultRecord> {
  const row = await selectVault(ctx.db, key);
  if (row === null) throw failure("vault_not_found", `there is no vault ${formatVaultId(key)}`);
  const { finding } = await proveAndRecord(ctx, { row, actor: "admin" });
  await renewRegistry(ctx, [formatVaultId(key)]);
  if (finding.kind === "unread") throw failure("upstream_unavailable", "the vault's chain could not be read");
  return toVaultRecord((await selectVault(ctx.db, key)) ?? row);
}
