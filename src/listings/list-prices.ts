import { type Address, getAddress } from "viem";
import type { Context } from "../context.ts";
import { formatTime, formatUsdPrice, priceKey, priceOf } from "../prices/price.ts";
import { readListedPrices } from "../prices/read-prices.ts";
import type { TokenPriceText } from "../schemas/price-schema.ts";

const UNKNOWN = { usd: null, source: null, at: null, confidence: null } as const;

/**
 * Returns the prices of tokens, without duplicates, in the order of `tokens`. The price fields are null if no price is
 * known or the chain is not served, `confidence` also if the source states none. Never throws.
 */
export async function listPrices(
  ctx: Context,
  tokens: readonly { chainId: number; address: Address }[],
): Promise<TokenPriceText[]> {
  const asked = new Map(
    tokens.map(({ chainId, address }) => {
      const token = { chainId, token: address };
      return [priceKey(token), token] as const;
    }),
  );
  const served = [...asked.values()].filter(({ chainId }) => ctx.chains.definitions.has(chainId));
  const prices = await readListedPrices(ctx, served);
  return [...asked.values()].map((token) => {
    const price = priceOf(prices, token);
    const named = { chain_id: token.chainId, address: getAddress(token.token) };
    if (price === null) return { ...named, ...UNKNOWN };
    const { usd, source, at, confidence } = price;
    return { ...named, usd: formatUsdPrice(usd), source, at: formatTime(at), confidence };
  });
}
