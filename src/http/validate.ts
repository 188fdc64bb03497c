import type { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { ValidationIssue } from "../schemas/error.ts";
import type { AnyRoute, RouteInput } from "./define-route.ts";
import { findUnstorableText } from "./unstorable-text.ts";
import { type InputTarget, toIssues, ValidationFailure } from "./validation-failure.ts";

type Input = RouteInput<z.ZodObject, z.ZodObject, z.ZodObject, z.ZodType>;

/**
 * Parses path, query, headers and body of a request. Throws ValidationFailure with the findings of all
 * of them together.
 */
export async function validate(c: HonoContext, route: AnyRoute): Promise<Input> {
  const issues: ValidationIssue[] = [];
  const check = (target: InputTarget, schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const parsed = schema.safeParse(value());
    if (!parsed.success) {
      issues.push(...toIssues(target, parsed.error));
      return undefined;
    }
    for (const path of findUnstorableText(parsed.data)) {
      issues.push({ loc: [target, ...path], msg: "has characters that are no text", type: "invalid_text" });
    }
    return parsed.data;
  };
  const params = check("path", route.params, () => c.req.param());
  const query = check("query", route.query, () => flatten(c.req.queries()));
  const headers = check("header", route.headers, () => c.req.header());
  const body = route.body === undefined ? undefined : await readJson(c);
  if (body !== undefined && "issue" in body) issues.push(body.issue);
  const parsedBody =
    body !== undefined && "json" in body ? check("body", route.body, () => body.json) : undefined;
  if (issues.length > 0) throw new ValidationFailure(issues);
  return { params, query, headers, body: parsedBody } as Input;
}

/** Single values as text, repeated ones as a list, so that a schema for one value refuses several. */
function flatten(queries: Record<string, string[]>): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(queries).map(([key, all]) => [key, all.length === 1 ? all[0] : all]),
  );
}

type Body = { json: unknown } | { issue: ValidationIssue };

async function readJson(c: HonoContext): Promise<Body> {
  const refuse = (type: string, msg: string): Body => ({ issue: { loc: ["body"], msg, type } });
  const text = await c.req.text();
  if (text.trim() === "") return refuse("missing", "a JSON body is required");
  const contentType = c.req.header("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    return refuse("content_type", "the content type must be application/json");
  }
  try {
    return { json: JSON.parse(text) };
  } catch {
    return refuse("json_invalid", "the body is not JSON");
  }
}
