import { DAY_S } from "../../lib/durations.ts";
import type { FeedDefinition } from "./price-feed.ts";

/**
 * One round of a feed, as `latestRoundData()` returns it. `answer` has the feed's decimals; times are in seconds since
 * the epoch. Source: Chainlink, AggregatorV3Interface.
 */
export interface FeedRound {
  roundId: bigint;
  answer: bigint;
  startedAt: bigint;
  updatedAt: bigint;
  answeredInRound: bigint;
}

/**
 * Reason why a feed's answer is not used. `unread`: a read failed. `decimals`, `description`: the contract's value
 * differs from the feed table. `incomplete`: the round has no answer yet, or that of an older round. `out_of_bounds`:
 * it is implausible.
 */
export type FeedProblem =
  | "unread"
  | "decimals"
  | "description"
  | "incomplete"
  | "not_positive"
  | "out_of_bounds"
  | "future"
  | "stale";

/**
 * Result of checking a feed's answer: the answer times 10^18 (`value`) with the time of its update in seconds since the
 * epoch (`at`), or the reason why it is not used.
 */
export type FeedAnswer = { ok: true; value: bigint; at: number } | { ok: false; problem: FeedProblem };

/** Number of decimals to which feed answers are scaled. */
const ANSWER_DECIMALS = 18;
const ONE = 10n ** BigInt(ANSWER_DECIMALS);
/**
 * Answers outside of these bounds are errors of the feed: one trillionth, and one billion of the quoted unit. Feeds
 * have no narrower bounds of their own.
 */
const LEAST_ANSWER = ONE / 10n ** 12n;
const MOST_ANSWER = ONE * 10n ** 9n;
/** How far the time of a feed's update may be after the block's, in seconds. */
const CLOCK_SKEW_S = 60;
/** Factor and addition to a feed's heartbeat: updates wait for their inclusion, and some heartbeats are short. */
const HEARTBEAT_PART = 1.5;
const HEARTBEAT_GRACE_S = 300;
/** Heartbeat that is assumed for a feed whose heartbeat is not published, in seconds: a day. */
export const UNKNOWN_HEARTBEAT_S: number = DAY_S;

/** Returns the age in seconds above which a feed's answer is stale: one and a half heartbeats plus five minutes. */
export function staleAfter({ heartbeatS }: Pick<FeedDefinition, "heartbeatS">): number {
  return heartbeatS * HEARTBEAT_PART + HEARTBEAT_GRACE_S;
}

/**
 * Returns the answer of one feed round, times 10^18 and rounded down, or the reason why it is not used. `headTime` is
 * the timestamp of the block that was read, in seconds.
 */
export function checkRound(
  feed: Pick<FeedDefinition, "decimals" | "heartbeatS">,
  { round, headTime }: { round: FeedRound | null; headTime: number },
): FeedAnswer {
  if (round === null) return { ok: false, problem: "unread" };
  const at = Number(round.updatedAt);
  if (round.roundId === 0n || at === 0 || round.answeredInRound < round.roundId)
    return { ok: false, problem: "incomplete" };
  if (round.answer <= 0n) return { ok: false, problem: "not_positive" };
  const value = toScale(round.answer, feed.decimals);
  if (value < LEAST_ANSWER || value > MOST_ANSWER) return { ok: false, problem: "out_of_bounds" };
  if (at > headTime + CLOCK_SKEW_S) return { ok: false, problem: "future" };
  if (headTime - at > staleAfter(feed)) return { ok: false, problem: "stale" };
  return { ok: true, value, at };
}

function toScale(answer: bigint, decimals: number): bigint {
  return decimals <= ANSWER_DECIMALS
    ? answer * 10n ** BigInt(ANSWER_DECIMALS - decimals)
    : answer / 10n ** BigInt(decimals - ANSWER_DECIMALS);
}

/** Time for which a sequencer must have been up before prices of its chain are used, in seconds: half an hour. */
export const SEQUENCER_GRACE_S = 1_800;

/**
 * Returns true if an L2's sequencer is up and has been up for half an hour, by the latest round of Chainlink's uptime
 * feed; false if that was not read or has no time. Source: docs.chain.link, L2 sequencer uptime feeds.
 */
export function sequencerIsUp({ round, headTime }: { round: FeedRound | null; headTime: number }): boolean {
  // Answer 0 means up, and `startedAt` is the time of the last change. Feeds may be outdated right after an outage.
  if (round === null || round.answer !== 0n || round.startedAt === 0n) return false;
  return headTime - Number(round.startedAt) >= SEQUENCER_GRACE_S;
}

/**
 * Returns true if a feed's `description()` names one of the expected pairs, such as `ETH / USD`. Letter case, spaces
 * and a suffix for the kind of feed are ignored, and a hyphen counts as a slash.
 */
export function describesPair(feed: Pick<FeedDefinition, "pairs">, description: string): boolean {
  const text = description.toUpperCase().replaceAll(/\s+/g, "");
  const pair = text
    .replace(/(?:EXCHANGE-?RATE|CALCULATED)$/, "")
    .replace(/-$/, "")
    .replaceAll("-", "/");
  return feed.pairs.includes(pair);
}
