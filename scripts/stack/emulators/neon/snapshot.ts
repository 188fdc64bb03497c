import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/**
 * Returns the snapshot file of the migrated database; its name depends on the migrations and the Postgres version.
 */
export function snapshotFile(root: string): string {
  const hash = createHash("sha256").update(pgliteVersion());
  const folder = join(root, "drizzle");
  const journal = join(folder, "meta/_journal.json");
  if (existsSync(journal)) hash.update(readFileSync(journal));
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith(".sql")) hash.update(`\n${name}\n`).update(readFileSync(join(folder, name)));
  }
  return join(root, ".cache/postgres", `${hash.digest("hex").slice(0, 32)}.tar`);
}

/** Removes the snapshots of other versions beside a snapshot file. */
export function removeOldSnapshots(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder))
    if (name !== basename(file)) rmSync(join(folder, name), { force: true });
}

function pgliteVersion(): string {
  const manifest = join(dirname(require.resolve("@electric-sql/pglite")), "../package.json");
  return String((JSON.parse(readFileSync(manifest, "utf8")) as { version: unknown }).version);
}
