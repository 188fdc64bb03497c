/**
 * Enforces that a migration only expands the schema, so that the previous version works during it, after it and after
 * a rollback. Existing objects keep their names, types and constraints. A file that begins with `-- contract: why it
 * is no longer used` may drop objects and do nothing else.
 */
import { globSync, readFileSync } from "node:fs";
import { readArguments } from "../command.ts";

readArguments({
  help: `Enforces that a migration only expands the schema, so that the previous version keeps working.

  node scripts/checks/expand-only.ts

  --help  show this text`,
});

/** Objects that the same migration created before. The previous version of the service does not write to them. */
interface Made {
  tables: Set<string>;
  /** New columns of existing tables, as `table.column`, with the value that an insert without them stores. */
  columns: Map<string, "null" | "false" | "other">;
}
/** Function that returns the problem of a statement, or null. */
type Rule = (parts: Record<string, string>, made: Made) => string | null;

const TABLE = '(?:"public"\\.)?"(?<table>\\w+)"';
const statement = (pattern: string): RegExp => new RegExp(`^${pattern}$`, "s");
const onNewTable: Rule = ({ table = "" }, { tables }) =>
  tables.has(table) ? null : `binds what the version before writes to ${table}`;

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [
    statement(`CREATE TABLE ${TABLE} \\(.+\\)`),
    ({ table = "" }, made) => {
      made.tables.add(table);
      return null;
    },
  ],
  [statement(`ALTER TABLE ${TABLE} ADD COLUMN "(?<column>\\w+)" (?<rest>.+)`), addColumn],
  [statement(`CREATE INDEX "\\w+" ON ${TABLE} .+`), () => null],
  [
    statement(
      `CREATE UNIQUE INDEX "(?<index>\\w+)" ON ${TABLE} USING \\w+ \\((?<keys>[^()]+)\\)(?<where>.*)`,
    ),
    addUnique,
  ],
  [statement(`ALTER TABLE ${TABLE} ADD CONSTRAINT .+`), onNewTable],
  [statement(`CREATE FUNCTION .+`), () => null],
  [statement(`CREATE TRIGGER "\\w+" [A-Z ]+ ON ${TABLE} .+`), onNewTable],
];
const DROPS =
  /^(DROP (TABLE|INDEX|TRIGGER|FUNCTION) .+|ALTER TABLE \S+ (DROP (COLUMN|CONSTRAINT) .+|ALTER COLUMN \S+ DROP (NOT NULL|DEFAULT)))$/s;

function addColumn(
  { table = "", column = "", rest = "" }: Record<string, string>,
  made: Made,
): string | null {
  if (made.tables.has(table)) return null;
  if (/\b(PRIMARY KEY|UNIQUE|REFERENCES|CHECK|GENERATED)\b/.test(rest))
    return `binds what the version before writes to ${table}`;
  const hasDefault = /\bDEFAULT\b/.test(rest);
  if (/\bNOT NULL\b/.test(rest) && !hasDefault)
    return `the version before names no ${table}.${column}, which has no default`;
  const left = /\bDEFAULT false\b/.test(rest) ? "false" : "other";
  made.columns.set(`${table}.${column}`, hasDefault ? left : "null");
  return null;
}

/** The unique indexes that the files so far have made and not dropped, by name. */
const uniques = new Map<string, { table: string; keys: readonly string[]; where: string }>();

/**
 * Allows a unique index only when no row of the previous version can violate it: a new column leaves it null or false,
 * or an earlier unique index has some of its columns and no others.
 */
function addUnique(parts: Record<string, string>, made: Made): string | null {
  const { index = "", table = "", keys = "", where = "" } = parts;
  const columns = keys.split(",").map((key) => key.trim());
  const weaker = [...uniques.values()].some(
    (one) => one.table === table && one.where === where && one.keys.every((key) => columns.includes(key)),
  );
  uniques.set(index, { table, keys: columns, where });
  if (weaker) return null;
  const leaves = (column: string | undefined) => made.columns.get(`${table}.${column}`);
  if (keys.split(",").some((key) => leaves(key.replaceAll('"', "").trim()) === "null")) return null;
  if (leaves(/^ WHERE "\w+"\."(\w+)"$/.exec(where)?.[1]) === "false") return null;
  return onNewTable(parts, made);
}

function problemOf(text: string, { made, contracts }: { made: Made; contracts: boolean }): string | null {
  const bare = text.replace(/\$\$.*?\$\$|'[^']*'/gs, "''");
  if (bare.includes(";")) return "is more than one statement";
  if (contracts) {
    uniques.delete(/^DROP INDEX "(\w+)"/.exec(bare)?.[1] ?? "");
    return DROPS.test(bare) ? null : "is no drop, in a file that contracts";
  }
  for (const [pattern, rule] of RULES) {
    const found = pattern.exec(bare);
    if (found !== null) return rule(found.groups ?? {}, made);
  }
  return "is not known to expand";
}

function problemsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const contracts = /^-- contract: \S+/.test(text);
  const made: Made = { tables: new Set(), columns: new Map() };
  const bare = text.replace(/^--(?!> ).*\n/gm, "");
  return bare.split("--> statement-breakpoint").flatMap((part) => {
    const trimmed = part.trim().replace(/;$/, "");
    if (trimmed === "") return [];
    const problem = problemOf(trimmed, { made, contracts });
    return problem === null ? [] : [`${file}: ${trimmed.split("\n")[0]?.slice(0, 90)}: ${problem}`];
  });
}

const files = globSync("drizzle/*.sql").sort();
const problems = files.flatMap(problemsOf);
if (files.length === 0) problems.push("drizzle holds no migration");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`migrations: all ${files.length} only expand`);
