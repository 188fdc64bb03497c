import { and, asc, eq, getTableColumns, gt, inArray, or, sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";
import { signals } from "../tables/signal-tables.ts";
import { vaultFigures } from "../tables/snapshot-tables.ts";
import { type StatusOrigin, type VaultStatus, vaults } from "../tables/vault-tables.ts";
import { type AuditNote, auditInsert } from "./audit-queries.ts";

/** A row of the table `vaults`, the registry. */
export type VaultRow = typeof vaults.$inferSelect;

/** SQL condition of the vaults that are active or paused, or were active before. Users may hold shares of them. */
export const isKnownToUsers = or(inArray(vaults.status, ["active", "paused"]), vaults.wasActive);

/**
 * Selects all vaults that are active or paused, or were active before, sorted by chain and address. Throws
 * `store_unavailable`.
 */
export function selectVaults(db: Database): Promise<VaultRow[]> {
  return db.run((sql) =>
    sql.select().from(vaults).where(isKnownToUsers).orderBy(asc(vaults.chainId), asc(vaults.address)),
  );
}

/**
 * A vault that is active or paused, or was active before, with the values that lists show and the numbers of its recent
 * incidents.
 */
export type ListedVaultRow = Omit<VaultRow, "claim" | "provenance" | "namedBy"> & {
  /** Values as last stored with a snapshot, or null if none are stored. */
  figures: typeof vaultFigures.$inferSelect | null;
  /**
   * Number of incidents of tier `high` that were seen within the last day; `mediumSignals` is that of tier `medium`.
   */
  highSignals: number;
  mediumSignals: number;
};

/**
 * Selects all vaults that are active or paused, or were active before, sorted by chain and address, with what lists
 * show of them. Incidents count if they were last seen within a day. Throws `store_unavailable`.
 */
export async function selectListedVaults(db: Database, now: Date): Promise<ListedVaultRow[]> {
  const { claim, provenance, namedBy, ...columns } = getTableColumns(vaults);
  const dayAgo = raw`${now.toISOString()}::timestamptz - interval '1 day'`;
  return db.run((sql) => {
    const seen = sql
      .select({
        chainId: signals.chainId,
        vaultAddress: signals.vaultAddress,
        high: raw<number>`(count(*) filter (where ${signals.tier} = 'high'))::int4`.as("high"),
        medium: raw<number>`(count(*) filter (where ${signals.tier} = 'medium'))::int4`.as("medium"),
      })
      .from(signals)
      .where(raw`${signals.lastSeen} > ${dayAgo}`)
      .groupBy(signals.chainId, signals.vaultAddress)
      .as("seen");
    const isOwn = (of: typeof vaultFigures | typeof seen) =>
      and(eq(of.chainId, vaults.chainId), eq(of.vaultAddress, vaults.address));
    return sql
      .select({
        ...columns,
        figures: vaultFigures,
        highSignals: raw<number>`coalesce(${seen.high}, 0)`,
        mediumSignals: raw<number>`coalesce(${seen.medium}, 0)`,
      })
      .from(vaults)
      .leftJoin(vaultFigures, isOwn(vaultFigures))
      .leftJoin(seen, isOwn(seen))
      .where(isKnownToUsers)
      .orderBy(asc(vaults.chainId), asc(vaults.address));
  });
}

/**
 * Selects a vault of any status, or returns null if it is not in the registry. The address may be in any case. Throws
 * `store_unavailable`.
 */
export async function selectVault(
  db: Database,
  key: { chainId: number; address: string },
): Promise<VaultRow | null> {
  const rows = await db.run((sql) =>
    sql
      .select()
      .from(vaults)
      .where(and(eq(vaults.chainId, key.chainId), eq(vaults.address, key.address.toLowerCase())))
      .limit(1),
  );
  return rows[0] ?? null;
}

/**
 * Selects a vault that is active or paused, or was active before; null if there is none. The address may be in any
 * case. Throws `store_unavailable`.
 */
export async function selectKnownVault(
  db: Database,
  key: { chainId: number; address: string },
): Promise<VaultRow | null> {
  const row = await selectVault(db, key);
  const known = row !== null && (row.status === "active" || row.status === "paused" || row.wasActive);
  return known ? row : null;
}

/** A row to insert into the table `vaults`, the registry. */
export type NewVault = typeof vaults.$inferInsert;
/** The columns of a vault that are derived from on-chain data. */
export type DerivedColumns = Pick<
  NewVault,
  | "assetAddress"
  | "assetSymbol"
  | "assetDecimals"
  | "shareToken"
  | "shareDecimals"
  | "entryPoint"
  | "spender"
  | "pricer"
  | "acceptedAssets"
  | "caller"
  | "params"
>;

/**
 * SQL value of `was_active` after a change to `status`: true if the vault is `active` before or after it, or the column
 * was true.
 */
export const wasActiveAfter = (status: VaultStatus) =>
  status === "active" ? raw`true` : raw`${vaults.wasActive} or ${vaults.status} = 'active'`;

/**
 * Selects one page of the registry, sorted by chain and address: the vaults of one status, or all if it is null.
 * `after` is the last vault of the previous page, or null for the first page. Throws `store_unavailable`.
 */
export function selectAllVaults(
  db: Database,
  page: { limit: number; after: { chainId: number; address: string } | null; status: VaultStatus | null },
): Promise<VaultRow[]> {
  const { after, status } = page;
  const later =
    after === null
      ? undefined
      : or(
          gt(vaults.chainId, after.chainId),
          and(eq(vaults.chainId, after.chainId), gt(vaults.address, after.address.toLowerCase())),
        );
  return db.run((sql) =>
    sql
      .select()
      .from(vaults)
      .where(and(later, status === null ? undefined : eq(vaults.status, status)))
      .orderBy(asc(vaults.chainId), asc(vaults.address))
      .limit(page.limit),
  );
}

/**
 * Inserts a vault with the status `candidate`, and the audit row. Returns false if the vault is already in the
 * registry. Throws `store_unavailable`.
 */
export async function insertVault(
  db: Database,
  added: { vault: NewVault; vaultId: string; note: AuditNote },
): Promise<boolean> {
  const { vault, vaultId, note } = added;
  return db.run(async (sql) => {
    const inserted = sql.$with("inserted").as(
      sql
        .insert(vaults)
        .values({ ...vault, status: "candidate" })
        .onConflictDoNothing()
        .returning({ address: vaults.address }),
    );
    const noted = auditInsert(note, {
      subject: raw`${vaultId}::text`,
      before: raw`null::jsonb`,
      after: raw`jsonb_build_object('status', 'candidate', 'adapter', ${vault.adapter}::text)`,
      from: raw`inserted`,
    });
    const rows = await sql
      .with(inserted, sql.$with("noted", {}).as(raw`${noted}`))
      .select()
      .from(inserted);
    return rows.length === 1;
  });
}

/** Values of the columns that count proofs, for a vault that none refused or found illiquid. */
const UNCOUNTED = {
  proofRefusals: 0,
  proof: raw`${vaults.proof} - 'refusedAt' - 'illiquid' - 'illiquidSince' - 'countedAt' - 'openedBy'`,
} as const;

/**
 * Updates a vault's status and the columns in `claimed` and `derived`, makes its proof due now and writes the audit
 * row. A change to another status also resets the counts of proofs that refused the vault or found it illiquid. Changes
 * nothing and returns false if its status is not `from`. Throws `store_unavailable`.
 */
export async function updateVaultStatus(
  db: Database,
  change: {
    chainId: number;
    address: string;
    vaultId: string;
    from: VaultStatus;
    to: VaultStatus;
    reason: string;
    derived: (DerivedColumns & Partial<Pick<NewVault, "adapter" | "type">>) | null;
    /** Additional columns that an administrator changes. */
    claimed?: Partial<Pick<NewVault, "claim" | "name" | "curator" | "params">>;
    /** Texts that an administrator decides, which a later seed keeps because the audit row has them. */
    texts?: { name?: string | undefined; curator?: string | undefined };
    /** Who decides the status now, or null if the change leaves that as it is stored. */
    by: StatusOrigin | null;
    note: AuditNote;
  },
): Promise<boolean> {
  const { from, to, reason, note, texts = {} } = change;
  return db.run(async (sql) => {
    const changed = sql.$with("changed").as(
      sql
        .update(vaults)
        .set({
          ...change.claimed,
          ...change.derived,
          status: to,
          ...(change.by === null ? {} : { statusBy: change.by }),
          proofDueAt: raw`now()`,
          statusReason: reason,
          wasActive: wasActiveAfter(to),
          ...(from === to ? {} : UNCOUNTED),
          updatedAt: raw`now()`,
        })
        .where(
          and(
            eq(vaults.chainId, change.chainId),
            eq(vaults.address, change.address.toLowerCase()),
            eq(vaults.status, from),
          ),
        )
        .returning({ address: vaults.address }),
    );
    const noted = auditInsert(note, {
      subject: raw`${change.vaultId}::text`,
      before: raw`jsonb_build_object('status', ${from}::text)`,
      after: raw`jsonb_build_object('status', ${to}::text, 'reason', ${reason}::text) || ${JSON.stringify(texts)}::jsonb`,
      from: raw`changed`,
    });
    const rows = await sql
      .with(changed, sql.$with("noted", {}).as(raw`${noted}`))
      .select()
      .from(changed);
    return rows.length === 1;
  });
}
