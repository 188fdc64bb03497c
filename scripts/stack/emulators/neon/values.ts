const BOOL = 16;
const INTEGERS = new Set([21, 23]);
const FLOATS = new Set([700, 701]);
const JSONS = new Set([114, 3802]);
/** Element type by array type, for the types whose elements Neon converts. */
const ELEMENTS = new Map([
  [1000, 16],
  [1005, 21],
  [1007, 23],
  [1021, 700],
  [1022, 701],
  [199, 114],
  [3807, 3802],
  [1009, 25],
  [1015, 1043],
  [1016, 20],
  [1231, 1700],
  [2951, 2950],
]);

/** Converts a value's text to JSON by the OID of its type, as Neon does unless `Neon-Raw-Text-Output` is set. */
export function fromPostgresText(text: string | null, type: number): unknown {
  if (text === null) return null;
  const element = ELEMENTS.get(type);
  if (element !== undefined) return parseArray(text, element);
  if (type === BOOL) return text === "t";
  if (INTEGERS.has(type)) return Number(text);
  if (FLOATS.has(type)) return Number.isFinite(Number(text)) ? Number(text) : text;
  return JSONS.has(type) ? JSON.parse(text) : text;
}

/** Parses an array literal such as `{1,NULL,"a \"b\"",{2}}`. */
function parseArray(literal: string, element: number): unknown[] {
  let at = literal.indexOf("{") + 1;
  const readQuoted = (): string => {
    let text = "";
    for (at += 1; literal[at] !== '"'; at += 1) {
      if (literal[at] === "\\") at += 1;
      text += literal[at] ?? "";
    }
    at += 1;
    return text;
  };
  const readList = (): unknown[] => {
    const list: unknown[] = [];
    while (at < literal.length && literal[at] !== "}") {
      if (literal[at] === ",") at += 1;
      else list.push(readItem());
    }
    at += 1;
    return list;
  };
  const readItem = (): unknown => {
    if (literal[at] === '"') return fromPostgresText(readQuoted(), element);
    if (literal[at] === "{") {
      at += 1;
      return readList();
    }
    const start = at;
    while (at < literal.length && literal[at] !== "," && literal[at] !== "}") at += 1;
    const text = literal.slice(start, at);
    return text === "NULL" ? null : fromPostgresText(text, element);
  };
  return readList();
}
