import { join } from "node:path";
import type { NeonQueryFunction } from "@neondatabase/serverless";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { runCommand } from "../command.ts";
import { connect, type DatabaseTarget, targetFromEnvironment } from "./connect.ts";

type Sql = NeonQueryFunction<false, false>;

const migrationsFolder = join(import.meta.dirname, "../../drizzle");
/** Key of the advisory lock that serializes migrators; an arbitrary number. */
const LOCK = 7_270_811;

/** Result of a migration run. */
export interface MigrationReport {
  /** Timestamps of the applied migrations (pending ones in a dry run): drizzle's identifier of a migration. */
  applied: readonly number[];
  /** Number of migrations applied before this run. */
  known: number;
}

/**
 * Applies the migrations in `folder` (default `drizzle`) that are not applied yet; with `dryRun`, only returns them.
 * Each file runs in one transaction with its row in drizzle's bookkeeping table, so a failing file changes nothing, but
 * the files before it stay applied (drizzle's own migrator for this driver has no such transaction). Concurrent
 * migrators wait for each other. `CREATE INDEX CONCURRENTLY` is not supported.
 *
 * Throws if the folder cannot be read, a statement fails, or a file was changed after it had been applied.
 */
export async function migrate(
  target: DatabaseTarget & { dryRun?: boolean; folder?: string },
): Promise<MigrationReport> {
  const sql = connect(target);
  const files = readMigrationFiles({ migrationsFolder: target.folder ?? migrationsFolder });
  const before = await readApplied(sql);
  const pending = files.filter((file) => !isApplied(file, before));
  const report = { applied: pending.map((file) => file.folderMillis), known: before.size };
  if (target.dryRun === true || pending.length === 0) return report;
  // Without the lock, two migrators of a new database create the same schema, and one of them fails.
  await sql.transaction([
    sql.query("SELECT pg_advisory_xact_lock($1)", [LOCK]),
    sql.query("CREATE SCHEMA IF NOT EXISTS drizzle"),
    sql.query(
      "CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)",
    ),
  ]);
  for (const file of pending) await apply(sql, file);
  return report;
}

/** Returns the hash of every applied migration by its timestamp; empty for a new database. */
async function readApplied(sql: Sql): Promise<Map<number, string>> {
  const [table] = await sql.query("SELECT to_regclass('drizzle.__drizzle_migrations')::text AS name");
  if (table?.["name"] === null) return new Map();
  const rows = await sql.query("SELECT hash, created_at FROM drizzle.__drizzle_migrations");
  return new Map(rows.map((row) => [Number(row["created_at"]), String(row["hash"])]));
}

function isApplied(file: MigrationMeta, applied: ReadonlyMap<number, string>): boolean {
  const hash = applied.get(file.folderMillis);
  if (hash === undefined) return false;
  if (hash !== file.hash) {
    const written = new Date(file.folderMillis).toISOString();
    throw new Error(`the migration written at ${written} was changed after it had been applied`);
  }
  return true;
}

async function apply(sql: Sql, file: MigrationMeta): Promise<void> {
  const statements = file.sql.filter((statement) => statement.trim() !== "");
  try {
    await sql.transaction([
      sql.query("SELECT pg_advisory_xact_lock($1)", [LOCK]),
      // Fails with a division by zero when another migrator has already applied this file.
      sql.query(
        "SELECT 1 / (1 - least(count(*), 1)) FROM drizzle.__drizzle_migrations WHERE created_at = $1",
        [file.folderMillis],
      ),
      ...statements.map((statement) => sql.query(statement)),
      sql.query("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)", [
        file.hash,
        file.folderMillis,
      ]),
    ]);
  } catch (error) {
    if (!isApplied(file, await readApplied(sql))) throw error;
  }
}

await runCommand(import.meta.filename, {
  help: `Applies the migrations of drizzle/ to the database, each in one transaction.

  node scripts/db/migrate.ts [--dry-run]

  --dry-run  only list the pending migrations
  --help     show this text

Environment: DATABASE_URL, and DATABASE_HTTP_URL when Neon's endpoint differs from the host's.`,
  switches: ["dry-run"],
  run: async (given) => {
    const dryRun = given.has("dry-run");
    const { applied, known } = await migrate({ ...targetFromEnvironment(), dryRun });
    const verb = dryRun ? "to apply" : "applied";
    console.log(`${known} migrations already applied, ${applied.length} ${verb}`);
    for (const written of applied) console.log(`  ${new Date(written).toISOString()}`);
  },
});
