import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { buildConsole } from "../../console/build-console.ts";
import { writeStaticAssets } from "../../static-assets.ts";
import { findCached, keepCached } from "./bundle-cache.ts";

const require = createRequire(import.meta.url);

/** A built Worker in a folder of its own, which `remove` deletes. */
export interface Bundle {
  folder: string;
  remove(): Promise<void>;
}

/**
 * Builds the Worker as a deployment would, into a folder of its own, or takes a build of the same sources from the
 * cache. Throws with wrangler's output.
 */
export async function bundleWorker(configFile: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-worker-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const cached = await findCached(dirname(configFile));
    if (cached.found) {
      await cp(cached.folder, folder, { recursive: true });
      writeStaticAssets();
      await buildConsole();
    } else {
      await build(configFile, folder);
      await keepCached(cached, folder);
    }
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function build(configFile: string, folder: string): Promise<void> {
  const wrangler = join(dirname(require.resolve("wrangler/package.json")), "bin/wrangler.js");
  const flags = ["deploy", "--dry-run", "--outdir", folder, "--config", configFile];
  const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
  const env = { ...process.env, PATH: path, CI: "1", WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0" };
  const cwd = dirname(configFile);
  const child = spawn(process.execPath, [wrangler, ...flags], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the Worker could not be built:\n${output.trim()}`);
}
