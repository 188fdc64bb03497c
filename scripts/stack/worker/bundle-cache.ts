import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, glob, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isWorkerSource } from "../../worker/worker-sources.ts";

/** Number of cached builds to keep. */
const KEPT = 4;
const FIXED = [
  "wrangler.toml",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.worker.json",
  "scripts/worker/bundle-sources.ts",
  "scripts/worker/lean-source.ts",
  "scripts/worker/worker-sources.ts",
];

/** Place of a cached build, and whether it was found there. */
export interface CachedBundle {
  folder: string;
  found: boolean;
}

/**
 * Finds a build of the same sources: the contents of `src`, the configuration and the lockfile, which determines the
 * packages. A bundle contains no other file. Files that a build step writes to `public` are not part of the key.
 */
export async function findCached(root: string): Promise<CachedBundle> {
  const hash = createHash("sha256");
  const sources: string[] = [];
  for await (const path of glob("src/**/*.*", { cwd: root })) if (isWorkerSource(path)) sources.push(path);
  for (const path of [...FIXED, ...sources.sort()]) {
    const file = join(root, path);
    if (existsSync(file) && (await stat(file)).isFile())
      hash.update(`\n${path}\n`).update(await readFile(file));
  }
  const folder = join(root, ".cache/worker", hash.digest("hex").slice(0, 32));
  return { folder, found: existsSync(folder) };
}

/** Caches a build, and removes all but the four newest. */
export async function keepCached({ folder }: CachedBundle, built: string): Promise<void> {
  const home = join(folder, "..");
  const draft = join(home, `draft-${randomUUID()}`);
  await mkdir(home, { recursive: true });
  await cp(built, draft, { recursive: true });
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  const names = (await readdir(home)).filter((name) => !name.startsWith("draft-"));
  const dated = await Promise.all(
    names.map(async (name) => [(await stat(join(home, name))).mtimeMs, name] as const),
  );
  const old = dated.sort(([a], [b]) => b - a).slice(KEPT);
  await Promise.all(old.map(([, name]) => rm(join(home, name), { recursive: true, force: true })));
}
