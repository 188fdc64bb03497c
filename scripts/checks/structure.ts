/**
 * Enforces the structure of src: folder sizes, few tiny files, one home per exported name, short functions,
 * docstrings.
 */
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { readArguments } from "../command.ts";
import { type ModuleFunction, readModule, type SourceModule } from "./modules.ts";

const { values: flags } = readArguments({
  help: `Enforces the shape of src: folder sizes, tiny files, one home per exported name, function lengths, docstrings.

  node scripts/checks/structure.ts

  --list  show every file that counts as small with one importer
  --help  show this text`,
  options: { list: { type: "boolean" } },
});

const MAX_FILES_IN_FOLDER = 25;
const MAX_FUNCTION_LINES = 80;
const NINE_IN_TEN_FUNCTION_LINES = 25;
/** A file of at most this many lines with a single importer counts as small. */
const SMALL_LINES = 60;
const MAX_SMALL_FILES = 60;
/** A file of at most this many lines may not stand beside its single importer. */
const TINY_LINES = 20;
const MIN_DOCUMENTED = 0.9;
/** Generated code is exempt. */
const GENERATED = /artifact\.ts$|generated\.ts$/;

const modules = globSync("src/**/*.ts")
  .sort()
  .filter((file) => !GENERATED.test(file))
  .map(readModule);
const importers = new Map<string, Set<string>>();
for (const { imports } of modules)
  for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));

const onlyImporter = ({ file }: SourceModule): string | null => {
  const [first, second] = [...(importers.get(file) ?? [])];
  return first !== undefined && second === undefined ? first : null;
};

const problems = [...crowdedFolders(), ...tinyFiles(), ...homonyms(), ...longFunctions(), ...undocumented()];
for (const problem of problems) console.error(problem);
if (flags.list) for (const { file, lines } of smallFiles()) console.log(`${lines} ${file}`);
if (problems.length === 0) console.log(`structure: ${summary()}`);
process.exit(problems.length === 0 ? 0 : 1);

function crowdedFolders(): string[] {
  const counts = new Map<string, number>();
  for (const { file } of modules) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > MAX_FILES_IN_FOLDER ? [`${folder}: ${count} files, at most ${MAX_FILES_IN_FOLDER}`] : [],
  );
}

function smallFiles(): SourceModule[] {
  return modules.filter((module) => module.lines <= SMALL_LINES && onlyImporter(module) !== null);
}

function tinyFiles(): string[] {
  const small = smallFiles();
  const tiny = small.flatMap((module) => {
    const importer = onlyImporter(module);
    if (module.lines > TINY_LINES || importer === null || dirname(importer) !== dirname(module.file))
      return [];
    return [`${module.file}: ${module.lines} lines, used by ${importer} alone: they belong together`];
  });
  if (small.length <= MAX_SMALL_FILES) return tiny;
  return [
    ...tiny,
    `src: ${small.length} files of at most ${SMALL_LINES} lines have one importer, at most ${MAX_SMALL_FILES}`,
  ];
}

function homonyms(): string[] {
  const homes = new Map<string, Set<string>>();
  for (const { file, name } of modules.flatMap(({ exports }) => exports))
    homes.set(name, (homes.get(name) ?? new Set()).add(file));
  return [...homes].flatMap(([name, files]) =>
    files.size > 1 && name !== "default" ? [`${name} is exported by ${[...files].join(" and ")}`] : [],
  );
}

function allFunctions(): ModuleFunction[] {
  return modules.flatMap(({ functions }) => functions).sort((a, b) => a.lines - b.lines);
}

function longFunctions(): string[] {
  const functions = allFunctions();
  const long = functions.flatMap(({ file, line, lines }) =>
    lines > MAX_FUNCTION_LINES
      ? [`${file}:${line}: a function of ${lines} lines, at most ${MAX_FUNCTION_LINES}`]
      : [],
  );
  const nineInTen = quantile(functions, 0.9);
  if (nineInTen <= NINE_IN_TEN_FUNCTION_LINES) return long;
  return [
    ...long,
    `src: nine functions in ten have up to ${nineInTen} lines, at most ${NINE_IN_TEN_FUNCTION_LINES}`,
  ];
}

function quantile(functions: readonly ModuleFunction[], part: number): number {
  return functions[Math.floor(functions.length * part)]?.lines ?? 0;
}

function documentedShare(): number {
  const exports = modules.flatMap((module) => module.exports);
  return exports.length === 0 ? 1 : exports.filter(({ documented }) => documented).length / exports.length;
}

function undocumented(): string[] {
  const share = documentedShare();
  if (share >= MIN_DOCUMENTED) return [];
  return [`src: ${percent(share)} of the exports have a docstring, at least ${percent(MIN_DOCUMENTED)}`];
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function summary(): string {
  const functions = allFunctions();
  return [
    `${modules.length} files`,
    `${smallFiles().length} small ones with one importer`,
    `functions ${quantile(functions, 0.5)}, ${quantile(functions, 0.9)}, ${functions.at(-1)?.lines ?? 0} lines at the median, nine in ten, longest`,
    `${percent(documentedShare())} of the exports documented`,
  ].join("; ");
}
