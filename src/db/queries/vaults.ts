import { and, asc, eq, gt, ne, or, sql as raw } from "drizzle-orm";
import type { Database } from "../client.ts";
import { type VaultStatus, vaults } from "../schema/vaults.ts";
import { type AuditNote, auditInsert } from "./audit.ts";

export type VaultRow = typeof vaults.$inferSelect;

/** Every vault that may be shown, in a stable order. */
export function selectVaults(db: Database): Promise<VaultRow[]> {
  return db.run((sql) =>
    sql
      .select()
      .from(vaults)
      .where(ne(vaults.status, "unsupported"))
      .orderBy(asc(vaults.chainId), asc(vaults.address)),
  );
}

/** One vault's row, whatever its status. */
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

export type NewVault = typeof vaults.$inferInsert;
/** What derivation from the chain says of a vault. */
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

/** Every row of the registry in the order of chain and address; `backoff` is the last one of the page before. */
export function selectAllVaults(
  db: Database,
  page: { limit: number; after: { chainId: number; address: string } | null },
): Promise<VaultRow[]> {
  const { after } = page;
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
      .where(later)
      .orderBy(asc(vaults.chainId), asc(vaults.address))
      .limit(page.limit),
  );
}

/** Adds a row, `unsupported`, with its audit row; false when the vault is in the registry already. */
export async function insertVault(
  db: Database,
  added: { vault: NewVault; vaultId: string; note: AuditNote },
): Promise<boolean> {
  const { vault, vaultId, note } = added;
  return db.run(async (sql) => {
    const inserted = sql.$with("inserted").as(
      sql
        .insert(vaults)
        .values({ ...vault, status: "unsupported" })
        .onConflictDoNothing()
        .returning({ address: vaults.address }),
    );
    const noted = auditInsert(note, {
      subject: raw`${vaultId}::text`,
      before: raw`null::jsonb`,
      after: raw`jsonb_build_object('status', 'unsupported', 'adapter', ${vault.adapter}::text)`,
      from: raw`inserted`,
    });
    const rows = await sql
      .with(inserted, sql.$with("noted", {}).as(raw`${noted}`))
      .select()
      .from(inserted);
    return rows.length === 1;
  });
}

/**
 * Changes a vault's status, and its addresses where they were derived anew, with its audit row, in one
 * statement; false when the vault is not in the status that the change was decided from.
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
    note: AuditNote;
  },
): Promise<boolean> {
  const { from, to, reason, note } = change;
  return db.run(async (sql) => {
    const changed = sql.$with("changed").as(
      sql
        .update(vaults)
        .set({ ...change.derived, status: to, statusReason: reason, updatedAt: raw`now()` })
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
      after: raw`jsonb_build_object('status', ${to}::text, 'reason', ${reason}::text)`,
      from: raw`changed`,
    });
    const rows = await sql
      .with(changed, sql.$with("noted", {}).as(raw`${noted}`))
      .select()
      .from(changed);
    return rows.length === 1;
  });
}
