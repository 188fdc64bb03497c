/**
 * Enforces the import table of the architecture: which folder of src may import which, and no cycles, type imports
 * included.
 */
import { globSync } from "node:fs";
import { readArguments } from "../command.ts";
import { findCycle, type ModuleImport, readModule } from "./modules.ts";

readArguments({
  help: `Enforces the import table of src and the absence of import cycles, type imports included.

  npm run layers

  --help  show this text`,
});

/** Rank of each folder. A folder may import itself and folders of lower rank, but none of the same rank. */
const RANKS: Record<string, number> = {
  client: 0,
  console: 0,
  lib: 0,
  "errors.ts": 0,
  schemas: 1,
  config: 1,
  db: 2,
  redis: 2,
  chains: 2,
  router: 2,
  prices: 3,
  providers: 3,
  vaults: 3,
  orders: 4,
  tracking: 5,
  deposits: 6,
  withdrawals: 6,
  registry: 6,
  listings: 6,
  health: 6,
  positions: 6,
  history: 6,
  flows: 6,
  signals: 6,
  partners: 6,
  events: 6,
  status: 7,
  actions: 7,
  moves: 7,
  http: 8,
  routes: 9,
  openapi: 9,
  "jobs.ts": 9,
  "context.ts": 10,
  "compose.ts": 10,
  "app.ts": 10,
  "worker.ts": 10,
};
const TOP = 10;
/** Folders that only translate requests. They call the service's functions and no external systems. */
const EDGE = new Set(["routes", "jobs.ts"]);
const BEHIND_VERBS = new Set(["db", "redis", "chains", "providers", "router", "prices", "vaults", "orders"]);
/** Folders whose imports are listed explicitly: their rank is above the verbs, which they may not use. */
const MECHANICS: Record<string, ReadonlySet<string>> = {
  http: new Set(["lib", "errors.ts", "schemas", "config", "partners"]),
  openapi: new Set(["lib", "errors.ts", "schemas", "config", "http"]),
};

const folderOf = (file: string): string => file.split("/")[1] ?? "";

/** Returns the rule that an import breaks, or null. `import type { Context }` is allowed from rank 3 up. */
function violation({ from, to, typeOnly }: ModuleImport): string | null {
  const [source, target] = [folderOf(from), folderOf(to)];
  const [sourceRank, targetRank] = [RANKS[source], RANKS[target]];
  if (sourceRank === undefined) return `${source} is not in the table`;
  if (targetRank === undefined) return `${target} is not in the table`;
  if (source === target) return null;
  if (source === "console") return target === "client" ? null : "console may import nothing of the server";
  if (target === "client" || target === "console")
    return `${source} may not import ${target}: it is a program of its own`;
  if (target === "context.ts" && typeOnly && sourceRank >= 3) return null;
  if (MECHANICS[source]?.has(target) === false) return `${source} may not import ${target}`;
  if (EDGE.has(source) && BEHIND_VERBS.has(target)) return `${source} may not import ${target}: call a verb`;
  if (sourceRank === TOP) return null;
  if (targetRank >= sourceRank)
    return `${source} (rank ${sourceRank}) may not import ${target} (rank ${targetRank})`;
  return null;
}

const files = globSync("src/**/*.{ts,tsx}").sort();
const imports = files.flatMap((file) => readModule(file).imports);
const problems = imports.flatMap((edge) => {
  const rule = violation(edge);
  return rule === null ? [] : [`${edge.from} -> ${edge.to}: ${rule}`];
});
const graph = new Map(
  files.map((file) => [file, imports.filter(({ from }) => from === file).map(({ to }) => to)]),
);
const cycle = findCycle(graph);
if (cycle !== null) problems.push(`cycle: ${cycle.join(" -> ")}`);
for (const problem of problems) console.error(problem);
if (problems.length === 0)
  console.log(`layers: ${files.length} files, ${imports.length} imports, no violation, no cycle`);
process.exit(problems.length === 0 ? 0 : 1);
