import { zeroAddress } from "viem";
import { type Asset, assetTerms, pairOf } from "../bridge/asset-terms.ts";
import type { HubAddresses } from "../hub/main.ts";
import type { StackChain } from "../manifest.ts";

/** Heartbeat of the stack's feeds, in seconds. */
const HEARTBEAT_S = 3_600;
const UNITS: Readonly<Record<Asset, string>> = { USDC: "USD", USDT: "USD", WETH: "ETH", WBTC: "BTC" };

/** Returns the variable `PRICES`: the price API's URL and the feeds of each chain. */
export function pricesVariable(
  hub: Pick<HubAddresses, "prices">,
  chains: readonly Pick<StackChain, "chain_id" | "contracts">[],
): string {
  const feeds = chains.map(({ chain_id, contracts }) => [chain_id, feedsOf(contracts)] as const);
  return JSON.stringify({ api_url: hub.prices, feeds: Object.fromEntries(feeds) });
}

function feedsOf({ price_feeds, sequencer_feed, tokens }: StackChain["contracts"]) {
  const rows = assetTerms.flatMap(({ symbol }) => {
    const feed = { proxy: price_feeds[symbol], decimals: 8, pair: pairOf(symbol), heartbeat_s: HEARTBEAT_S };
    const row = { token: tokens[symbol].address, unit: UNITS[symbol], feeds: [feed] };
    return symbol === "WETH" ? [row, { ...row, token: zeroAddress }] : [row];
  });
  return { sequencer: sequencer_feed, tokens: rows };
}
