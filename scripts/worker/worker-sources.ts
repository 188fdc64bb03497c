import { randomUUID } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** Folder of the sources that wrangler bundles, relative to the repository: a copy of `src`. */
export const BUNDLED = ".cache/bundled";
/** Pattern of the client's and the console's files, which the Worker does not import. */
const BESIDE = /^src\/(client|console)\//;

/** Returns true for a file that the Worker may contain, by its path relative to the repository. */
export function isWorkerSource(path: string): boolean {
  return /^src\//.test(path) && !BESIDE.test(path);
}

/**
 * Copies the Worker's sources from `src` to `.cache/bundled/src` without the descriptions of their schemas. `root`:
 * folder of the repository. Builds may run at the same time. Deletes the copies of files that no longer exist, so that an
 * import of one fails.
 */
export function writeWorkerSources(root: string): void {
  for (const path of globSync("src/**/*.ts", { cwd: root })) {
    if (!isWorkerSource(path)) continue;
    const copy = join(root, BUNDLED, path);
    const text = withoutDescriptions(path, readFileSync(join(root, path), "utf8"));
    if (existsSync(copy) && readFileSync(copy, "utf8") === text) continue;
    mkdirSync(dirname(copy), { recursive: true });
    const draft = `${copy}.${randomUUID()}`;
    writeFileSync(draft, text);
    renameSync(draft, copy);
  }
  for (const copy of globSync("src/**/*.ts", { cwd: join(root, BUNDLED) }))
    if (!existsSync(join(root, copy))) rmSync(join(root, BUNDLED, copy), { force: true });
}

/**
 * Returns a module's text without its calls `.meta({ … })`, whose contents only the OpenAPI document shows. Lines keep
 * their numbers. Throws if `text` is not valid TypeScript.
 */
export function withoutDescriptions(file: string, text: string): string {
  if (!text.includes(".meta(")) return text;
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const calls: { start: number; end: number }[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [given], end }) {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      if (callee.property.name === "meta" && given?.type === "ObjectExpression")
        calls.push({ start: callee.object.end, end });
    },
  }).visit(program);
  let kept = "";
  let last = 0;
  for (const { start, end } of calls.sort((a, b) => a.start - b.start)) {
    kept += text.slice(last, start) + "\n".repeat(text.slice(start, end).split("\n").length - 1);
    last = end;
  }
  return kept + text.slice(last);
}
