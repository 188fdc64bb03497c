/**
 * Tests the flows index at length: random schedules in memory and over the database, 200,000 events on a real
 * Postgres, and positions from random histories.
 *
 *   node scripts/stress/flows.ts
 *   node scripts/stress/flows.ts --schedules 10000 --database 300 --events 200000 --histories 2000 --seed 1
 */
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Tests the flows index at length: in memory, over the database, and with many events on a real Postgres.

  node scripts/stress/flows.ts [--schedules 10000] [--database 300] [--events 200000] [--histories 2000] [--seed 1]

  --schedules  random schedules in memory
  --database   random schedules over the database
  --events     events on a real Postgres
  --histories  random histories of a user and a vault
  --seed       seed of the random inputs
  --help       show this text`,
  options: {
    schedules: { type: "string", default: "10000" },
    database: { type: "string", default: "300" },
    events: { type: "string", default: "200000" },
    histories: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
  },
});
const files = [
  "test/flows/reorg.schedules",
  "test/flows/index-flows.scale",
  "test/positions/stored-flows.recount",
];
process.exit(
  await withRealPostgres((databaseUrl) =>
    runVitest(files, {
      FLOW_SCHEDULES: options.schedules,
      FLOW_DATABASE_SCHEDULES: options.database,
      FLOW_EVENTS: options.events,
      POSITION_HISTORIES: options.histories,
      FLOW_SEED: options.seed,
      TEST_DATABASE_URL: databaseUrl,
    }),
  ),
);
