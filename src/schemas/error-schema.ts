import * as z from "zod";
import { type ErrorMembers, errorCodes } from "../errors.ts";

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
  .meta({ id: "ValidationError", description: "The problems found in an invalid request." });

/** One problem in a request with invalid input, in wire format. */
export type ValidationIssue = z.infer<typeof ValidationErrorBody>["detail"][number];

/** Fields of every problem document. */
const common = {
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
  request_id: z.string().meta({
    description: "Id of the request, as in `X-Request-Id`; quote it when asking for support.",
    example: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11",
  }),
};

const subject = z
  .enum(["vault", "route"])

  .meta({
    description:
      "`vault` for the vault's own share price, `route` for a provider's offer " +
      "compared with a fair price.",
    example: "route",
  });

/** Additional fields of the problem documents of some error codes. */
const membersByCode = {
  vault_paused: {
    reason: z.string().meta({
      description: "Why the vault takes no deposits, or empty if no reason was given.",
      example: "The vault is being migrated",
    }),
  },
  no_route: {
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

      .meta({ description: "Reasons why there is no route." }),
  },
  would_revert: {
    revert: z.string().nullable().meta({
      description: "The revert reason of the simulated transaction, or `null` if none is known.",
      example: "ERC20: transfer amount exceeds balance",
    }),
  },
  below_minimum: {
    min_deposit: z.string().nullable().meta({
      description:
        "Smallest deposit that the vault accepts, in the smallest unit of the deposited token, or `null` if it is unknown.",
      example: "1000000",
    }),
  },
  above_maximum: {
    max_deposit: z.string().nullable().meta({
      description:
        "Largest deposit that the vault accepts, in the smallest unit of the deposited token, or `null` if it is unknown or the amount does not exceed it.",
      example: "250000000000",
    }),
  },
  no_liquidity: {
    available: z.string().nullable().meta({
      description:
        "Amount that can be withdrawn now, in the smallest unit of the token that the vault pays, or `null` if it is unknown.",
      example: "1000000",
    }),
  },
  cooldown: {
    until: z.string().nullable().meta({
      description: "Time at which the cooldown ends, or `null` if it is unknown.",
      example: "2026-01-02T03:04:05.678Z",
    }),
  },
  rate_limited: {
    retry_after: z.int().meta({
      description: "Seconds to wait before the next request, as in `Retry-After`.",
      example: 12,
    }),
  },
  price_unsafe: { subject },
  price_stale: { subject },
} satisfies { [C in keyof ErrorMembers]: Record<keyof ErrorMembers[C], z.ZodType> };

const codeText = "Stable error code; every code is explained at `/docs/errors`.";

/** Returns the schema of the problem document of an error code with additional fields. */
function problemOf<C extends keyof typeof membersByCode>(code: C) {
  const name = code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return z
    .object({ ...common, code: z.literal(code).meta({ description: codeText }), ...membersByCode[code] })
    .meta({ id: `${name}Problem`, description: `The problem document of \`${code}\`.` });
}

/** Error codes without additional fields. */
const plainCodes = errorCodes.filter((code) => !(code in membersByCode));

/** Schema of the problem document of all error codes without additional fields. */
const PlainProblem = z
  .object({
    ...common,
    code: z.enum(plainCodes).meta({ description: codeText, example: "vault_not_found" }),
  })
  .meta({ id: "PlainProblem", description: "The problem document of error codes without further members." });

/** Response body of every error but invalid input (422): a problem document (RFC 9457) with the fields of its code. */
export const ProblemBody = z
  .discriminatedUnion("code", [
    PlainProblem,
    problemOf("vault_paused"),
    problemOf("no_route"),
    problemOf("would_revert"),
    problemOf("below_minimum"),
    problemOf("above_maximum"),
    problemOf("no_liquidity"),
    problemOf("cooldown"),
    problemOf("rate_limited"),
    problemOf("price_unsafe"),
    problemOf("price_stale"),
  ])
  .meta({
    id: "Problem",
    description: "An error as a problem document (RFC 9457), identified by its `code`.",
  });
