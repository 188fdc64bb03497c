import { type Address, erc20Abi, getAddress } from "viem";
import * as z from "zod";
import { createQuery, read, valueOrNull } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { type AppError, failure } from "../errors.ts";
import { DAY_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import type { TokenRef } from "../schemas/step-schema.ts";
import { findToken, type TokenKey } from "./find-vault-token.ts";
import { readUncached } from "./vault-state.ts";

/** Symbol and decimals that a token contract returns. */
interface TokenMetadata {
  /** Symbol of the token, or empty if it returns no string. */
  symbol: string;
  decimals: number;
}

const TokenMetadataSchema: z.ZodType<TokenMetadata> = z.object({ symbol: z.string(), decimals: z.int() });
const MAX_SYMBOL_LENGTH = 32;
/** Largest value of the type of `decimals()`, whose range viem does not check. */
const MAX_UINT8 = 255;

/**
 * Reads a token's symbol (at most 32 characters, empty if it returns no string) and decimals, cached for two days, or
 * seven if they cannot be read again. Throws `token_unsupported` if the contract returns no valid decimals,
 * `chain_unsupported`, and errors of RPC nodes.
 */
export async function readTokenMetadata(
  ctx: Context,
  token: { chainId: number; address: Address },
): Promise<TokenMetadata> {
  const { chainId, address } = token;
  const { value } = await ctx.cache.cached({
    key: `token:${chainId}:${address.toLowerCase()}`,
    schema: TokenMetadataSchema,
    freshMs: DAY_MS,
    staleMs: 2 * DAY_MS,
    keepMs: 7 * DAY_MS,
    load: async () => {
      const facts = (await readUncached(ctx, { chainId, query: tokenMetadataQuery(address) })).value;
      if (facts !== null) return facts;
      throw notAToken(token);
    },
  });
  return value;
}

/** Creates the error `token_unsupported`, without throwing it, for an address that is not a token on its chain. */
export function notAToken({ chainId, address }: { chainId: number; address: Address }): AppError {
  const list = `GET /v1/tokens?chain_id=${chainId} lists tokens`;
  return failure("token_unsupported", `${address} is not a token on chain ${chainId}: ${list}`);
}

function tokenMetadataQuery(address: Address) {
  const onToken = { to: address, abi: erc20Abi } as const;
  return createQuery(
    {
      symbol: read({ ...onToken, name: "symbol" }),
      decimals: read({ ...onToken, name: "decimals" }),
    },
    (results): TokenMetadata | null => {
      const decimals = valueOrNull(results.decimals);
      const symbol = cutText(valueOrNull(results.symbol) ?? "", MAX_SYMBOL_LENGTH);
      return decimals === null || decimals > MAX_UINT8 ? null : { symbol, decimals };
    },
  );
}

/**
 * Returns a token's symbol and decimals for display, from `findToken` or, if it returns no decimals, from the token's
 * contract; the symbol may be empty, the decimals null. Throws viem's InvalidAddressError, and `store_unavailable`.
 */
export async function describeToken(ctx: Context, token: TokenKey): Promise<TokenRef> {
  const known = await findToken(ctx, token);
  if (known.decimals !== null) return known;
  const { chainId } = token;
  try {
    const address = getAddress(token.address);
    return { ...known, ...(await readTokenMetadata(ctx, { chainId, address })) };
  } catch (error) {
    ctx.log.warn("token_unreadable", {
      chain_id: chainId,
      token: known.address,
      error: describeError(error),
    });
    return known;
  }
}

/** The end of a text after the first half of a surrogate pair. */
const HALF_PAIR = /[\uD800-\uDBFF]$/;

/**
 * Returns the first `length` UTF-16 code units of a text, or one less if the cut would split a character of two units:
 * half a character is not valid Unicode, and Postgres does not store it.
 */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.length < text.length && HALF_PAIR.test(cut) ? cut.slice(0, -1) : cut;
}
