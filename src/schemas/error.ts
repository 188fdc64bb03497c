import { z } from "@hono/zod-openapi";

/** Invalid input, on any endpoint. */
export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])).openapi({ example: ["body", "from_amount"] }),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .openapi("ValidationError");

export type ValidationIssue = z.infer<typeof ValidationErrorBody>["detail"][number];

/** Every other failure (RFC 9457), plus the members its code declares. */
export const ProblemBody = z
  .object({
    type: z.string().openapi({ example: "/docs/errors#vault_not_found" }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    reason: z.string().optional(),
    reasons: z.array(z.object({ code: z.string(), detail: z.string() })).optional(),
    revert: z.string().nullable().optional(),
    min_deposit: z.string().nullable().optional(),
    max_deposit: z.string().nullable().optional(),
    retry_after: z.int().optional(),
  })
  .openapi("Problem");
