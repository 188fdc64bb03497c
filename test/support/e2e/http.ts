import { expect } from "vitest";
import { z } from "zod";
import type { HttpAnswer } from "../../../scripts/smoke/http-request.ts";

/** Parses a response's body. Fails the test and shows the response if its status is not the expected one. */
export function bodyOf<S extends z.ZodType>(
  answer: HttpAnswer,
  { schema, status = 200 }: { schema: S; status?: number },
): z.output<S> {
  expect(answer.status, answer.text).toBe(status);
  return schema.parse(answer.json);
}

const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
  })
  .catchall(z.unknown());
/** A parsed problem document. */
export type Problem = z.output<typeof Problem>;

/** Parses a problem document (RFC 9457) and checks its standard members against the response. */
export function problemOf(answer: HttpAnswer): Problem {
  expect(answer.headers.get("content-type"), answer.text).toBe("application/problem+json");
  const problem = Problem.parse(answer.json);
  expect(problem.status).toBe(answer.status);
  expect(problem.type).toBe(`/docs/errors#${problem.code}`);
  expect(problem.request_id).toBe(answer.headers.get("x-request-id"));
  return problem;
}

const Finding = z.strictObject({
  loc: z.array(z.union([z.string(), z.int()])).min(1),
  msg: z.string().min(1),
  type: z.string().min(1),
});
const Invalid = z.strictObject({ detail: z.array(Finding).min(1) });

/**
 * Returns the locations of the issues in a 422 response, such as `body.from_amount`. Fails the test for any other
 * status or format.
 */
export function findingsOf(answer: HttpAnswer): string[] {
  expect(answer.status, answer.text).toBe(422);
  expect(answer.headers.get("content-type")).toBe("application/json");
  return Invalid.parse(answer.json).detail.map(({ loc }) => loc.join("."));
}
