import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The text of an imported file, or null; asked with the path as the compiler gives it. */
export type ReadImport = (path: string) => string | null;

interface Entry {
  /** Every import that the compiler asked for, with the hash of what it got; null: there was none. */
  imports: readonly (readonly [path: string, hash: string | null])[];
  output: string;
}

const defaultFolder = join(import.meta.dirname, "../../.cache/solc");
const hashOf = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
let compilerHash: string | null = null;

/**
 * Compiles, unless this very compiler was given this very input before and every import reads now as it did then: it is
 * a function of nothing else, so that a hit proves what compiling would. A fresh checkout has nothing to hit.
 */
export function compileOnce(
  input: string,
  work: { readImport: ReadImport; run: (readImport: ReadImport) => string; folder?: string },
): string {
  const { readImport, run, folder = defaultFolder } = work;
  const known = recall(input, readImport, folder);
  if (known !== null) return known;
  const asked = new Map<string, string | null>();
  const output = run((path) => {
    const text = readImport(path);
    asked.set(path, hashOrNull(text));
    return text;
  });
  keep(fileOf(input, folder), { imports: [...asked], output });
  return output;
}

/** What `compileOnce` would give without compiling, or null. */
export function recall(input: string, readImport: ReadImport, folder = defaultFolder): string | null {
  const known = readEntry(fileOf(input, folder));
  const holds = known?.imports.every(([path, hash]) => hashOrNull(readImport(path)) === hash) ?? false;
  return holds ? (known?.output ?? null) : null;
}

const fileOf = (input: string, folder: string): string =>
  join(folder, `${hashOf(`${compiler()}\n${input}`)}.json`);

const hashOrNull = (text: string | null): string | null => (text === null ? null : hashOf(text));

/** Which compiler: all of its code. */
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

/** Written in one step, for several may compile the same at once. */
function keep(file: string, entry: Entry): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(entry));
  renameSync(draft, file);
}
