import { and, asc, eq, ne } from "drizzle-orm";
import type { Database } from "../client.ts";
import { vaults } from "../schema.ts";

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
