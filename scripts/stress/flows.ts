/**
 * The flows index at length: random schedules in memory and over the database, 200,000 events on a real Postgres, and
 * the positions of random histories.
 *
 *   node scripts/stress/flows.ts
 *   node scripts/stress/flows.ts --schedules 10000 --database 300 --events 200000 --histories 2000 --seed 1
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";

const { values: options } = readArguments({
  help: `Proves the flows index at length: in memory, over the database, and with many events on a real Postgres.

  node scripts/stress/flows.ts [--schedules 10000] [--database 300] [--events 200000] [--histories 2000] [--seed 1]

  --schedules  random schedules in memory
  --database   random schedules over the database
  --events     events on a real Postgres
  --histories  random histories of a user and a vault
  --seed       of what is random
  --help       show this text`,
  options: {
    schedules: { type: "string", default: "10000" },
    database: { type: "string", default: "300" },
    events: { type: "string", default: "200000" },
    histories: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
  },
});
const root = join(import.meta.dirname, "../..");

async function test(databaseUrl: string): Promise<number> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const files = ["schedules.test.ts", "schedules.integration.test.ts", "scale.integration.test.ts"];
  const recount = "test/positions/stored-flows.recount.integration.test.ts";
  const args = ["run", ...files.map((name) => `test/flows/${name}`), recount];
  const env = {
    ...process.env,
    NO_COLOR: "1",
    FLOW_SCHEDULES: options.schedules,
    FLOW_DATABASE_SCHEDULES: options.database,
    FLOW_EVENTS: options.events,
    POSITION_HISTORIES: options.histories,
    FLOW_SEED: options.seed,
    TEST_DATABASE_URL: databaseUrl,
  };
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: "inherit", env });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

process.exit(await withRealPostgres(test));
