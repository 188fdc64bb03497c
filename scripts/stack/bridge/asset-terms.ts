import type { TokenSymbol } from "../chains/plan.ts";

/** A token that can be bridged and swapped; tokens with a transfer fee cannot. */
export type Asset = Exclude<TokenSymbol, "FEE">;

/** Price and bridge limits of an asset. */
export interface AssetTerms {
  symbol: Asset;
  /** Price of a whole token in US dollars, used by the exchange and all quotes. */
  priceUsd: number;
  /** The relayer's gas fee and the maximum deposit, in smallest units. */
  relayGas: bigint;
  maxDeposit: bigint;
}

/** Price and bridge limits of every asset. */
export const assetTerms: readonly AssetTerms[] = [
  { symbol: "USDC", priceUsd: 1, relayGas: 3_396n, maxDeposit: 2_000_000n * 10n ** 6n },
  { symbol: "USDT", priceUsd: 1, relayGas: 3_401n, maxDeposit: 2_000_000n * 10n ** 6n },
  { symbol: "WETH", priceUsd: 2_500, relayGas: 1_360_557_456_000n, maxDeposit: 1_000n * 10n ** 18n },
  { symbol: "WBTC", priceUsd: 60_000, relayGas: 6n, maxDeposit: 200n * 10n ** 8n },
];

/** Returns the description of an asset's price feed, such as `ETH/USD`. */
export const pairOf = (symbol: Asset): string => `${symbol === "WETH" ? "ETH" : symbol}/USD`;

/** Returns an asset's price and limits. */
export function termsOf(symbol: Asset): AssetTerms {
  const terms = assetTerms.find((one) => one.symbol === symbol);
  if (terms === undefined) throw new Error(`no terms for ${symbol}`);
  return terms;
}
