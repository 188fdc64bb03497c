import * as z from "zod";

/** Invalid input, on any endpoint. */
export const ValidationErrorBody = z
  .object({
    detail: z
      .array(
        z.object({
          loc: z.array(z.union([z.string(), z.int()])).meta({
            description:
              "Location of the problem: `body`, `query`, `path` or `header`, then the path to the field.",
            example: ["body", "from_amount"],
          }),
          msg: z.string().meta({
            description: "Explanation for people.",
            example: "must be a positive integer in the smallest unit, as a decimal string",
          }),
          type: z.string().meta({ description: "Kind of problem, for programs.", example: "invalid_format" }),
        }),
      )
      .meta({ description: "Every problem found in the request." }),
  })
  .meta({ id: "ValidationError", description: "The problems of an invalid request." });

export type ValidationIssue = z.infer<typeof ValidationErrorBody>["detail"][number];

/** Every other failure (RFC 9457), plus the members its code declares. */
export const ProblemBody = z
  .object({
    type: z.string().meta({
      description: "Relative URL of the code's explanation.",
      example: "/docs/errors#vault_not_found",
    }),
    title: z.string().meta({ description: "Meaning of the code.", example: "No such vault" }),
    status: z.int().meta({ description: "HTTP status of the response.", example: 404 }),
    detail: z.string().meta({
      description: "Explanation of what was wrong with this request.",
      example: "there is no vault 8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183",
    }),
    code: z.string().meta({
      description: "Stable error code; every code is explained at `/docs/errors`.",
      example: "vault_not_found",
    }),
    request_id: z.string().meta({
      description: "Id of the request, as in `X-Request-Id`; quote it when asking for support.",
      example: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11",
    }),
    reason: z.string().optional().meta({
      description: "With `vault_paused`: why the vault is paused.",
      example: "The vault is being migrated",
    }),
    reasons: z
      .array(
        z.object({
          code: z
            .string()
            .meta({ description: "Error code of the rejected route.", example: "upstream_timeout" }),
          detail: z.string().meta({
            description: "Explanation of the rejection.",
            example: "the provider did not answer in time",
          }),
        }),
      )
      .optional()
      .meta({ description: "With `no_route`: why each provider was ruled out." }),
    revert: z.string().nullable().optional().meta({
      description:
        "With `would_revert`: the revert reason of the simulated transaction; `null` when it gave none.",
      example: "ERC20: transfer amount exceeds balance",
    }),
    min_deposit: z.string().nullable().optional().meta({
      description:
        "With `below_minimum`: smallest deposit the vault accepts, in the asset's smallest unit; `null` when unknown.",
      example: "1000000",
    }),
    max_deposit: z.string().nullable().optional().meta({
      description:
        "With `above_maximum`: largest deposit the vault accepts, in the asset's smallest unit; `null` when unknown.",
      example: "250000000000",
    }),
    retry_after: z.int().optional().meta({
      description: "With `rate_limited`: seconds to wait before the next request, as in `Retry-After`.",
      example: 12,
    }),
  })
  .meta({ id: "Problem", description: "A failure as a problem document (RFC 9457)." });
