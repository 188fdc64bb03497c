import { join } from "node:path";
import { sql as raw } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { withRealPostgres } from "../../../scripts/db/real-postgres.ts";
import { neonEmulator } from "../../../scripts/stack/emulators/neon/endpoint.ts";
import { openPostgres } from "../../../scripts/stack/emulators/neon/postgres.ts";
import { createDatabase, type Database } from "../../../src/db/database-client.ts";
import { openDrizzle } from "../../../src/db/open-drizzle.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * Calls `work` with a migrated database on a real server, as the program reaches it. PGlite has one session, in which no
 * two writers can meet.
 */
export async function onRealPostgres(work: (db: Database) => Promise<void>): Promise<void> {
  await withRealPostgres(async (url) => {
    const backend = await openPostgres(url);
    try {
      const files = readMigrationFiles({ migrationsFolder: join(root, "drizzle") });
      for (const statement of files.flatMap(({ sql }) => sql))
        if (statement.trim() !== "") await backend.session((run) => run({ query: statement, params: [] }));
      const credentials = { user: "causeway", password: "causeway", database: "causeway" };
      const emulator = neonEmulator(Promise.resolve(backend), credentials);
      const drizzle = openDrizzle({
        databaseUrl: "postgresql://causeway:causeway@db.invalid/causeway",
        httpUrl: "http://db.invalid/sql",
        fetch: async (_url, init) => {
          const headers = Object.fromEntries(new Headers(init?.headers));
          const body = Buffer.from(String(init?.body ?? ""));
          const answer = await emulator.handle({ method: "POST", path: "/sql", headers, body });
          return new Response(answer.body, { status: answer.status });
        },
      });
      const db = createDatabase(async () => drizzle, new Timing(Date.now));
      await db.run((sql) => sql.execute(raw`select 1`));
      await work(db);
    } finally {
      await backend.close();
    }
  });
}
