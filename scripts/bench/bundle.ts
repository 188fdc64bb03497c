import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Row } from "./table.ts";

const root = join(import.meta.dirname, "../..");
const RUNS = 5;
/** Maximum size of the minified bundle in MiB. */
const MAX_MIB = 1.6;
const MAX_STARTUP_MS = 60;

/**
 * Measures the size of the minified bundle and the shortest of five start times in workerd, both as wrangler reports
 * them. Writes profiles into `folder`. Throws with wrangler's output if it reports no figures.
 */
export async function benchBundle(folder: string): Promise<Row[]> {
  const reports: StartupReport[] = [];
  for (let run = 0; run < RUNS; run += 1)
    reports.push(await checkStartup(join(folder, `startup-${run}.cpuprofile`)));
  const [first] = reports;
  if (first === undefined) throw new Error("wrangler was not asked");
  const mib = first.bundleKib / 1024;
  // Other work on the machine can only add time, so the smallest figure is the best estimate.
  const active = reports.map(({ activeMs }) => activeMs);
  const startup = Math.min(...active);
  return [
    {
      name: `bundle, minified (${first.gzipKib.toFixed(0)} KiB gzipped)`,
      values: [`${mib.toFixed(3)} MiB`],
      aim: `<= ${MAX_MIB} MiB`,
      reached: mib <= MAX_MIB,
    },
    {
      name: `startup, best of ${active.map((value) => value.toFixed(0)).join(", ")} ms`,
      values: [`${startup.toFixed(1)} ms`],
      aim: `<= ${MAX_STARTUP_MS} ms`,
      reached: startup <= MAX_STARTUP_MS,
    },
  ];
}

interface StartupReport {
  bundleKib: number;
  gzipKib: number;
  activeMs: number;
}

/** Runs `wrangler check startup`. Throws with its output if that contains no figures. */
async function checkStartup(outfile: string): Promise<StartupReport> {
  const wrangler = join(
    dirname(createRequire(import.meta.url).resolve("wrangler/package.json")),
    "bin/wrangler.js",
  );
  const env = { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", FORCE_COLOR: "0" };
  const args = [wrangler, "check", "startup", "--outfile", outfile];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  const [, bundle, gzip] = /Bundle: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(output) ?? [];
  const active = /Active: ([\d.]+) ms/.exec(output)?.[1];
  if (bundle === undefined || gzip === undefined || active === undefined)
    throw new Error(`wrangler check startup:\n${output}`);
  return { bundleKib: Number(bundle), gzipKib: Number(gzip), activeMs: Number(active) };
}
