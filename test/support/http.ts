import { expect } from "vitest";
import { z } from "zod";
import type { HttpAnswer } from "../../scripts/smoke/http-request.ts";

/** The answer's body as the schema types it. Fails, showing the answer, unless the status is as expected. */
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
export type Problem = z.output<typeof Problem>;

/** The problem document of a refusal (RFC 9457), its standard members checked against the answer itself. */
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

/** Where each finding of a 422 stands, as `body.from_amount`. Fails on any other status or shape. */
export function findingsOf(answer: HttpAnswer): string[] {
  expect(answer.status, answer.text).toBe(422);
  expect(answer.headers.get("content-type")).toBe("application/json");
  return Invalid.parse(answer.json).detail.map(({ loc }) => loc.join("."));
}
