import { sql as raw } from "drizzle-orm";
import { CHAIN_ID } from "../../../scripts/bench/vault-row.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { FlowRow } from "../../../src/db/queries/flow-queries.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { flowCoverage, flows, flowTips } from "../../../src/db/tables/flow-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { type FlowStore, storeOf } from "../../../src/flows/flow-store.ts";

/** A flow store under test, with functions to inspect its contents and to change the registry that it reads. */
export interface StoreUnderTest {
  store: FlowStore;
  rows(): Promise<FlowRow[]>;
  setVaults(rows: readonly VaultRow[]): Promise<void>;
}

/** Creates the real store on a test database, which is emptied first. */
export async function databaseStore(db: Database): Promise<StoreUnderTest> {
  await db.run((sql) => sql.execute(raw`truncate ${flows}, ${flowTips}, ${flowCoverage}, ${vaults}`));
  return {
    store: storeOf(db, CHAIN_ID),
    rows: () => db.run((sql) => sql.select().from(flows)),
    setVaults: async (rows) => {
      const shown = rows.map((row) => row.address);
      if (rows.length > 0) {
        await db.run((sql) =>
          sql
            .insert(vaults)
            .values([...rows])
            .onConflictDoUpdate({
              target: [vaults.chainId, vaults.address],
              set: { adapter: raw`excluded.adapter`, startBlock: raw`excluded.start_block` },
            }),
        );
      }
      await db.run((sql) =>
        sql.update(vaults).set({
          status: raw`case when ${vaults.address} = any(array(select jsonb_array_elements_text(${JSON.stringify(shown)}::jsonb)))
            then 'active' else 'unsupported' end`,
        }),
      );
    },
  };
}
