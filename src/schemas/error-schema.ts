import * as z from "zod";

/** Response body for a request with invalid input (422), on any endpoint. */
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
            description: "Human-readable explanation of the problem.",
            example: "must be a positive integer in the smallest unit, as a decimal string",
          }),
          type: z
            .string()
            .meta({ description: "Machine-readable kind of the problem.", example: "invalid_format" }),
        }),
      )
      .meta({ description: "Every problem found in the request." }),
  })
  .meta({ id: "ValidationError", description: "The list of all problems in an invalid request." });

/** One problem in a request with invalid input, in wire format. */
export type ValidationIssue = z.infer<typeof ValidationErrorBody>["detail"][number];

/** Response body of every other error: a problem document (RFC 9457) with the additional fields of its error code. */
export const ProblemBody = z
  .object({
    type: z.string().meta({
      description: "Relative URL of the page that explains the error code.",
      example: "/docs/errors#vault_not_found",
    }),
    title: z.string().meta({ description: "Short meaning of the error code.", example: "No such vault" }),
    status: z.int().meta({ description: "HTTP status of the response.", example: 404 }),
    detail: z.string().meta({
      description: "Explanation of the error in this request.",
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
          code: z.string().meta({ description: "Error code of the reason.", example: "upstream_timeout" }),
          detail: z.string().meta({
            description: "Explanation of the reason.",
            example: "the provider did not answer in time",
          }),
        }),
      )
      .optional()
      .meta({ description: "With `no_route`: the reason why each provider has no route." }),
    revert: z.string().nullable().optional().meta({
      description:
        "With `would_revert`: the revert reason of the simulated transaction, or `null` if it returned none.",
      example: "ERC20: transfer amount exceeds balance",
    }),
    min_deposit: z.string().nullable().optional().meta({
      description:
        "With `below_minimum`: smallest deposit that the vault accepts, in the asset's smallest unit, or `null` if it is unknown.",
      example: "1000000",
    }),
    max_deposit: z.string().nullable().optional().meta({
      description:
        "With `above_maximum`: largest deposit that the vault accepts, in the asset's smallest unit, or `null` if it is unknown.",
      example: "250000000000",
    }),
    subject: z
      .enum(["vault", "route"])
      .optional()
      .meta({
        description:
          "With `price_unsafe` and `price_stale`: `vault` for the vault's own share price, `route` for a provider's offer " +
          "compared with a fair price.",
        example: "route",
      }),
    available: z.string().nullable().optional().meta({
      description:
        "With `no_liquidity`: amount that can be withdrawn now, in the asset's smallest unit, or `null` if it is unknown.",
      example: "1000000",
    }),
    until: z.string().nullable().optional().meta({
      description: "With `cooldown`: time at which the cooldown ends, or `null` if it is unknown.",
      example: "2026-01-02T03:04:05.678Z",
    }),
    retry_after: z.int().optional().meta({
      description: "With `rate_limited`: seconds to wait before the next request, as in `Retry-After`.",
      example: 12,
    }),
  })
  .meta({ id: "Problem", description: "An error as a problem document (RFC 9457)." });
