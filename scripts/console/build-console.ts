import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, glob, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");
const CACHE = join(root, ".cache/console");
/** Files that a build depends on. */
const SOURCES = ["src/console/**/*.*", "src/console/static/*", "src/client/**/*.ts"];
const FIXED = ["vite.config.ts", "package-lock.json"];

/**
 * Builds the console into `public`, or takes a build of the same sources from the cache. Files of other builds are
 * removed. Throws with Vite's message if the sources do not build.
 */
export async function buildConsole(): Promise<void> {
  const folder = join(CACHE, await keyOfSources());
  if (!existsSync(folder)) await buildInto(folder);
  const assets = join(root, "public/console-assets");
  // Copying removes a file first, while another Worker may be reading it.
  const filter = async (from: string, to: string) => !(await isSameFile(from, to));
  await cp(folder, join(root, "public"), { recursive: true, filter });
  const current = new Set(await readdir(join(folder, "console-assets")));
  for (const name of await readdir(assets))
    if (!current.has(name)) await rm(join(assets, name), { force: true });
}

/** Returns true if both are files with the same content. */
async function isSameFile(from: string, to: string): Promise<boolean> {
  if ((await stat(from)).isDirectory() || !existsSync(to)) return false;
  const [left, right] = await Promise.all([readFile(from), readFile(to)]);
  return left.equals(right);
}

async function keyOfSources(): Promise<string> {
  const files = new Set(FIXED);
  for await (const path of glob(SOURCES, { cwd: root })) files.add(path);
  const hash = createHash("sha256");
  for (const path of [...files].sort()) hash.update(`\n${path}\n`).update(await readFile(join(root, path)));
  return hash.digest("hex").slice(0, 32);
}

/** Builds into a draft folder first, so that every folder in the cache is complete. Keeps no older build. */
async function buildInto(folder: string): Promise<void> {
  const draft = join(CACHE, `draft-${randomUUID()}`);
  await mkdir(CACHE, { recursive: true });
  await runVite(draft);
  const older = (await readdir(CACHE)).filter((name) => !name.startsWith("draft-"));
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  for (const name of older) await rm(join(CACHE, name), { recursive: true, force: true });
}

/** Runs Vite in a separate process, because NODE_ENV of tests would make it build for development. */
async function runVite(outDir: string): Promise<void> {
  const program = join(root, "node_modules/vite/bin/vite.js");
  const flags = ["build", "--config", join(root, "vite.config.ts"), "--outDir", outDir, "--emptyOutDir"];
  const env = { ...process.env, NODE_ENV: "production" };
  const run = promisify(execFile);
  await run(process.execPath, [program, ...flags, "--logLevel", "error"], { cwd: root, env }).catch(
    ({ stderr, message }: { stderr?: string; message: string }) => {
      throw new Error(`the console could not be built:\n${(stderr ?? message).trim()}`);
    },
  );
}
