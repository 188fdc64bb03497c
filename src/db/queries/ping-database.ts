import { sql as raw } from "drizzle-orm";
import type { Database } from "../database-client.ts";

/** Checks that the database answers. Throws `store_unavailable`. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.run((sql) => sql.execute(raw`select 1`));
}
