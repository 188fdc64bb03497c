import { type Address, decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import type { ChainFeeds, FeedDefinition } from "../../../src/prices/feeds/price-feed.ts";
import type { TokenPrice } from "../../../src/prices/price.ts";
import { type Contracts, head } from "../chains/multicall.ts";

const abi = parseAbi([
  "function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)",
  "function decimals() view returns (uint8)",
  "function description() view returns (string)",
]);

export const ETH_FEED: Address = "0x0000000000000000000000000000000000000031";
export const USD_FEED: Address = "0x0000000000000000000000000000000000000032";
export const RATE_FEED: Address = "0x0000000000000000000000000000000000000033";
export const SEQUENCER: Address = "0x0000000000000000000000000000000000000034";
export const STABLE: Address = "0x1111111111111111111111111111111111111111";
export const STAKED: Address = "0x2222222222222222222222222222222222222222";
export const ETHER: Address = "0x0000000000000000000000000000000000000000";

/** State of a test feed. Absent fields have valid, current values. */
export interface FakeFeed {
  answer?: bigint;
  decimals?: number;
  description?: string;
  /** Age of the answer at the head block, in seconds. */
  ageS?: number;
  startedAgeS?: number;
  roundId?: bigint;
  answeredInRound?: bigint;
  reverts?: boolean;
}

const feed = (proxy: Address, pair: string, decimals = 8): FeedDefinition => ({
  proxy,
  decimals,
  pairs: [pair],
  heartbeatS: 3_600,
  deviationBps: 50,
});

/** Feeds of ether, of a US dollar stablecoin, and of a staked token whose rate to ether has 18 decimals. */
export const testFeeds: ChainFeeds = {
  sequencer: null,
  tokens: [
    { token: ETHER, unit: "ETH", feeds: [feed(ETH_FEED, "ETH/USD")] },
    { token: STABLE, unit: "USD", feeds: [feed(USD_FEED, "USDC/USD")] },
    {
      token: STAKED,
      unit: "ETH",
      feeds: [feed(RATE_FEED, "STAKED/ETH", 18), feed(ETH_FEED, "ETH/USD")],
      nominal: true,
    },
  ],
};

const HONEST: Readonly<Record<Address, FakeFeed>> = {
  [ETH_FEED]: { answer: 2_000n * 10n ** 8n, description: "ETH / USD" },
  [USD_FEED]: { answer: 10n ** 8n, description: "USDC / USD" },
  [RATE_FEED]: { answer: 12n * 10n ** 17n, decimals: 18, description: "STAKED / ETH Exchange Rate" },
  [SEQUENCER]: {
    answer: 0n,
    decimals: 0,
    description: "L2 Sequencer Uptime Status Feed",
    startedAgeS: 86_400,
  },
};

/**
 * Creates contracts that respond as the feeds of `testFeeds`, with changes by address. `next` responds to all other
 * calls.
 */
export function feedContracts(
  changes: Readonly<Record<Address, FakeFeed>> = {},
  next: Contracts = () => ({ ok: false, data: "0x" }),
): Contracts {
  return (call) => {
    const honest = HONEST[call.to];
    if (honest === undefined) return next(call);
    const said: FakeFeed = { ...honest, ...changes[call.to] };
    if (said.reverts === true) return { ok: false, data: "0x" };
    const { functionName } = decodeFunctionData({ abi, data: call.data });
    const updatedAt = BigInt(head.timestamp - (said.ageS ?? 60));
    const startedAt = BigInt(head.timestamp - (said.startedAgeS ?? said.ageS ?? 60));
    const roundId = said.roundId ?? 7n;
    const results = {
      latestRoundData: [roundId, said.answer ?? 0n, startedAt, updatedAt, said.answeredInRound ?? roundId],
      decimals: said.decimals ?? 8,
      description: said.description ?? "",
    };
    const result = results[functionName];
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result } as never) };
  };
}

/** Returns a price as the service derives it from a feed, with changes. `low` and `high` follow `usd`. */
export function feedPriceOf(usd: bigint, change: Partial<TokenPrice> = {}): TokenPrice {
  return {
    ...{ usd, source: "feed", at: head.timestamp, confidence: null, low: usd, high: usd },
    ...{ disputed: false, errorBps: 50, judges: true, unit: null },
    ...change,
  };
}
