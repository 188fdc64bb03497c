/**
 * The end-to-end tests on a real Postgres: the embedded PGlite is one session, so only here do two writers ever meet.
 *
 *   node scripts/stress/postgres.ts
 *   node scripts/stress/postgres.ts --only races
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withRealPostgres } from "../db/real-postgres.ts";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const root = join(import.meta.dirname, "../..");

async function test(databaseUrl: string): Promise<number> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const only = options.only === undefined ? [] : [options.only];
  const env = { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: "1" };
  const child = spawn(process.execPath, [vitest, "run", "--project", "e2e", ...only], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  return new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
}

process.exit(await withRealPostgres(test));
