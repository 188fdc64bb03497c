import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileMany } from "./compile-many.ts";
import { renderStandIns } from "./render.ts";
import { type StandInTarget, standInTargets } from "./targets.ts";

/** Folder that `#stand-ins/*` in package.json points to. */
const folder = join(import.meta.dirname, "../../.cache/stand-ins");

/**
 * Compiles the local stack's stand-ins for third-party contracts and writes the modules `#stand-ins/*` that are
 * missing or out of date. Returns the names of the modules it wrote. Throws with the compiler's message.
 */
export async function buildStandIns(): Promise<string[]> {
  const compiled = await compileMany(standInTargets.map(jobOf));
  const written: string[] = [];
  mkdirSync(folder, { recursive: true });
  for (const [index, target] of standInTargets.entries()) {
    const file = join(folder, `${target.name}.ts`);
    const text = renderStandIns(target, compiled[index] ?? new Map());
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    // Replaced atomically, because another process may be reading it.
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
