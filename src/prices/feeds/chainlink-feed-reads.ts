import { type Address, parseAbi } from "viem";
import { createQuery, type Query, type Read, type ReadResult, read } from "../../chains/chain-reads.ts";
import { sameAddress } from "../../lib/address.ts";
import { priceKey, type TokenPrice, USD_SCALE } from "../price.ts";
import {
  checkRound,
  describesPair,
  type FeedProblem,
  type FeedRound,
  sequencerIsUp,
} from "./chainlink-feed-answers.ts";
import type { ChainFeeds, FeedDefinition, TokenFeed } from "./price-feed.ts";

const feedAbi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)",
  "function description() view returns (string)",
]);

/** Results of reading a chain's price feeds in one batch. `feedPrices` computes prices from them. */
export interface FeedReadings {
  chainId: number;
  tokens: readonly TokenFeed[];
  /** True if the chain's table has a sequencer uptime feed. */
  hasSequencer: boolean;
  /** Latest round of the sequencer uptime feed, or null if it was not read. */
  sequencer: FeedRound | null;
  /** Rounds by the feed's address in lowercase; null if unread. */
  rounds: ReadonlyMap<string, FeedRound | null>;
  /** Feeds, by address in lowercase, whose decimals or description differ from the table, or could not be read. */
  mismatches: ReadonlyMap<string, "decimals" | "description" | "unread">;
  /** Addresses in lowercase of the feeds whose decimals and description this batch confirmed. */
  confirmed: readonly string[];
}

/**
 * The feeds that `feedQuery` reads: those of `tokens` in the chain's table `feeds`. Of feeds for which `isConfirmed`
 * returns true, only the latest round is read.
 */
export interface FeedRequest {
  chainId: number;
  feeds: ChainFeeds;
  tokens: readonly Address[];
  isConfirmed: (feed: FeedDefinition) => boolean;
}

/**
 * Returns the query that reads the feeds of some tokens of one chain, as part of a batch with other reads. For a feed
 * that is not confirmed yet, it also reads decimals and description. It reads the chain's sequencer uptime feed too, if
 * there is one and any token has feeds.
 */
export function feedQuery(request: FeedRequest): Query<FeedReadings> {
  const tokens = request.feeds.tokens.filter((row) =>
    request.tokens.some((token) => sameAddress(token, row.token)),
  );
  const feeds = distinctFeeds(tokens);
  const { sequencer } = request.feeds;
  // Asked once: a confirmation that expires before the results arrive must not make an unread check look failed.
  const unconfirmed = new Set(feeds.filter((feed) => !request.isConfirmed(feed)));
  const reads: Record<string, Read<unknown>> = {};
  if (sequencer !== null && feeds.length > 0) reads.sequencer = roundRead(sequencer);
  for (const feed of feeds) {
    const key = feed.proxy.toLowerCase();
    reads[`round/${key}`] = roundRead(feed.proxy);
    if (!unconfirmed.has(feed)) continue;
    reads[`decimals/${key}`] = read({ to: feed.proxy, abi: feedAbi, name: "decimals" });
    reads[`description/${key}`] = read({ to: feed.proxy, abi: feedAbi, name: "description" });
  }
  return createQuery(reads, (results) => {
    const checks = [...unconfirmed].map((feed) => checkFeed(feed, results));
    return {
      chainId: request.chainId,
      tokens,
      hasSequencer: sequencer !== null,
      sequencer: roundOf(results.sequencer),
      rounds: new Map(
        feeds.map(({ proxy }) => {
          const key = proxy.toLowerCase();
          return [key, roundOf(results[`round/${key}`])];
        }),
      ),
      mismatches: new Map(checks.flatMap(({ key, problem }) => (problem === null ? [] : [[key, problem]]))),
      confirmed: checks.flatMap(({ key, problem }) => (problem === null ? [key] : [])),
    };
  });
}

function distinctFeeds(tokens: readonly TokenFeed[]): FeedDefinition[] {
  const feeds = new Map(
    tokens.flatMap((row) => row.feeds.map((feed) => [feed.proxy.toLowerCase(), feed] as const)),
  );
  return [...feeds.values()];
}

const roundRead = (to: Address) => read({ to, abi: feedAbi, name: "latestRoundData" });

function roundOf(result: ReadResult<unknown> | undefined): FeedRound | null {
  if (result?.ok !== true) return null;
  const [roundId, answer, startedAt, updatedAt, answeredInRound] = result.value as readonly [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  return { roundId, answer, startedAt, updatedAt, answeredInRound };
}

function checkFeed(
  feed: FeedDefinition,
  results: Record<string, ReadResult<unknown>>,
): { key: string; problem: "decimals" | "description" | "unread" | null } {
  const key = feed.proxy.toLowerCase();
  const [decimals, description] = [results[`decimals/${key}`], results[`description/${key}`]];
  if (decimals?.ok !== true || description?.ok !== true) return { key, problem: "unread" };
  if (decimals.value !== feed.decimals) return { key, problem: "decimals" };
  const named = typeof description.value === "string" && describesPair(feed, description.value);
  return { key, problem: named ? null : "description" };
}

/** A feed that cannot be used, and the reason. `sequencer_down`: `sequencerIsUp` is false, so no feed can be used. */
export interface UnusedFeed {
  chainId: number;
  /** The feed's address in lowercase, or `sequencer`. */
  feed: string;
  problem: FeedProblem | "sequencer_down";
}

/** Prices by `priceKey`, and the feeds that could not be used. */
export interface FeedPrices {
  prices: Map<string, TokenPrice>;
  unused: UnusedFeed[];
}

/**
 * Computes token prices, rounded down, from a batch of feed reads, and lists the feeds that cannot be used. A token has
 * a price only if all of its feeds can be used. On a chain with a sequencer uptime feed in its table, there are no
 * prices unless the sequencer has been up for half an hour, and `unused` names `sequencer` instead of the feeds; an L2
 * without such a feed is not checked. `headTime` is the timestamp of the block that was read, in seconds.
 */
export function feedPrices(readings: FeedReadings, headTime: number): FeedPrices {
  const { chainId, tokens } = readings;
  if (readings.hasSequencer && tokens.length > 0 && !sequencerIsUp({ round: readings.sequencer, headTime })) {
    return { prices: new Map(), unused: [{ chainId, feed: "sequencer", problem: "sequencer_down" }] };
  }
  const prices = new Map<string, TokenPrice>();
  const unused = new Map<string, UnusedFeed>();
  for (const row of tokens) {
    const answers = row.feeds.map((feed) => ({ feed, answer: answerOf(feed, { readings, headTime }) }));
    for (const { feed, answer } of answers) {
      const key = feed.proxy.toLowerCase();
      if (!answer.ok) unused.set(key, { chainId, feed: key, problem: answer.problem });
    }
    const price = toTokenPrice(row, answers);
    if (price !== null) prices.set(priceKey({ chainId, token: row.token }), price);
  }
  return { prices, unused: [...unused.values()] };
}

type Answers = readonly { feed: FeedDefinition; answer: ReturnType<typeof checkRound> }[];

function answerOf(
  feed: FeedDefinition,
  { readings, headTime }: { readings: FeedReadings; headTime: number },
): ReturnType<typeof checkRound> {
  const key = feed.proxy.toLowerCase();
  const mismatch = readings.mismatches.get(key);
  if (mismatch !== undefined) return { ok: false, problem: mismatch };
  return checkRound(feed, { round: readings.rounds.get(key) ?? null, headTime });
}

/** Returns the product of a token's feed answers, rounded down, with the oldest one's time; null if one is unusable. */
function toTokenPrice(row: TokenFeed, answers: Answers): TokenPrice | null {
  let [usd, at, errorBps] = [USD_SCALE, Number.POSITIVE_INFINITY, 0];
  for (const { feed, answer } of answers) {
    if (!answer.ok) return null;
    usd = (usd * answer.value) / USD_SCALE;
    at = Math.min(at, answer.at);
    errorBps += feed.deviationBps;
  }
  if (answers.length === 0 || usd === 0n) return null;
  const shown = { usd, source: "feed", at, confidence: null, errorBps } as const;
  return { ...shown, low: usd, high: usd, disputed: false, judges: row.nominal !== true, unit: row.unit };
}
