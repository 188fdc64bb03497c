/**
 * The tests of migrations, and the end-to-end tests, each on a real Postgres: the embedded PGlite is one session, so
 * only here do two writers, or two migrators, ever meet.
 *
 *   node scripts/stress/postgres.ts
 *   node scripts/stress/postgres.ts --only races        of the end-to-end tests, those
 *   node scripts/stress/postgres.ts --only migrations   no end-to-end test
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";

const { values: options } = readArguments({
  help: `Runs the tests of migrations, and the end-to-end tests, on a real Postgres.

  node scripts/stress/postgres.ts [--only <file>]

  --only  the end-to-end tests whose file's name holds this; migrations: none of them
  --help  show this text`,
  options: { only: { type: "string" } },
});
const root = join(import.meta.dirname, "../..");

/** Runs some test files; the exit code. */
async function vitest(args: readonly string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env, NO_COLOR: "1" },
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

const migrations = (databaseUrl: string): Promise<number> =>
  vitest(["--project", "integration", "test/stack/database"], { TEST_DATABASE_URL: databaseUrl });

const endToEnd = (databaseUrl: string): Promise<number> =>
  vitest(["--project", "e2e", ...(options.only === undefined ? [] : [options.only])], {
    DATABASE_URL: databaseUrl,
  });

let code = await withRealPostgres(migrations);
if (code === 0 && options.only !== "migrations") code = await withRealPostgres(endToEnd);
process.exit(code);
