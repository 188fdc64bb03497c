import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClassElement, parseSync, Visitor } from "oxc-parser";

/** Files of the Worker that send commands to Redis. */
const SENDING = "src/redis/*.ts";
/** Name of the client's class in the package's module. */
const CLIENT = "Redis";
/** Members that the package's own constructors use. */
const INTERNAL: readonly string[] = ["use", "addTelemetry", "readYourWritesSyncToken", "constructor"];

/** Returns the names of the members of Upstash's client that the Worker uses. `root`: path of the repository. */
export function sentCommands(root: string): ReadonlySet<string> {
  const texts = globSync(SENDING, { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/\bredis\.(\w+)/g)].map(([, name = ""]) => name)));
}

/**
 * Returns the text of the module of `@upstash/redis` in which the client's class has only the commands in `sent`, so that
 * the bundler leaves out the others. Throws an Error if `text` does not parse or has no such class.
 */
export function leanRedis(file: string, text: string, sent: ReadonlySet<string>): string {
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const cuts: ClassElement[] = [];
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || id.name !== CLIENT || init?.type !== "ClassExpression") return;
      cuts.push(...init.body.body.filter((member) => isCommand(member) && !sent.has(nameOf(member))));
    },
  }).visit(program);
  if (cuts.length === 0) throw new Error(`${file}: no commands of a class ${CLIENT}`);
  return cuts.reduceRight((kept, { start, end }) => kept.slice(0, start) + kept.slice(end), text);
}

const nameOf = (member: ClassElement): string =>
  "key" in member && member.key.type === "Identifier" ? member.key.name : "";

/** Returns true for a member that makes or sends a command: a function or a getter. */
function isCommand(member: ClassElement): boolean {
  if (INTERNAL.includes(nameOf(member))) return false;
  if (member.type === "PropertyDefinition") return member.value?.type === "ArrowFunctionExpression";
  return member.type === "MethodDefinition";
}
