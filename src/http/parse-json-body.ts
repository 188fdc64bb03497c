import type { Context as HonoContext } from "hono";
import * as z from "zod";
import type { ValidationIssue } from "../schemas/error-schema.ts";
import type { ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";

/** A parsed JSON body, or the issues that prevented parsing. */
type ParsedBody = { json: unknown } | { issues: ValidationIssue[] };

/**
 * Parses the JSON body of a request, or returns the issues if it is empty, malformed or has another content type. A
 * route that rejects unknown fields also rejects a repeated field of the outermost object.
 */
export function parseJsonBody(c: HonoContext<AppEnv>, { body }: ServedRoute): ParsedBody {
  const refuse = (type: string, msg: string): ParsedBody => ({ issues: [{ loc: ["body"], msg, type }] });
  const text = c.get("bodyText") ?? "";
  if (text.trim() === "") {
    const empty = body?.safeParse({}).success === true ? ": {} is enough" : "";
    return refuse("missing", `a JSON body is required${empty}`);
  }
  const contentType = c.req.header("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    return refuse("content_type", "the content type must be application/json: send the header Content-Type");
  }
  try {
    const json: unknown = JSON.parse(text);
    if (!isStrict(body)) return { json };
    const issues = duplicateMembers(text).map(givenTwice);
    // The schema ignores a member of this name.
    if (Object(json) === json && Object.hasOwn(json as object, "__proto__")) issues.push(PROTOTYPE);
    return issues.length === 0 ? { json } : { issues };
  } catch (error) {
    return refuse("json_invalid", `the body must be valid JSON${positionOf(error)}`);
  }
}

/** Returns true if a schema is a zod object that rejects unknown fields. */
export function isStrict(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

/**
 * Returns the end of a message about a syntax error, as far as the engine tells: its position, that the text ends too
 * early, or the character that is not JSON, such as the `N` of `NaN` or the `/` of a comment. Otherwise an empty text.
 */
function positionOf(error: unknown): string {
  const text = String(error);
  const position = /\bposition (\d+)/.exec(text)?.[1];
  if (position !== undefined) return `: look at character ${Number(position) + 1}`;
  if (/\bend of JSON\b/.test(text)) return ": it ends too early";
  const character = /\bUnexpected token '(.)'/su.exec(text)?.[1];
  return character === undefined ? "" : `: unexpected character ${JSON.stringify(character)}`;
}

const givenTwice = (name: string): ValidationIssue => ({
  loc: ["body", name],
  msg: "is given more than once: send it once",
  type: "repeated",
});

const PROTOTYPE: ValidationIssue = {
  loc: ["body", "__proto__"],
  msg: 'unknown field "__proto__"',
  type: "unknown_field",
};

/** A string of a JSON text, with the colon if it is the name of a member, or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[[\]{}]/g;

/**
 * Returns the names of the members that the outermost object of a valid JSON text has more than once, each once.
 * `JSON.parse` silently keeps the last of them.
 */
export function duplicateMembers(text: string): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  let depth = 0;
  for (const [token, name, colon] of text.matchAll(TOKEN)) {
    if (name === undefined) depth += token === "{" || token === "[" ? 1 : -1;
    if (name === undefined || colon === undefined || depth !== 1) continue;
    const member = String(JSON.parse(name));
    if (seen.has(member)) twice.add(member);
    seen.add(member);
  }
  return [...twice];
}
