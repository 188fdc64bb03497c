import type { Context as HonoContext } from "hono";
import * as z from "zod";
import { nearestName } from "../lib/nearest-name.ts";
import type { ValidationIssue } from "../schemas/error-schema.ts";
import type { RouteInput, ServedRoute } from "./define-route.ts";
import type { AppEnv } from "./hono-env.ts";
import { messageOfIssue } from "./input-issue-message.ts";
import { MemoByUrl } from "./memo-by-url.ts";
import { isStrict, parseJsonBody } from "./parse-json-body.ts";

/** The parsed parts of a request; a part without a schema is undefined. */
type ValidatedInput = RouteInput<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>;

/** Inputs of GET requests without a query string, which only the path decides. */
const inputsByUrl = new MemoByUrl<ValidatedInput>();

/**
 * Parses the path, query, headers and body of a request with the route's schemas. Null counts as absent in an optional
 * body field that does not allow it. Requests may share one input. Throws a ValidationFailure that lists the issues of
 * all parts.
 */
export function validate(c: HonoContext<AppEnv>, route: ServedRoute): ValidatedInput {
  const { url } = c.req;
  // With a query string, the clock may decide as well: a period may be given by ages.
  const isPath = route.method === "get" && route.headers === undefined && !url.includes("?");
  return isPath ? inputsByUrl.get(route, url, () => frozen(parse(c, route))) : parse(c, route);
}

/** Freezes a value that several requests share, with all that it contains. Returns it. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Parses a request as `validate` does, without looking for an earlier one with the same input. */
function parse(c: HonoContext<AppEnv>, route: ServedRoute): ValidatedInput {
  const issues: ValidationIssue[] = [];
  const check = (target: InputTarget, schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const given = value();
    const parsed = schema.safeParse(given);
    if (!parsed.success) {
      issues.push(...toIssues(target, { error: parsed.error, schema, given }));
      return undefined;
    }
    for (const path of findUnstorableText(parsed.data)) {
      issues.push({
        loc: [target, ...path],
        msg: "must not contain U+0000 or unpaired surrogates",
        type: "invalid_text",
      });
    }
    return parsed.data;
  };
  const params = check("path", route.params, () => c.req.param());
  const queries = flattenQueries(c.req.queries());
  if (refusesUnknownParameters(route))
    issues.push(...findUnknownParameters(queries, { route, url: c.req.url }));
  const query = check("query", route.query, () => queries);
  const headers = check("header", route.headers, () => c.req.header());
  const body = route.body === undefined ? undefined : parseJsonBody(c, route);
  if (body !== undefined && "issues" in body) issues.push(...body.issues);
  const parsedBody =
    body !== undefined && "json" in body
      ? check("body", route.body, () => withoutNulls(body.json, route.body))
      : undefined;
  if (issues.length > 0) throw new ValidationFailure(issues);
  return { params, query, headers, body: parsedBody } as ValidatedInput;
}

/**
 * Converts query parameters to single values. A repeated parameter stays a list, which the schema of a single value
 * rejects.
 */
function flattenQueries(queries: Record<string, string[]>): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(queries).map(([key, all]) => [key, all.length === 1 ? all[0] : all]),
  );
}

/**
 * Returns true if a route rejects undeclared query parameters: a GET route or one with a strict body schema, unless it
 * sets `ignoresUnknownQuery`. Otherwise a misspelled filter would be ignored, and shared caches, which store one copy
 * per query string, would fill up.
 */
export function refusesUnknownParameters({ method, body, ignoresUnknownQuery }: ServedRoute): boolean {
  if (ignoresUnknownQuery === true) return false;
  return method === "get" || isStrict(body);
}

/** Returns one issue for each query parameter that a route does not declare. */
function findUnknownParameters(
  queries: Record<string, unknown>,
  { route, url }: { route: ServedRoute; url: string },
): ValidationIssue[] {
  const known = Object.keys(route.query?.shape ?? {});
  const unknown = Object.keys(queries).filter((name) => !known.includes(name));
  // Hono leaves out parameters without a name.
  if (/[?&]=/.test(url)) unknown.push("");
  return unknownFields(unknown, { loc: ["query"], known });
}

/** Maximum number of unknown fields that are reported individually, because a body may have thousands. */
const MAX_UNKNOWN = 20;

/** Returns the issues for the unknown fields `names` of the object at `loc`. */
function unknownFields(
  names: readonly string[],
  { loc, known }: { loc: ValidationIssue["loc"]; known: readonly string[] },
): ValidationIssue[] {
  const issues = names.slice(0, MAX_UNKNOWN).map((name) => unknownField([...loc, name], known));
  const more = names.length - issues.length;
  if (more > 0) issues.push({ loc, msg: `${more} more unknown fields`, type: "unknown_field" });
  return issues;
}

/** Returns the issue for an unknown field, with the known name that it probably means. */
function unknownField(loc: ValidationIssue["loc"], known: readonly string[]): ValidationIssue {
  const name = String(loc.at(-1));
  const meant = nearestName(name, known);
  const all = known.length === 0 ? "none is accepted here" : `accepted: ${known.join(", ")}`;
  const [encoded = ""] = name.split("=");
  let hint = meant === null ? all : `did you mean ${meant}?`;
  if (meant === null && isTrackingId(name)) hint = `${TRACKING_ID_PLACE}; ${all}`;
  if (encoded !== name && known.includes(encoded))
    hint = `write ${encoded}=… without encoding the equals sign`;
  return {
    loc: [...loc],
    msg: `unknown field ${JSON.stringify(name.slice(0, 64))}: ${hint}`,
    type: "unknown_field",
  };
}

/**
 * Returns a JSON body without null values of optional fields that do not allow null: such a field may be null in place
 * of being absent. A list that is too long is cut behind the first item too many: zod would check all of them first.
 */
function withoutNulls(json: unknown, schema: z.core.$ZodType | undefined): unknown {
  if (Array.isArray(json)) {
    const options = schema instanceof z.ZodUnion ? schema.options : [schema];
    const list = options.find((option) => option instanceof z.ZodArray);
    const most = list?._zod.bag["maximum"];
    return typeof most === "number" ? json.slice(0, most + 1) : json;
  }
  if (!(schema instanceof z.ZodObject) || typeof json !== "object" || json === null) return json;
  const fields: Record<string, z.core.$ZodType> = schema.shape;
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(json)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const optional = field instanceof z.ZodOptional || field instanceof z.ZodDefault;
    if (value === null && optional && !field.safeParse(null).success) continue;
    entries.push([name, withoutNulls(value, optional ? field.unwrap() : field)]);
  }
  return Object.fromEntries(entries);
}

/** The part of a request that an input value comes from. */
type InputTarget = "path" | "query" | "header" | "body";

/** Error for a request with invalid input. The response has status 422 and lists all issues. */
export class ValidationFailure extends Error {
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super("invalid input");
    this.name = "ValidationFailure";
    this.issues = issues;
  }
}

/**
 * Converts zod's issues to the wire format. An issue's location is the part of the request followed by the path to the
 * field.
 */
function toIssues(
  target: InputTarget,
  { error, schema, given }: { error: z.ZodError; schema: z.ZodType; given: unknown },
): ValidationIssue[] {
  const mistyped = error.issues.filter(({ code }) => code === "invalid_type").map(({ path }) => path.join());
  return error.issues.flatMap((issue) => {
    // The size of a value of another type says nothing: "read" in place of ["read"] is not too long.
    if (issue.code === "too_big" && mistyped.includes(issue.path.join())) return [];
    const loc = [target, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") {
      const known = schema instanceof z.ZodObject && issue.path.length === 0 ? Object.keys(schema.shape) : [];
      return unknownFields(issue.keys, { loc, known });
    }
    if (isMissing(issue))
      return [{ loc, msg: `is required${misspelling(issue, { schema, given })}`, type: "missing" }];
    const value = valueAt(given, issue.path);
    if (issue.path.length === 0 && issue.code === "invalid_type")
      return [{ loc, msg: noObject(value), type: issue.code }];
    if (target === "query" && Array.isArray(value))
      return [{ loc, msg: "is given more than once: send it once", type: issue.code }];
    const msg = messageOfIssue(issue);
    if (issue.code === "invalid_value" && value === undefined)
      return [{ loc, msg: `is required: ${msg}`, type: "missing" }];
    if (issue.code === "invalid_type" && value === undefined) return [{ loc, msg, type: "missing" }];
    return [{ loc, msg, type: issue.code }];
  });
}

/** Returns true if an issue reports a missing required field. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_type" && /received undefined$/.test(issue.message);
}

/**
 * Returns the end of a message about a missing field: the undeclared field that the request has instead, or an empty
 * string. Objects that reject unknown fields report such a field themselves.
 */
function misspelling(
  { path }: z.core.$ZodIssue,
  { schema, given }: { schema: z.ZodType; given: unknown },
): string {
  const name = String(path.at(-1));
  if (!(schema instanceof z.ZodObject) || isStrict(schema) || path.length !== 1) return "";
  const known = Object.keys(schema.shape);
  const others = Object.keys(given as object).filter((key) => !known.includes(key));
  const meant = others.find((key) => nearestName(key, known) === name);
  if (meant !== undefined) return `: it has this name, and not ${JSON.stringify(meant.slice(0, 64))}`;
  return name === "tx_hash" && others.some(isTrackingId) ? `; ${TRACKING_ID_PLACE}` : "";
}

const isTrackingId = (name: string): boolean => /^tracking_?id$/i.test(name);
/** Where to send a tracking id that an operation does not take. */
const TRACKING_ID_PLACE =
  "a tracking id goes to GET /v1/deposits/{tracking_id} or GET /v1/withdrawals/{tracking_id}";

/** Returns the message about a body that is no JSON object. */
function noObject(value: unknown): string {
  const rule = "must be a JSON object";
  if (Array.isArray(value)) return `${rule}, not a list: send a request for each`;
  return typeof value === "string" ? `${rule}, not a string: encode the object once` : rule;
}

/** Returns the value at a path of a JSON value, or undefined if there is none. */
function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (of, part) => (typeof of === "object" && of !== null ? Reflect.get(of, part) : undefined),
    value,
  );
}

type FieldPath = (string | number)[];

/**
 * Returns the paths of strings in a parsed input that the database cannot store: strings with U+0000, which Postgres
 * rejects, or with an unpaired surrogate, which is not valid Unicode.
 */
function findUnstorableText(value: unknown, path: FieldPath = []): FieldPath[] {
  if (typeof value === "string") return value.includes("\u0000") || LONE_SURROGATE.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findUnstorableText(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findUnstorableText(item, [...path, key]));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
