import { sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";

/** Verifies that the database executes statements. Throws `store_unavailable` if it does not. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.run((sql) => sql.execute(raw`select 1`));
}
