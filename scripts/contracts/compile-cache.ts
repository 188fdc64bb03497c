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

const folder = "node_modules/.cache/causeway-contracts";
const hashOf = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
let compilerHash: string | null = null;

/**
 * Compiles, unless this very compiler was given this very input before and every import reads now as it did then: it is
 * a function of nothing else, so that a hit proves what compiling would. A fresh checkout has nothing to hit.
 */
export function compileOnce(
  input: string,
  { readImport, run }: { readImport: ReadImport; run: (readImport: ReadImport) => string },
): string {
  const file = join(folder, `${hashOf(`${compiler()}\n${input}`)}.json`);
  const known = readEntry(file);
  if (known?.imports.every(([path, hash]) => hashOrNull(readImport(path)) === hash)) return known.output;
  const asked = new Map<string, string | null>();
  const output = run((path) => {
    const text = readImport(path);
    asked.set(path, hashOrNull(text));
    return text;
  });
  keep(file, { imports: [...asked], output });
  return output;
}

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
  mkdirSync(folder, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(entry));
  renameSync(draft, file);
}
