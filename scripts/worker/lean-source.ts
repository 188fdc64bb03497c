import {
  type Argument,
  type CallExpression,
  type Expression,
  type ObjectExpression,
  type ObjectPropertyKind,
  parseSync,
  type TaggedTemplateExpression,
  Visitor,
} from "oxc-parser";

/** Properties of a route's definition, and of its `response`, which only the OpenAPI document contains. */
const ROUTE_TEXTS: readonly string[] = ["operationId", "summary", "description", "tag", "errors"];
const RESPONSE_TEXTS: readonly string[] = ["description", "existing", "unavailable"];

/** Fields of an error code in the table of errors, of which only the page of errors shows `retryable`. */
const ERROR_FIELDS: readonly string[] = ["status", "title", "retryable"];
/** Methods of a table's columns that only set the type of its rows in TypeScript, or a constraint of migrations. */
const COLUMN_CALLS: readonly string[] = ["$type", "notNull", "references"];

/** A part of a module's text, and what replaces it. */
interface Cut {
  start: number;
  end: number;
  put: string;
}

/**
 * Returns a module's text without what the running Worker does not read. Only the OpenAPI document contains the calls
 * `.meta({ … })` of schemas and the texts and error codes of routes; only the page of errors shows `retryable`; only
 * migrations contain the keys, indexes and checks of tables (the third argument of `pgTable`), and `notNull` and
 * `references` of columns. Line breaks in SQL become spaces. Lines keep their numbers, except within such SQL. Throws if
 * `text` is not valid TypeScript.
 */
export function leanSource(file: string, text: string): string {
  if (!/\.meta\(|\b(?:defineRoute|pgTable)\(|\braw`|\bretryable:/.test(text)) return text;
  const { program, errors } = parseSync(file, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const cuts: Cut[] = [];
  const cut = (start: number, end: number): void => {
    cuts.push({ start, end, put: lineBreaks(text.slice(start, end)) });
  };
  new Visitor({
    CallExpression(call) {
      for (const { start, end } of unreadParts(call)) cut(start, end);
    },
    ObjectExpression(object) {
      const names = object.properties.map(nameOf);
      if (ERROR_FIELDS.every((name) => names.includes(name)))
        for (const { start, end } of spansOf(object, ["retryable"])) cut(start, end);
    },
    TaggedTemplateExpression(template) {
      cuts.push(...sqlLineBreaks(text, template));
    },
  }).visit(program);
  return withCuts(text, cuts);
}

/** Returns the parts of a call that the running Worker does not read. */
function unreadParts(call: CallExpression): { start: number; end: number }[] {
  const { callee, end } = call;
  const [first, second, third] = call.arguments;
  if (isNamed(callee, "pgTable") && second !== undefined && third !== undefined)
    return [{ start: second.end, end: third.end }];
  if (isNamed(callee, "defineRoute")) return first?.type === "ObjectExpression" ? routeTexts(first) : [];
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return [];
  const { name } = callee.property;
  const unread = first?.type === "ObjectExpression" ? name === "meta" : COLUMN_CALLS.includes(name);
  return unread ? [{ start: callee.object.end, end }] : [];
}

const isNamed = (
  node: Argument | Expression | { type: "PrivateIdentifier"; name: string },
  name: string,
): boolean => node.type === "Identifier" && node.name === name;

/** Returns the parts of a route's definition that only the OpenAPI document contains. */
function routeTexts(definition: ObjectExpression): { start: number; end: number }[] {
  const response = definition.properties.find((property) => nameOf(property) === "response");
  const described = response?.type === "Property" ? response.value : undefined;
  return [
    ...spansOf(definition, ROUTE_TEXTS),
    ...(described?.type === "ObjectExpression" ? spansOf(described, RESPONSE_TEXTS) : []),
  ];
}

/** Returns the parts of an object literal with the properties of these names, each up to the next property. */
function spansOf(
  { properties, end }: ObjectExpression,
  names: readonly string[],
): { start: number; end: number }[] {
  return properties.flatMap((property, index) => {
    const name = nameOf(property);
    if (name === undefined || !names.includes(name)) return [];
    return [{ start: property.start, end: properties[index + 1]?.start ?? end - 1 }];
  });
}

const nameOf = (property: ObjectPropertyKind): string | undefined =>
  property.type === "Property" && property.key.type === "Identifier" ? property.key.name : undefined;

/**
 * Returns the cuts that turn each line break of an SQL template into one space, and move it behind the template. None
 * if the template has comments, backslashes or dollar quotes, or a line break within quotes, because these depend on
 * whitespace.
 */
function sqlLineBreaks(text: string, { tag, quasi, end }: TaggedTemplateExpression): Cut[] {
  const parts = quasi.quasis.map((part) => ({ sql: text.slice(part.start, part.end), start: part.start }));
  const whole = parts.map(({ sql }) => sql).join("?");
  if (
    !isNamed(tag, "raw") ||
    /--|\/\*|\\|\$\$/.test(whole) ||
    /'[^']*\n|"[^"]*\n/.test(whole.replace(QUOTED, ""))
  )
    return [];
  const runs = parts.flatMap(({ sql, start }) =>
    [...sql.matchAll(/\s*\n\s*/g)].map(({ 0: run, index }) => ({
      start: start + index,
      end: start + index + run.length,
      put: " ",
    })),
  );
  return [...runs, { start: end, end, put: lineBreaks(whole) }];
}

/** A string or a quoted name of SQL on one line. */
const QUOTED = /'[^'\n]*'|"[^"\n]*"/g;

const lineBreaks = (text: string): string => text.replaceAll(/[^\n]/g, "");

/** Returns a text with its cuts made; a cut within another one is left out. */
function withCuts(text: string, cuts: readonly Cut[]): string {
  let kept = "";
  let last = 0;
  for (const { start, end, put } of cuts.toSorted((a, b) => a.start - b.start)) {
    if (start < last) continue;
    kept += text.slice(last, start) + put;
    last = end;
  }
  return kept + text.slice(last);
}
