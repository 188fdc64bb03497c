import type { z } from "@hono/zod-openapi";
import type { ValidationIssue } from "../schemas/error.ts";

/** Where in a request an input stands. */
export type InputTarget = "path" | "query" | "header" | "body";

/** A request whose input is invalid: 422 with every finding. */
export class ValidationFailure extends Error {
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super("invalid input");
    this.name = "ValidationFailure";
    this.issues = issues;
  }
}

/** Turns zod's findings into the wire shape, each located by target and path. */
export function toIssues(target: InputTarget, error: z.ZodError): ValidationIssue[] {
  return error.issues.flatMap((issue) => {
    const loc = [target, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ loc: [...loc, key], msg: "unknown field", type: issue.code }));
    }
    const missing = issue.code === "invalid_type" && /received undefined$/.test(issue.message);
    return [{ loc, msg: issue.message, type: missing ? "missing" : issue.code }];
  });
}
