import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileMany } from "./compile-many.ts";
import { renderStandIns } from "./render.ts";
import { type StandInTarget, standInTargets } from "./targets.ts";

/** Where package.json's `#stand-ins/*` points. */
const folder = join(import.meta.dirname, "../../.cache/stand-ins");

/**
 * Compiles the local stack's stand-ins for others' contracts and writes the modules `#stand-ins/*`, as far as they are
 * not what the sources give already. Returns the names of those written. Throws with the compiler's text.
 */
export async function buildStandIns(): Promise<string[]> {
  const compiled = await compileMany(standInTargets.map(jobOf));
  const written: string[] = [];
  mkdirSync(folder, { recursive: true });
  for (const [index, target] of standInTargets.entries()) {
    const file = join(folder, `${target.name}.ts`);
    const text = renderStandIns(target, compiled[index] ?? new Map());
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    // In one step, for others may read it now.
    const draft = `${file}.${randomUUID()}`;
    writeFileSync(draft, text);
    renameSync(draft, file);
    written.push(target.name);
  }
  return written;
}

const jobOf = ({ sources, optimizerRuns }: StandInTarget) => ({
  sources,
  optimizer: optimizerRuns === undefined ? null : { viaIR: false, runs: optimizerRuns },
});
