import { and, asc, count, desc, eq, inArray, lte, min, ne, sql as raw, type SQL } from "drizzle-orm";
import { HOUR_MS, MINUTE_MS } from "../../lib/durations.ts";
import type { Database } from "../database-client.ts";
import { snapshots } from "../tables/snapshot-tables.ts";
import { type StatusOrigin, type VaultProof, type VaultStatus, vaults } from "../tables/vault-tables.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";
import { type NewSnapshot, snapshotSteps } from "./snapshot-queries.ts";
import { type DerivedColumns, type NewVault, type VaultRow, wasActiveAfter } from "./vault-queries.ts";

/** SQL condition of the registry entries that are proven regularly: all except those that an administrator excluded. */
const proven = ne(vaults.status, "unsupported");

/** SQL condition of the registry entries that people have reviewed: those of the seed and those that an operator added. */
const reviewed = raw`${vaults.provenance} ->> 'source' in ('seed', 'operator')`;

/** Number of a chain's vaults with a due proof, and the earliest time at which one became due. */
export interface DueProofs {
  chainId: number;
  due: number;
  oldest: Date;
}

/**
 * Counts the vaults with a due proof by chain, sorted by chain id. Excluded vaults (`unsupported`) do not count; chains
 * without a due proof are absent. Throws `store_unavailable`.
 */
export async function countDueProofs(db: Database, now: Date): Promise<DueProofs[]> {
  const rows = await db.run((sql) =>
    sql
      .select({ chainId: vaults.chainId, due: count(), oldest: min(vaults.proofDueAt) })
      .from(vaults)
      .where(and(proven, lte(vaults.proofDueAt, now)))
      .groupBy(vaults.chainId)
      .orderBy(asc(vaults.chainId)),
  );
  return rows.map(({ oldest, ...row }) => ({ ...row, oldest: oldest ?? now }));
}

/**
 * Leases at most `limit` vaults of a chain with a due proof, open and paused ones first, then those of the seed or an
 * operator, then those due longest, and returns them in no particular order; excluded ones are never due. Throws
 * `store_unavailable`.
 */
export function leaseDueProofs(
  db: Database,
  lease: { chainId: number; now: Date; leaseUntil: Date; limit: number },
): Promise<VaultRow[]> {
  const shown = inArray(vaults.status, ["active", "paused"]);
  return db.run((sql) => {
    // As a subquery of the condition it could be run for each row, each time with further vaults.
    const due = sql.$with("due").as(
      sql
        .select({ address: vaults.address })
        .from(vaults)
        .where(and(eq(vaults.chainId, lease.chainId), proven, lte(vaults.proofDueAt, lease.now)))
        .orderBy(desc(shown), desc(reviewed), asc(vaults.proofDueAt), asc(vaults.address))
        .limit(lease.limit)
        .for("update", { skipLocked: true }),
    );
    const chosen = sql.select({ address: due.address }).from(due);
    return sql
      .with(due)
      .update(vaults)
      .set({ proofDueAt: lease.leaseUntil })
      .where(and(eq(vaults.chainId, lease.chainId), inArray(vaults.address, chosen)))
      .returning();
  });
}

/**
 * The columns of a vault that a proof changes. `statusReason` may be empty; `proofDueAt` is the time of the next proof.
 */
export interface ProofChange {
  status: VaultStatus;
  statusBy: StatusOrigin;
  statusReason: string;
  /** Result of the proof; null keeps the stored one, because this attempt was inconclusive. */
  proof: VaultProof | null;
  proofDueAt: Date;
  /** Number of consecutive proofs that count as refusals, as in the table, up to and including this attempt. */
  proofRefusals: number;
  /** Columns that were read from on-chain data, or null to keep the stored ones. */
  derived: (DerivedColumns & Pick<NewVault, "adapter" | "type"> & { name?: string }) | null;
}

/**
 * Stores the result of a proof, with an audit row if the vault's status changes. Changes nothing and returns false if
 * status, its origin, adapter or due time are no longer those of `row`. Throws `store_unavailable`.
 */
export function recordProof(
  db: Database,
  of: { row: VaultRow; vaultId: string; change: ProofChange; note: AuditNote },
): Promise<boolean> {
  const { row, change } = of;
  const { derived, proof, ...columns } = change;
  return db.run(async (sql) => {
    const changed = sql.$with("changed").as(
      sql
        .update(vaults)
        .set({
          ...columns,
          ...derived,
          ...(proof === null ? {} : { proof }),
          wasActive: wasActiveAfter(change.status),
          updatedAt: raw`now()`,
        })
        .where(isUnchanged(row))
        .returning({ address: vaults.address }),
    );
    const noted = auditInsert(of.note, {
      subject: raw`${of.vaultId}::text`,
      before: raw`jsonb_build_object('status', ${row.status}::text)`,
      after: raw`jsonb_build_object('status', ${change.status}::text, 'reason', ${change.statusReason}::text)`,
      from: raw`changed where ${row.status}::text <> ${change.status}::text`,
    });
    const rows = await sql
      .with(changed, sql.$with("noted", {}).as(raw`${noted}`))
      .select()
      .from(changed);
    return rows.length === 1;
  });
}

function isUnchanged(row: VaultRow): SQL | undefined {
  return and(
    eq(vaults.chainId, row.chainId),
    eq(vaults.address, row.address),
    eq(vaults.status, row.status),
    eq(vaults.statusBy, row.statusBy),
    eq(vaults.adapter, row.adapter),
    eq(vaults.proofDueAt, row.proofDueAt),
  );
}

/**
 * Selects the identifiers of the code (see `readVaultCode`) that proofs recorded of a chain's open vaults of one family
 * that were reviewed, which means added by the seed or an operator. Throws `store_unavailable`.
 */
export async function selectReviewedCode(
  db: Database,
  of: { chainId: number; adapter: string },
): Promise<Set<string>> {
  const code = raw<string | null>`${vaults.proof} ->> 'code'`;
  const rows = await db.run((sql) =>
    sql
      .selectDistinct({ code })
      .from(vaults)
      .where(
        and(
          eq(vaults.chainId, of.chainId),
          eq(vaults.adapter, of.adapter),
          eq(vaults.status, "active"),
          reviewed,
        ),
      ),
  );
  return new Set(rows.flatMap((row) => row.code ?? []));
}

/**
 * Makes the proofs of a chain's vaults (lowercase addresses) due at a time, unless they are due earlier. Throws
 * `store_unavailable`.
 */
export async function scheduleProofs(
  db: Database,
  of: { chainId: number; addresses: readonly string[]; at: Date },
): Promise<void> {
  if (of.addresses.length === 0) return;
  const own = and(eq(vaults.chainId, of.chainId), inArray(vaults.address, [...of.addresses]));
  await db.run((sql) =>
    sql
      .update(vaults)
      .set({ proofDueAt: raw`least(${vaults.proofDueAt}, ${of.at.toISOString()}::timestamptz)` })
      .where(own),
  );
}

/** How a vault's new snapshot differs from earlier ones where its proof becomes due: see `scheduleBrokenProofs`. */
const BROKEN = {
  /** Part of the highest share price, below which a lower one counts. */
  priceLeft: 0.97,
  /** Age of the earlier snapshots, longer than `provenMs`, so that no change is missed after a proof. */
  earlierMs: 70 * MINUTE_MS,
  /** Minimum age of the last proof. */
  provenMs: HOUR_MS,
  /** Time within which proofs that are due anyway, or run, are left alone. */
  soonMs: 5 * MINUTE_MS,
} as const;

/**
 * Makes the proofs of active vaults due at `at`, the time of these snapshots, if what snapshots of the last 70 minutes
 * had is gone: the total assets, the share price or 3% of it, or room for deposits. Vaults that were proven within the
 * last hour, or are due within five minutes, are left out. Throws `store_unavailable`.
 */
export async function scheduleBrokenProofs(
  db: Database,
  of: { at: Date; readings: readonly NewSnapshot[] },
): Promise<void> {
  const at = raw`${of.at.toISOString()}::timestamptz`;
  const before = (ms: number) => raw`${new Date(of.at.getTime() - ms).toISOString()}::timestamptz`;
  await db.run((sql) =>
    sql.execute(raw`update ${vaults} set proof_due_at = ${at}
      from jsonb_to_recordset(${JSON.stringify(of.readings)}::jsonb) as given("chainId" int4, "vaultAddress" text,
        "totalAssets" numeric, "sharePrice" numeric, "maxDeposit" numeric),
        lateral (select max(total_assets) as assets, max(share_price) as price, max(max_deposit) as room
          from ${snapshots} where chain_id = given."chainId" and vault_address = given."vaultAddress"
            and step = ${snapshotSteps.fine}::int4 and at > ${before(BROKEN.earlierMs)}) as earlier
      where ${vaults.chainId} = given."chainId" and ${vaults.address} = given."vaultAddress"
        and ${vaults.status} = 'active' and ${vaults.proofDueAt} > ${before(-BROKEN.soonMs)}
        and coalesce((${vaults.proof} ->> 'at')::timestamptz < ${before(BROKEN.provenMs)}, false)
        and (given."totalAssets" is null and earlier.assets is not null
          or given."sharePrice" is null and earlier.price is not null
          or given."sharePrice" < earlier.price * ${BROKEN.priceLeft}::numeric
          or given."maxDeposit" = 0 and earlier.room > 0)`),
  );
}
