import type { RelayerMode } from "../emulators/control.ts";
import type { BridgeChain } from "./bridge-chains.ts";
import { headOf } from "./node-requests.ts";

/** Times of an Across transfer in a quote, in unix seconds. */
export interface FillTimes {
  quoteTimestamp: number;
  fillDeadline: number;
}

/**
 * Time from a quote to its fill deadline, in seconds. Across allows two hours. Here it is less, so that the
 * chains' clocks move little when a transfer is left to expire.
 */
const FILL_WINDOW = 1_080;
/** Shortest such time that the service accepts, with a minute to build. For transfers that will expire. */
const SHORT_FILL_WINDOW = 660;
/** Least time from the chains' clocks, which may be ahead of the wall clock, to the fill deadline, in seconds. */
const LEAST_LEFT = 600;
/** The same for transfers that will expire. The pool takes a deposit even after its fill deadline. */
const LEAST_LEFT_EXPIRING = 10;
/**
 * Seconds by which a quote's time lies behind the chain's head, like the real service's: the pool rejects times in the
 * future, and after a reorg a deposit may be in an older block than the head was.
 */
const QUOTE_AGE = 60;

/**
 * Returns the times of a quote for a transfer between two chains. The clocks of the chains may be ahead of the wall
 * clock: the relayer moves them past the deadline of a transfer that it refunds.
 */
export async function fillTimesOf(
  { origin, destination }: { origin: BridgeChain; destination: BridgeChain },
  mode: RelayerMode,
): Promise<FillTimes> {
  const [from, to] = await Promise.all([headOf(origin.url), headOf(destination.url)]);
  const now = Math.floor(Date.now() / 1000);
  const expires = mode === "refund" || mode === "expire";
  const [window, left] = expires ? [SHORT_FILL_WINDOW, LEAST_LEFT_EXPIRING] : [FILL_WINDOW, LEAST_LEFT];
  return {
    quoteTimestamp: Math.min(from.timestamp, now) - QUOTE_AGE,
    fillDeadline: Math.max(now + window, from.timestamp + left, to.timestamp + left),
  };
}
