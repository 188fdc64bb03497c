/**
 * Runs the tests of migrations and the end-to-end tests on a real Postgres. The embedded PGlite has a single session,
 * so concurrent writers and migrators can be tested only here.
 *
 *   node scripts/stress/postgres.ts
 *   node scripts/stress/postgres.ts --only races        the end-to-end tests of races only
 *   node scripts/stress/postgres.ts --only migrations   no end-to-end test
 */
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Runs the tests of migrations, and the end-to-end tests, on a real Postgres.

  node scripts/stress/postgres.ts [--only <file>]

  --only  only end-to-end tests whose file name contains this; migrations: none of them
  --help  show this text`,
  options: { only: { type: "string" } },
});
const migrations = (databaseUrl: string): Promise<number> =>
  runVitest(["--project", "integration", "test/stack/database"], { TEST_DATABASE_URL: databaseUrl });

const endToEnd = (databaseUrl: string): Promise<number> =>
  runVitest(["--project", "e2e", ...(options.only === undefined ? [] : [options.only])], {
    DATABASE_URL: databaseUrl,
  });

let code = await withRealPostgres(migrations);
if (code === 0 && options.only !== "migrations") code = await withRealPostgres(endToEnd);
process.exit(code);
