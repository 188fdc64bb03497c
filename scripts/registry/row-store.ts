import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { and, asc, desc, eq } from "drizzle-orm";
import { createDatabase, type Database, lazyDrizzle } from "../../src/db/database-client.ts";
import { updateVaultStatus } from "../../src/db/queries/vault-queries.ts";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { formatVaultId } from "../../src/lib/vault-id.ts";
import { toDerivedColumns } from "../../src/registry/derive-vault.ts";
import { findFamily } from "../../src/vaults/families/vault-families.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";
import type { DerivedVault } from "../../src/vaults/vault-deriver.ts";
import type { DatabaseTarget } from "../db/connect.ts";
import { readSeedFile, seedFile } from "../db/seed.ts";
import { SeedRow } from "../db/seed-row.ts";
import type { ReportedRow } from "./report-table.ts";

/** A vault to activate, as derived from its chain. */
export interface Activation {
  row: StoredVault;
  adapter: string;
  vault: DerivedVault;
}

/** A source of registry rows that can activate vaults. */
export interface RowStore {
  name: string;
  /** Returns the rows of a chain, or of all chains for null. */
  rows(chainId: number | null): Promise<ReportedRow[]>;
  /**
   * Activates a vault; returns false when the row has changed in the meantime or an administrator has disabled it.
   */
  activate(activation: Activation): Promise<boolean>;
}

const columnsOf = ({ row, adapter, vault }: Activation) => ({
  ...toDerivedColumns(vault),
  adapter,
  type: findFamily(adapter)?.type ?? row.type,
});

/**
 * Opens a seed file, by default the repository's. An activation edits the file, which is then reviewed and committed,
 * and never returns false.
 */
export function fileStore(file = seedFile): RowStore {
  return {
    name: file,
    rows: async (chainId) => readSeedFile(file).filter((row) => chainId === null || row.chainId === chainId),
    async activate(activation) {
      const { row } = activation;
      const rows = readSeedFile(file).map((one) =>
        formatVaultId(one) === formatVaultId(row)
          ? SeedRow.parse({ ...one, ...columnsOf(activation), status: "active", statusReason: "" })
          : one,
      );
      writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
      return true;
    },
  };
}

/** Opens a deployment's database. An activation is audited like an administrator's change. */
export function databaseStore(target: DatabaseTarget): RowStore {
  const { databaseUrl, endpoint } = target;
  const open = lazyDrizzle({ databaseUrl, httpUrl: endpoint ?? null, fetch });
  const db = createDatabase(open, new Timing(() => Date.now()));
  return {
    name: "the database",
    rows: (chainId) =>
      db.run((sql) =>
        sql
          .select()
          .from(vaults)
          .where(chainId === null ? undefined : eq(vaults.chainId, chainId))
          .orderBy(asc(vaults.chainId), asc(vaults.address)),
      ),
    async activate(activation) {
      const { chainId, address } = activation.row;
      const vaultId = formatVaultId(activation.row);
      if (await wasTakenOut(db, vaultId)) return false;
      return updateVaultStatus(db, {
        ...{ chainId, address, vaultId, from: activation.row.status, to: "active", reason: "" },
        derived: columnsOf(activation),
        note: {
          id: `aud_${randomUUID()}`,
          at: new Date(),
          actor: "registry:check",
          action: "vault.check",
          note: "verified against its chain",
          requestId: "registry-check",
        },
      });
    },
  };
}

/** Returns true if the last audited change of a vault disabled the vault. */
async function wasTakenOut(db: Database, vaultId: string): Promise<boolean> {
  const [last] = await db.run((sql) =>
    sql
      .select({ after: audit.after })
      .from(audit)
      .where(and(eq(audit.subject, vaultId), eq(audit.action, "vault.change")))
      .orderBy(desc(audit.at), desc(audit.id))
      .limit(1),
  );
  return last?.after?.["status"] === "unsupported";
}
