import type { Context as HonoContext } from "hono";
import type * as z from "zod";
import type { ValidationIssue } from "../schemas/error-schema.ts";
import type { AnyRoute, RouteInput } from "./define-route.ts";

type ValidatedInput = RouteInput<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>;

/** Parses path, query, headers and body of a request. Throws ValidationFailure with the errors of all of them. */
export async function validate(c: HonoContext, route: AnyRoute): Promise<ValidatedInput> {
  const issues: ValidationIssue[] = [];
  const check = (target: InputTarget, schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const parsed = schema.safeParse(value());
    if (!parsed.success) {
      issues.push(...toIssues(target, parsed.error));
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
  const query = check("query", route.query, () => flattenQueries(c.req.queries()));
  const headers = check("header", route.headers, () => c.req.header());
  const body = route.body === undefined ? undefined : await readJson(c);
  if (body !== undefined && "issue" in body) issues.push(body.issue);
  const parsedBody =
    body !== undefined && "json" in body ? check("body", route.body, () => body.json) : undefined;
  if (issues.length > 0) throw new ValidationFailure(issues);
  return { params, query, headers, body: parsedBody } as ValidatedInput;
}

/** Flattens query parameters: repeated ones stay a list, which a schema for a single value refuses. */
function flattenQueries(queries: Record<string, string[]>): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(queries).map(([key, all]) => [key, all.length === 1 ? all[0] : all]),
  );
}

type ParsedBody = { json: unknown } | { issue: ValidationIssue };

async function readJson(c: HonoContext): Promise<ParsedBody> {
  const refuse = (type: string, msg: string): ParsedBody => ({ issue: { loc: ["body"], msg, type } });
  const text = await c.req.text();
  if (text.trim() === "") return refuse("missing", "a JSON body is required");
  const contentType = c.req.header("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    return refuse("content_type", "the content type must be application/json");
  }
  try {
    return { json: JSON.parse(text) };
  } catch {
    return refuse("json_invalid", "the body must be valid JSON");
  }
}

/** The part of a request that an input comes from. */
type InputTarget = "path" | "query" | "header" | "body";

/** Invalid input of a request: answered with 422 and all errors. */
export class ValidationFailure extends Error {
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super("invalid input");
    this.name = "ValidationFailure";
    this.issues = issues;
  }
}

/** Converts zod's issues to the wire format, with target and path as location. */
function toIssues(target: InputTarget, error: z.ZodError): ValidationIssue[] {
  return error.issues.flatMap((issue) => {
    const loc = [target, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ loc: [...loc, key], msg: "unknown field", type: issue.code }));
    }
    const missing = issue.code === "invalid_type" && /received undefined$/.test(issue.message);
    return [{ loc, msg: issue.message, type: missing ? "missing" : issue.code }];
  });
}

type FieldPath = (string | number)[];

/**
 * Returns the paths of texts in a parsed input that the database cannot store: with U+0000, which Postgres refuses, or
 * with an unpaired surrogate, which is not valid Unicode.
 */
function findUnstorableText(value: unknown, path: FieldPath = []): FieldPath[] {
  if (typeof value === "string") return value.includes("\u0000") || LONE_SURROGATE.test(value) ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => findUnstorableText(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => findUnstorableText(item, [...path, key]));
}

const LONE_SURROGATE = /\p{Surrogate}/u;
