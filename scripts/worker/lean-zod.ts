import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isWorkerSource } from "./worker-sources.ts";

/** A method of string schemas for one format, such as `email`, by a line of zod's classic module. */
const FORMAT =
  /^ {4}inst\.(\w+) = \(params\) => inst\.check\((?:core\._\w+\(Zod\w+, params\)|iso\.\w+\(params\))\);\n/gm;
/** The conversion of a schema to a JSON schema, by a line of the same module. */
const CONVERSION = /^ {4}inst\._zod\.processJSONSchema = .*;\n/gm;

/**
 * Returns the names of all methods that the Worker's sources call, whatever they call them on. `root`: path of the
 * repository.
 */
export function calledMethods(root: string): ReadonlySet<string> {
  const files = globSync("src/**/*.ts", { cwd: root }).filter(isWorkerSource);
  const texts = files.map((path) => readFileSync(join(root, path), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\.(\w+)\(/g)].map(([, name = ""]) => name)));
}

/**
 * Returns the text of zod's module of classic schemas without the formats of strings that nothing calls, each of which
 * every string schema gets when it is created, and without the conversions to JSON schemas, of which the OpenAPI
 * document is made without the Worker. Throws an Error if `text` has none of them.
 */
export function leanZod(file: string, text: string, called: ReadonlySet<string>): string {
  const lean = text.replace(CONVERSION, "");
  const kept = lean.replace(FORMAT, (line, name: string) => (called.has(name) ? line : ""));
  if (lean === text || kept === lean) throw new Error(`${file}: no conversions or formats of schemas`);
  return kept;
}
