import { randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { leanSource } from "./lean-source.ts";

/** Folder of the sources that wrangler bundles, relative to the repository: a copy of `src`. */
export const BUNDLED = ".cache/bundled";
/** Pattern of the client's and the console's files, which the Worker does not import. */
const BESIDE = /^src\/(client|console)\//;

/** Returns true for a file that the Worker may contain, by its path relative to the repository. */
export function isWorkerSource(path: string): boolean {
  return /^src\//.test(path) && !BESIDE.test(path);
}

/**
 * Copies the Worker's sources from `src` to `.cache/bundled/src` without what only the OpenAPI document and migrations
 * read. `root`: folder of the repository. Builds may run at the same time. Deletes the copies of files that no longer exist, so that an
 * import of one fails.
 */
export function writeWorkerSources(root: string): void {
  for (const path of globSync("src/**/*.ts", { cwd: root })) {
    if (!isWorkerSource(path)) continue;
    const copy = join(root, BUNDLED, path);
    const text = leanSource(path, readFileSync(join(root, path), "utf8"));
    if (existsSync(copy) && readFileSync(copy, "utf8") === text) continue;
    mkdirSync(dirname(copy), { recursive: true });
    const draft = `${copy}.${randomUUID()}`;
    writeFileSync(draft, text);
    renameSync(draft, copy);
  }
  for (const copy of globSync("src/**/*.ts", { cwd: join(root, BUNDLED) }))
    if (!existsSync(join(root, copy))) rmSync(join(root, BUNDLED, copy), { force: true });
}
