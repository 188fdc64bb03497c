import type { Address } from "viem";
import * as z from "zod";
import { createQuery } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { describeError } from "../lib/logger.ts";
import { type Price, priceOf, showUsdValue } from "../prices/price.ts";
import { readPricesWith } from "../prices/read-prices.ts";
import { listRegistry } from "../vaults/find-vault.ts";
import type { Vault } from "../vaults/vault.ts";

const PricesByToken = z.record(
  z.string(),
  z.object({
    usd: z.bigint(),
    source: z.enum(["feed", "market"]),
    at: z.number(),
    confidence: z.number().nullable(),
  }),
);
/** Prices of one chain's tokens by address in lowercase; a token without a known price is absent. */
export type PricesByToken = Readonly<Record<string, Price>>;

interface TokenSet {
  chainId: number;
  /** Name of the set within its chain, which its cache key contains. */
  name: "assets" | "tokens";
  tokens: () => Promise<readonly Address[]>;
}

/** Returns prices of a set of tokens, cached for up to ten minutes, or an hour if reloading fails. Never throws. */
async function readSet(ctx: Context, { chainId, name, tokens }: TokenSet): Promise<PricesByToken> {
  try {
    const { value } = await ctx.cache.cached({
      key: `prices:${name}:${chainId}`,
      schema: PricesByToken,
      freshMs: name === "assets" ? 30 * SECOND_MS : 5 * MINUTE_MS,
      staleMs: 10 * MINUTE_MS,
      keepMs: HOUR_MS,
      load: async () => {
        const asked = await tokens();
        const query = createQuery({}, () => null);
        const { prices } = await readPricesWith(ctx, { chainId, tokens: asked, query });
        return Object.fromEntries(
          asked.flatMap((token) => {
            const price = priceOf(prices, { chainId, token });
            if (price === null) return [];
            const { usd, source, at, confidence } = price;
            return [[token.toLowerCase(), { usd, source, at, confidence }]];
          }),
        );
      },
    });
    return value;
  } catch (error) {
    ctx.log.warn("prices_unreadable", { chain_id: chainId, error: describeError(error) });
    return {};
  }
}

/**
 * Returns the prices of the tokens that deposits on a chain can start from, cached for up to ten minutes, or an hour if
 * reloading fails. All calls for one chain must pass the same tokens, because the cache key contains only the chain.
 * Tokens without a price are absent. Never throws.
 */
export function readTokenPrices(
  ctx: Context,
  { chainId, tokens }: { chainId: number; tokens: readonly Address[] },
): Promise<PricesByToken> {
  return readSet(ctx, { chainId, name: "tokens", tokens: async () => tokens });
}

/**
 * Returns the prices of the assets of a chain's vaults, cached for up to ten minutes, or an hour if reloading fails.
 * Assets whose price is unknown or arrives late are absent. Never throws.
 */
export function readAssetPrices(ctx: Context, chainId: number): Promise<PricesByToken> {
  const tokens = async () => {
    const { all } = await listRegistry(ctx);
    const own = all.filter((vault) => vault.chainId === chainId);
    return [...new Set(own.map(({ asset }) => asset.address))];
  };
  return readSet(ctx, { chainId, name: "assets", tokens });
}

/**
 * Returns the value of a vault's assets in US dollars as a decimal string with two to six decimals, rounded down, or
 * null if the amount or the price is unknown. `assets` is in the asset's smallest unit.
 */
export function assetValue(
  vault: Vault,
  of: { assets: bigint | null; prices: PricesByToken },
): string | null {
  const { address, decimals } = vault.asset;
  return showUsdValue(of.assets, { decimals, price: of.prices[address.toLowerCase()] ?? null });
}
