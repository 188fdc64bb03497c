/** Enforces the import table of the architecture: who may import whom in src, and that no cycle exists. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readArguments } from "../command.ts";

readArguments({
  help: `Enforces who may import whom in src, and that no cycle exists.

  npm run layers

  --help  show this text`,
});

const RANKS: Record<string, number> = {
  lib: 0,
  "errors.ts": 0,
  schemas: 1,
  "config.ts": 1,
  db: 2,
  redis: 2,
  chains: 2,
  router: 3,
  providers: 3,
  vaults: 3,
  deposits: 4,
  catalog: 5,
  quotes: 5,
  transfers: 5,
  positions: 5,
  flows: 5,
  history: 5,
  signals: 5,
  partners: 5,
  http: 6,
  routes: 7,
  jobs: 7,
  parts: 8,
  "context.ts": 8,
  "app.ts": 8,
  "queued.ts": 8,
  "scheduled.ts": 8,
  "worker.ts": 8,
};
/** Folders that translate only: they reach the outside through verbs, never directly. */
const EDGE = new Set(["routes", "jobs", "http"]);
const BEHIND_VERBS = new Set(["db", "redis", "chains", "providers", "router"]);
/** Lower-ranked folders that `http` may use although its own rank is above the verbs. */
const HTTP_MAY = new Set(["lib", "errors.ts", "schemas", "config.ts", "partners"]);

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const folderOf = (file: string): string => file.split("/")[1] ?? "";

function importsOf(file: string): Import[] {
  const source = readFileSync(file, "utf8");
  const found: Import[] = [];
  const add = (path: string, typeOnly: boolean): void => {
    found.push({ from: file, to: normalize(join(dirname(file), path)), typeOnly });
  };
  for (const [, type, path = ""] of source.matchAll(
    /^(?:import|export)\s+(type\s)?[^"']*?["'](\.[^"']+)["']/gms,
  ))
    add(path, type !== undefined);
  // In an expression or a type, wherever it stands.
  for (const [, path = ""] of source.matchAll(/\bimport\s*\(\s*["'`](\.[^"'`]+)["'`]/g)) add(path, false);
  return found;
}

/** The rule an import breaks, or null. `import type { Context }` is free from rank 3 up. */
function violation({ from, to, typeOnly }: Import): string | null {
  const [source, target] = [folderOf(from), folderOf(to)];
  const [sourceRank, targetRank] = [RANKS[source], RANKS[target]];
  if (sourceRank === undefined) return `${source} is not in the table`;
  if (targetRank === undefined) return `${target} is not in the table`;
  if (source === target) return null;
  if (target === "context.ts" && typeOnly && sourceRank >= 3) return null;
  if (source === "http" && !HTTP_MAY.has(target)) return `http may not import ${target}`;
  if (EDGE.has(source) && BEHIND_VERBS.has(target)) return `${source} may not import ${target}: call a verb`;
  if (sourceRank === 8) return null;
  if (targetRank >= sourceRank)
    return `${source} (rank ${sourceRank}) may not import ${target} (rank ${targetRank})`;
  return null;
}

function findCycle(graph: Map<string, string[]>): string[] | null {
  const state = new Map<string, "open" | "done">();
  const path: string[] = [];
  const visit = (file: string): string[] | null => {
    if (state.get(file) === "done") return null;
    if (state.get(file) === "open") return [...path.slice(path.indexOf(file)), file];
    state.set(file, "open");
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle !== null) return cycle;
    }
    path.pop();
    state.set(file, "done");
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle !== null) return cycle;
  }
  return null;
}

const files = globSync("src/**/*.ts").sort();
const imports = files.flatMap(importsOf);
const problems = imports.flatMap((edge) => {
  const rule = violation(edge);
  return rule === null ? [] : [`${edge.from} -> ${edge.to}: ${rule}`];
});
const runtime = new Map(
  files.map((file) => [file, imports.filter((i) => i.from === file && !i.typeOnly).map((i) => i.to)]),
);
const cycle = findCycle(runtime);
if (cycle !== null) problems.push(`cycle: ${cycle.join(" -> ")}`);
for (const problem of problems) console.error(problem);
if (problems.length === 0)
  console.log(`layers: ${files.length} files, ${imports.length} imports, no violation, no cycle`);
process.exit(problems.length === 0 ? 0 : 1);
