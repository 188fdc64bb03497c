import { type Address, encodeDeployData } from "viem";
import { priceFeedAbi, priceFeedCreationCode } from "#stand-ins/prices";
import { type Asset, assetTerms, pairOf } from "../bridge/asset-terms.ts";
import type { ChainScript } from "./chain-script.ts";
import { FEED_DECIMALS, sequencerUpForADay } from "./write-feed.ts";

/** A chain's price feeds. WETH's feed is also the native currency's. */
export interface PriceFeeds {
  feeds: Record<Asset, Address>;
  /** The sequencer uptime feed, or null for a chain without a sequencer. */
  sequencer: Address | null;
}

/** Queues the deployment of a feed for every token with a price and, for a rollup, of the sequencer's. */
export function deployPriceFeeds(script: ChainScript, { rollup }: { rollup: boolean }): PriceFeeds {
  const deploy = (description: string, [decimals, answer, age]: readonly [number, bigint, bigint]) =>
    script.deploy(
      description,
      encodeDeployData({
        abi: priceFeedAbi,
        bytecode: priceFeedCreationCode,
        args: [description, decimals, answer, age],
      }),
    );
  const entries = assetTerms.map(({ symbol, priceUsd }) => {
    const answer = BigInt(priceUsd) * 10n ** BigInt(FEED_DECIMALS);
    return [symbol, deploy(pairOf(symbol).replace("/", " / "), [FEED_DECIMALS, answer, 0n])] as const;
  });
  const sequencer = rollup
    ? deploy("L2 Sequencer Uptime Status Feed", [0, sequencerUpForADay.answer, sequencerUpForADay.ageS])
    : null;
  return { feeds: Object.fromEntries(entries) as Record<Asset, Address>, sequencer };
}
