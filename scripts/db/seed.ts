import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { vaults } from "../../src/db/schema.ts";
import { runCommand } from "./command.ts";
import { connect, type DatabaseTarget, targetFromEnvironment } from "./connect.ts";
import { type SeedRow, SeedRows } from "./seed-row.ts";

const seedFile = join(import.meta.dirname, "../../drizzle/seed/vaults.json");
/** Rows of one statement: well below Postgres' 65,535 parameters. */
const CHUNK = 500;

/** The reviewed rows of the repository; none when the file is absent. Throws naming the first bad field. */
export function readSeedFile(file = seedFile): SeedRow[] {
  if (!existsSync(file)) return [];
  const parsed = SeedRows.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${file}: ${issue?.path.join(".")}: ${issue?.message}`);
}

/**
 * Writes registry rows; a row that is there is brought up to date. Its status stays as it is unless
 * `withStatus` is set: what an operator paused must not come back with the next deployment.
 * Returns the number of rows written.
 */
export async function seed(
  target: DatabaseTarget & { rows: readonly SeedRow[]; withStatus?: boolean },
): Promise<number> {
  const db = drizzle({ client: connect(target) });
  const set = updates(target.withStatus === true);
  for (let start = 0; start < target.rows.length; start += CHUNK) {
    await db
      .insert(vaults)
      .values(target.rows.slice(start, start + CHUNK))
      .onConflictDoUpdate({ target: [vaults.chainId, vaults.address], set });
  }
  return target.rows.length;
}

function updates(withStatus: boolean): Record<string, SQL> {
  const kept = new Set([
    "chainId",
    "address",
    "createdAt",
    ...(withStatus ? [] : ["status", "statusReason"]),
  ]);
  const columns = Object.entries(getTableColumns(vaults)).filter(([name]) => !kept.has(name));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
  );
}

await runCommand(import.meta.filename, {
  help: `Writes the registry rows of drizzle/seed/vaults.json into the database.

  node scripts/db/seed.ts [--dry-run] [--with-status]

  --dry-run      only check the file and count its rows
  --with-status  also overwrite the status of rows that are there
  --help         show this text

Environment: DATABASE_URL, and DATABASE_HTTP_URL where Neon's endpoint is not the host's own.`,
  switches: ["dry-run", "with-status"],
  run: async (given) => {
    const rows = readSeedFile();
    const write = () => seed({ ...targetFromEnvironment(), rows, withStatus: given.has("with-status") });
    const count = given.has("dry-run") ? rows.length : await write();
    console.log(`${count} vaults ${given.has("dry-run") ? "to write" : "written"}`);
  },
});
