/**
 * Races partners' requests from several isolates on a real Postgres, where statements run concurrently (PGlite has a
 * single session). Runs the integration test of the same name with more rounds.
 *
 *   node scripts/stress/partner-races.ts
 *   node scripts/stress/partner-races.ts --rounds 200
 */
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Races partners' requests on a real Postgres, over several isolates.

  node scripts/stress/partner-races.ts [--rounds 40]

  --rounds  number of rounds
  --help    show this text`,
  options: { rounds: { type: "string", default: "40" } },
});
const args = ["--project", "integration", "test/partners/races"];
process.exit(
  await withRealPostgres((databaseUrl) =>
    runVitest(args, { TEST_DATABASE_URL: databaseUrl, PARTNER_RACE_ROUNDS: options.rounds }),
  ),
);
