import type { TokenSymbol } from "../chains/plan.ts";

/** What moves between the chains and is swapped on them; a token that takes a fee on transfer is not among it. */
export type Asset = Exclude<TokenSymbol, "FEE">;

export interface AssetTerms {
  symbol: Asset;
  /** Dollars for a whole token; the exchange and every quote use it. */
  priceUsd: number;
  /** What a relayer asks for the gas of a delivery, and the most it delivers, in smallest units. */
  relayGas: bigint;
  maxDeposit: bigint;
}

export const assetTerms: readonly AssetTerms[] = [
  { symbol: "USDC", priceUsd: 1, relayGas: 3_396n, maxDeposit: 2_000_000n * 10n ** 6n },
  { symbol: "USDT", priceUsd: 1, relayGas: 3_401n, maxDeposit: 2_000_000n * 10n ** 6n },
  { symbol: "WETH", priceUsd: 2_500, relayGas: 1_360_557_456_000n, maxDeposit: 1_000n * 10n ** 18n },
  { symbol: "WBTC", priceUsd: 60_000, relayGas: 6n, maxDeposit: 200n * 10n ** 8n },
];

export function termsOf(symbol: Asset): AssetTerms {
  const terms = assetTerms.find((one) => one.symbol === symbol);
  if (terms === undefined) throw new Error(`no terms for ${symbol}`);
  return terms;
}
