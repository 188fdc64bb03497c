/** Enforces the structure of src: folder sizes, few tiny files, one home per exported name, short functions, docstrings. */
import { globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { readArguments } from "../command.ts";
import { type ModuleExport, type ModuleFunction, readModule, type SourceModule } from "./modules.ts";

const { values: flags } = readArguments({
  help: `Enforces the structure of src: folder sizes, tiny files, unique names of files and
exports, function lengths, docstrings.

  node scripts/checks/structure.ts [--list]

  --list  print every small file that has a single importer
  --help  show this text`,
  options: { list: { type: "boolean" } },
});

const MAX_FILES_IN_FOLDER = 25;
const MAX_FUNCTION_LINES = 80;
const MAX_LINES_OF_NINE_IN_TEN = 25;
/** Maximum number of lines of a file that counts as small if it has only one importer. */
const SMALL_LINES = 60;
const MAX_SMALL_FILES = 60;
/** Maximum number of lines of a file that may not be separate from its only importer. */
const TINY_LINES = 20;
const MIN_DOCUMENTED = 0.9;
/** Generated code is exempt. */
const GENERATED = /artifact\.ts$|generated\.ts$/;

const modules = globSync("src/**/*.{ts,tsx}")
  .sort()
  .filter((file) => !GENERATED.test(file))
  .map(readModule);
const exported = modules.flatMap((module) => module.exports);
const functions = modules.flatMap((module) => module.functions).sort((a, b) => a.lines - b.lines);
const importers = importersOf(modules);
const small = modules.filter((module) => module.lines <= SMALL_LINES && onlyImporter(module) !== null);

const problems = [
  ...crowdedFolders(),
  ...tinyFiles(),
  ...sharedFileNames(),
  ...homonyms(),
  ...longFunctions(),
  ...undocumented(),
];
for (const problem of problems) console.error(problem);
if (flags.list) for (const { file, lines } of small) console.log(`${lines} ${file}`);
if (problems.length === 0) console.log(`structure: ${summary()}`);
process.exit(problems.length === 0 ? 0 : 1);

/** Returns the files that import each module. */
function importersOf(all: readonly SourceModule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { from, to } of all.flatMap(({ imports }) => imports))
    found.set(to, (found.get(to) ?? new Set()).add(from));
  return found;
}

/** Returns the single importer of a module; null when it has none or several. */
function onlyImporter({ file }: SourceModule): string | null {
  const [first, second] = [...(importers.get(file) ?? [])];
  return first !== undefined && second === undefined ? first : null;
}

function crowdedFolders(): string[] {
  const counts = new Map<string, number>();
  for (const { file } of modules) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > MAX_FILES_IN_FOLDER ? [`${folder}: ${count} files, at most ${MAX_FILES_IN_FOLDER}`] : [],
  );
}

function tinyFiles(): string[] {
  const tiny = small.flatMap((module) => {
    const importer = onlyImporter(module);
    if (module.lines > TINY_LINES || importer === null || dirname(importer) !== dirname(module.file))
      return [];
    return [`${module.file}: ${module.lines} lines, imported only by ${importer}: merge them`];
  });
  if (small.length <= MAX_SMALL_FILES) return tiny;
  const limit = `at most ${MAX_SMALL_FILES}`;
  return [...tiny, `src: ${small.length} files of up to ${SMALL_LINES} lines have one importer, ${limit}`];
}

/** Reports file names that occur twice: people search for a file by its name alone. */
function sharedFileNames(): string[] {
  const homes = new Map<string, string[]>();
  for (const { file } of modules) homes.set(basename(file), [...(homes.get(basename(file)) ?? []), file]);
  return [...homes].flatMap(([name, files]) =>
    files.length > 1 ? [`${name} is the name of ${files.join(" and ")}`] : [],
  );
}

function homonyms(): string[] {
  const homes = new Map<string, Set<string>>();
  for (const { file, name } of exported) {
    // The client and the console are programs of their own, whose names are their users'.
    const program = /^src\/(client|console)\//.exec(file)?.[1] ?? "";
    const key = `${program} ${name}`.trimStart();
    homes.set(key, (homes.get(key) ?? new Set()).add(file));
  }
  return [...homes].flatMap(([name, files]) =>
    files.size > 1 && name !== "default" ? [`${name} is exported by ${[...files].join(" and ")}`] : [],
  );
}

function longFunctions(): string[] {
  const long = functions.flatMap(({ file, line, lines }) =>
    lines > MAX_FUNCTION_LINES
      ? [`${file}:${line}: a function of ${lines} lines, at most ${MAX_FUNCTION_LINES}`]
      : [],
  );
  const nineInTen = linesAt(0.9);
  if (nineInTen <= MAX_LINES_OF_NINE_IN_TEN) return long;
  const limit = `at most ${MAX_LINES_OF_NINE_IN_TEN}`;
  return [...long, `src: nine functions in ten have up to ${nineInTen} lines, ${limit}`];
}

function undocumented(): string[] {
  if (documentedShare() >= MIN_DOCUMENTED) return [];
  const missing = exported.filter(({ documented }) => !documented);
  return [
    `src: ${percent(documentedShare())} of the exports have a docstring, at least ${percent(MIN_DOCUMENTED)}`,
    ...missing.map(({ file, name }: ModuleExport) => `${file}: ${name} has no docstring`),
  ];
}

/** Returns the length of the function at a quantile; 0 without functions. */
function linesAt(quantile: number): number {
  const at: ModuleFunction | undefined = functions[Math.floor(functions.length * quantile)];
  return at?.lines ?? 0;
}

function documentedShare(): number {
  return exported.length === 0 ? 1 : exported.filter(({ documented }) => documented).length / exported.length;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function summary(): string {
  const longest = functions.at(-1)?.lines ?? 0;
  return [
    `${modules.length} files`,
    `${small.length} small ones with one importer`,
    `functions of ${linesAt(0.5)} lines at the median, ${linesAt(0.9)} at nine in ten, ${longest} at most`,
    `${percent(documentedShare())} of the exports documented`,
  ].join("; ");
}
