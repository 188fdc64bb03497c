/** A bare item of a structured field: a string, a token, a number or a boolean. */
export type BareItem = { string: string } | { token: string } | number | boolean;
/** An item with its parameters, in order. */
export interface ParameterizedItem {
  item: BareItem;
  parameters: Record<string, BareItem>;
}

const STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"/;
const NUMBER = /^-?(?:\d{1,12}\.\d{1,3}(?!\d)|\d{1,15}(?![\d.]))/;
const TOKEN = /^[A-Za-z*][!#$%&'*+\-.^_`|~\w:/]*/;
const KEY = /^[a-z*][a-z0-9_\-.*]*/;

/**
 * Parses a structured field of type List without inner lists, byte sequences, dates and display strings, as strictly as
 * the standard does. Throws for everything else. Source: RFC 9651, section 4.2.
 */
export function parseFieldList(text: string): ParameterizedItem[] {
  let rest = text.replace(/^ +| +$/g, "");
  const list: ParameterizedItem[] = [];
  const take = (pattern: RegExp): RegExpExecArray => {
    const found = pattern.exec(rest);
    if (found === null) throw new Error(`not a structured field at ${JSON.stringify(rest)}`);
    rest = rest.slice(found[0].length);
    return found;
  };
  const bareItem = (): BareItem => {
    if (rest.startsWith('"')) return { string: (take(STRING)[1] ?? "").replaceAll(/\\(.)/g, "$1") };
    if (rest.startsWith("?")) return take(/^\?[01]/)[0] === "?1";
    if (/^[-\d]/.test(rest)) return Number(take(NUMBER)[0]);
    return { token: take(TOKEN)[0] };
  };
  while (rest !== "") {
    const entry: ParameterizedItem = { item: bareItem(), parameters: {} };
    while (rest.startsWith(";")) {
      take(/^; */);
      const key = take(KEY)[0];
      entry.parameters[key] = rest.startsWith("=") && take(/^=/) !== null ? bareItem() : true;
    }
    list.push(entry);
    take(/^[ \t]*(?:,[ \t]*(?=[^ \t])|$)/);
  }
  return list;
}
