import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Function that returns the text of an imported file, by the compiler's path. Null if the file does not exist. */
export type ReadImport = (path: string) => string | null;

interface Entry {
  /** Every import that the compiler requested, with the hash of its text, or null if the file did not exist. */
  imports: readonly (readonly [path: string, hash: string | null])[];
  output: string;
}

const defaultFolder = join(import.meta.dirname, "../../.cache/solc");
const hashOf = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
let compilerHash: string | null = null;

/**
 * Returns the cached output of the same compiler, input and imported files; otherwise runs `run` and caches its output.
 * `run` must read imports only with the function that it is given. The output depends on nothing else, so a cache hit
 * equals a new build. A fresh checkout has an empty cache. Errors of `run` propagate.
 */
export function compileOnce(
  input: string,
  work: { readImport: ReadImport; run: (readImport: ReadImport) => string; folder?: string },
): string {
  const { readImport, run, folder = defaultFolder } = work;
  const known = readCachedOutput(input, readImport, folder);
  if (known !== null) return known;
  const asked = new Map<string, string | null>();
  const output = run((path) => {
    const text = readImport(path);
    asked.set(path, hashOrNull(text));
    return text;
  });
  writeEntry(fileOf(input, folder), { imports: [...asked], output });
  return output;
}

/**
 * Returns the output that `compileOnce` cached for this input and the installed compiler. Null if there is none, it
 * cannot be parsed, or an imported file has changed since.
 */
export function readCachedOutput(
  input: string,
  readImport: ReadImport,
  folder = defaultFolder,
): string | null {
  const known = readEntry(fileOf(input, folder));
  const holds = known?.imports.every(([path, hash]) => hashOrNull(readImport(path)) === hash) ?? false;
  return holds ? (known?.output ?? null) : null;
}

const fileOf = (input: string, folder: string): string =>
  join(folder, `${hashOf(`${compiler()}\n${input}`)}.json`);

const hashOrNull = (text: string | null): string | null => (text === null ? null : hashOf(text));

/** Returns a hash of the compiler's own code. */
function compiler(): string {
  const file = join(dirname(createRequire(import.meta.url).resolve("solc")), "soljson.js");
  compilerHash ??= hashOf(readFileSync(file));
  return compilerHash;
}

function readEntry(file: string): Entry | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Entry;
  } catch {
    return null;
  }
}

/** Writes a cache entry atomically, because several processes may compile the same input at once. */
function writeEntry(file: string, entry: Entry): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(entry));
  renameSync(draft, file);
}
