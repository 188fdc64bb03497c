import { type ExportNamedDeclaration, type Program, parseSync, type Statement, Visitor } from "oxc-parser";

/** Exports of the package that Causeway and drizzle import. The bundler reports any other. */
const USED: readonly string[] = ["neon", "neonConfig", "types"];
/** The parsers of columns, which the package exports as a field of its client for sockets. */
const TYPES_OF_CLIENT = /\bvar export_types=\w+\.types;/;
/** The same where that client gets them, from their own module. */
const TYPES = /\bthis\.types=(\w+\(\))/;

/** A part of a module's text. `of`: the name that it declares or changes; null if it stays in any case. */
interface Part {
  start: number;
  end: number;
  of: string | null;
}

/**
 * Returns the text of the module of `@neondatabase/serverless` without the functions, classes and variables at its top
 * level that neither its used exports nor its first calls need: its clients for sockets, with their protocol, their
 * cryptography and their imitations of Node's modules. Throws an Error if `text` does not parse or has another form.
 */
export function leanNeon(file: string, text: string): string {
  const [, types] = TYPES.exec(text) ?? [];
  if (types === undefined || !TYPES_OF_CLIENT.test(text)) throw new Error(`${file}: no parsers of columns`);
  const direct = text.replace(TYPES_OF_CLIENT, `var export_types=${types};`);
  const { program, errors } = parseSync(file, direct);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const exported = program.body.find((one) => one.type === "ExportNamedDeclaration");
  if (exported === undefined) throw new Error(`${file}: no exports`);
  const used = usedExports(exported);
  if (used.length !== USED.length) throw new Error(`${file}: not all of ${USED.join(", ")} are exported`);
  const parts = program.body.flatMap((statement) => partsOf(statement as Statement));
  const needed = namesNeeded(program, { parts, roots: used.map(([local]) => local) });
  const cuts = [...parts.filter(({ of }) => of !== null && !needed.has(of)), exported];
  const kept = cuts
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, { start, end }) => left.slice(0, start) + left.slice(end), direct);
  return `${kept}export {${used.map(([local, name]) => `${local} as ${name}`).join()}};\n`;
}

/** Returns the local names of the used exports, with their names outside. */
function usedExports({ specifiers }: ExportNamedDeclaration): [string, string][] {
  return specifiers.flatMap(({ local, exported }): [string, string][] => {
    if (local.type !== "Identifier" || exported.type !== "Identifier") return [];
    return USED.includes(exported.name) ? [[local.name, exported.name]] : [];
  });
}

/** Returns the parts of a statement that may be left out: functions, values of variables, and what changes either. */
function partsOf(statement: Statement): Part[] {
  const { start, end, type } = statement;
  if (type === "FunctionDeclaration") return [{ start, end, of: statement.id?.name ?? null }];
  if (type === "ExpressionStatement") return [{ start, end, of: changedBy(statement.expression) }];
  if (type !== "VariableDeclaration")
    return type === "ExportNamedDeclaration" ? [] : [{ start, end, of: null }];
  // The variable itself stays, so that commas and references remain valid.
  return statement.declarations.map(({ id, end: last }) =>
    id.type === "Identifier" ? { start: id.end, end: last, of: id.name } : { start, end: last, of: null },
  );
}

type Expression = Extract<Statement, { type: "ExpressionStatement" }>["expression"];

/** Returns the name that a statement changes: a call's first argument, or the object of which a member is assigned. */
function changedBy(expression: Expression): string | null {
  if (expression.type === "CallExpression") {
    const [first] = expression.arguments;
    return first?.type === "Identifier" ? first.name : null;
  }
  if (expression.type !== "AssignmentExpression" || expression.left.type !== "MemberExpression") return null;
  const { object } = expression.left;
  return object.type === "Identifier" ? object.name : null;
}

/**
 * Returns the names that the roots and the parts without a name refer to, directly or through other parts. A local name
 * counts as the one at the top level that is spelt like it.
 */
function namesNeeded(
  program: Program,
  { parts, roots }: { parts: readonly Part[]; roots: readonly string[] },
): ReadonlySet<string> {
  const found: { name: string; start: number }[] = [];
  new Visitor({ Identifier: ({ name, start }) => void found.push({ name, start }) }).visit(program);
  const refersTo = ({ start, end }: Part): string[] =>
    found.filter((one) => one.start >= start && one.start < end).map(({ name }) => name);
  const needed = new Set<string>();
  const open = [...roots, ...parts.filter(({ of }) => of === null).flatMap(refersTo)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (needed.has(name)) continue;
    needed.add(name);
    open.push(...parts.filter(({ of }) => of === name).flatMap(refersTo));
  }
  return needed;
}
