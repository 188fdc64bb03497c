import { z } from "@hono/zod-openapi";
import { type Address, erc20Abi } from "viem";
import { describe, read, valueOrNull } from "../chains/read.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { DAY_MS } from "../lib/durations.ts";
import { readNow } from "../vaults/state.ts";

/** What a token says of itself. */
export interface TokenFacts {
  /** Empty where the token does not say. */
  symbol: string;
  decimals: number;
}

const TokenFactsSchema: z.ZodType<TokenFacts> = z.object({ symbol: z.string(), decimals: z.int() });
const MAX_SYMBOL = 32;

/**
 * A token's symbol and decimals, asked once a day. Throws `token_unsupported` for what is no token, and what
 * reading the chain throws.
 */
export async function readTokenFacts(
  ctx: Context,
  token: { chainId: number; address: Address },
): Promise<TokenFacts> {
  const { chainId, address } = token;
  const { value } = await ctx.cache.cached({
    key: `token:${chainId}:${address.toLowerCase()}`,
    schema: TokenFactsSchema,
    freshMs: DAY_MS,
    staleMs: 2 * DAY_MS,
    keepMs: 7 * DAY_MS,
    load: async () => {
      const facts = (await readNow(ctx, { chainId, described: describeToken(address) })).value;
      if (facts !== null) return facts;
      throw failure("token_unsupported", "from_token is no token on this chain");
    },
  });
  return value;
}

function describeToken(address: Address) {
  const onToken = { to: address, abi: erc20Abi } as const;
  return describe(
    {
      symbol: read({ ...onToken, name: "symbol" }),
      decimals: read({ ...onToken, name: "decimals" }),
    },
    (results): TokenFacts | null => {
      const decimals = valueOrNull(results.decimals);
      const symbol = (valueOrNull(results.symbol) ?? "").slice(0, MAX_SYMBOL);
      return decimals === null ? null : { symbol, decimals };
    },
  );
}
