/** Parses TypeScript modules for the architecture checks: imports, exports and functions. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** An import of one module by another; both paths are relative to the repository. */
export interface ModuleImport {
  from: string;
  to: string;
  /** True for a type-only import, which leaves nothing at run time. */
  typeOnly: boolean;
}

/** One exported name; `documented` if a docstring directly precedes its export. */
export interface ModuleExport {
  file: string;
  name: string;
  documented: boolean;
}

/** A function, method or arrow function with a body. */
export interface ModuleFunction {
  file: string;
  /** First line, from 1, and number of lines. */
  line: number;
  lines: number;
}

/** A parsed module. `imports` are those by relative path, including dynamic ones and types. */
export interface SourceModule {
  file: string;
  lines: number;
  imports: ModuleImport[];
  exports: ModuleExport[];
  functions: ModuleFunction[];
}

/** Parses one file, by its path relative to the repository. Throws if it cannot be read or is not valid TypeScript. */
export function readModule(file: string): SourceModule {
  const text = readFileSync(file, "utf8");
  const parsed = parseSync(file, text);
  const [error] = parsed.errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const lineOf = lineFinder(text);
  const docs = parsed.comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const documented = (start: number): boolean =>
    docs.some(({ end }) => end <= start && text.slice(end, start).trim() === "");
  const exported = parsed.module.staticExports.flatMap(({ start, entries }) =>
    entries.flatMap(({ exportName: { name } }) =>
      name === null ? [] : [{ file, name, documented: documented(start) }],
    ),
  );
  return {
    file,
    lines: text.split("\n").length - 1,
    imports: importsOf(file, { text, parsed }),
    exports: exported,
    functions: functionsOf(parsed.program).map(({ start, end }) => {
      const line = lineOf(start);
      return { file, line, lines: lineOf(end) - line + 1 };
    }),
  };
}

type Parsed = ReturnType<typeof parseSync>;

function importsOf(file: string, source: { text: string; parsed: Parsed }): ModuleImport[] {
  const { module } = source.parsed;
  const found: ModuleImport[] = [];
  const add = (path: string, typeOnly: boolean): void => {
    if (path.startsWith(".")) found.push({ from: file, to: normalize(join(dirname(file), path)), typeOnly });
  };
  for (const { moduleRequest, entries } of module.staticImports)
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries)
      if (moduleRequest !== null) add(moduleRequest.value, isType);
  for (const { moduleRequest: at } of module.dynamicImports)
    add(source.text.slice(at.start + 1, at.end - 1), false);
  new Visitor({
    TSImportType: ({ source: named }) => add(named.value, true),
  }).visit(source.parsed.program);
  return found;
}

interface Span {
  start: number;
  end: number;
}

function functionsOf(program: Parsed["program"]): Span[] {
  const found: Span[] = [];
  const add = ({ start, end }: Span): void => {
    found.push({ start, end });
  };
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(program);
  return found;
}

/** Returns a function that maps an offset to its line, from 1. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Returns the first cycle of a graph as a closed path; null when the graph is acyclic. */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
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
