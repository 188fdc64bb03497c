import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { and, asc, desc, eq } from "drizzle-orm";
import { createDatabase, type Database, lazyDrizzle } from "../../src/db/database-client.ts";
import { updateVaultStatus } from "../../src/db/queries/vault-queries.ts";
import { audit } from "../../src/db/tables/partner-tables.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { formatVaultId } from "../../src/lib/vault-id.ts";
import { toDerivedColumns } from "../../src/registry/derive-registry-vault.ts";
import { findFamily } from "../../src/vaults/families/vault-families.ts";
import type { StoredVault } from "../../src/vaults/vault.ts";
import type { DerivedVault } from "../../src/vaults/vault-deriver.ts";
import type { DatabaseTarget } from "../db/connect.ts";
import { readSeedFile, seedFile } from "../db/seed.ts";
import { SeedRow } from "../db/seed-row.ts";
import type { ReportedRow } from "./report-table.ts";

/** A vault to prove, as derived from its chain. */
export interface Submission {
  row: StoredVault;
  adapter: string;
  vault: DerivedVault;
}

/** A source of registry rows, to which vaults can be submitted for their proof. */
export interface RowStore {
  name: string;
  /** Returns the rows of a chain, or of all chains for null. */
  rows(chainId: number | null): Promise<ReportedRow[]>;
  /**
   * Makes a vault a candidate whose proof is due at once. Returns false if the row has changed in the meantime or an
   * administrator has disabled the vault.
   */
  submit(submission: Submission): Promise<boolean>;
}

const columnsOf = ({ row, adapter, vault }: Submission) => ({
  ...toDerivedColumns(vault),
  adapter,
  type: findFamily(adapter)?.type ?? row.type,
});

/**
 * Opens a seed file, by default the repository's. A submission edits the file, which is then reviewed and committed, and
 * never returns false.
 */
export function fileStore(file = seedFile): RowStore {
  return {
    name: file,
    rows: async (chainId) => readSeedFile(file).filter((row) => chainId === null || row.chainId === chainId),
    async submit(submission) {
      const { row } = submission;
      const rows = readSeedFile(file).map((one) =>
        formatVaultId(one) === formatVaultId(row)
          ? SeedRow.parse({ ...one, ...columnsOf(submission), status: "candidate", statusReason: "" })
          : one,
      );
      writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
      return true;
    },
  };
}

/** Opens a deployment's database. A submission is audited like an administrator's change. */
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
    async submit(submission) {
      const { chainId, address } = submission.row;
      const vaultId = formatVaultId(submission.row);
      if (await wasTakenOut(db, vaultId)) return false;
      return updateVaultStatus(db, {
        ...{
          chainId,
          address,
          vaultId,
          from: submission.row.status,
          to: "candidate",
          reason: "",
          by: "proof",
        },
        derived: columnsOf(submission),
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
