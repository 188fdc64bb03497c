import * as z from "zod";

const count = z.int().min(0);

/**
 * Schema of token lists, restated independently. Unknown fields are rejected, as in the original. Source:
 * @uniswap/token-lists 1.0.0-beta.35 (MIT), tokenlist.schema.json.
 */
export const TokenListRules = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(30)
    .regex(/^[\w ]+$/),
  timestamp: z.iso.datetime(),
  version: z.strictObject({ major: count, minor: count, patch: count }),
  tokens: z
    .array(
      z.strictObject({
        chainId: z.int().min(1),
        address: z.string().regex(/^(0x[a-fA-F0-9]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/),
        decimals: z.int().min(0).max(255),
        name: z
          .string()
          .max(60)
          .regex(/^[ \S+]*$/),
        symbol: z.string().max(20).regex(/^\S*$/),
      }),
    )
    .min(1)
    .max(10_000),
});
