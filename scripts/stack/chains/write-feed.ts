import { type Address, type Hex, numberToHex } from "viem";
import { rpcBatch } from "./json-rpc.ts";

/** Decimals of the feeds' answers. */
export const FEED_DECIMALS = 8;
/** Time that the sequencer has been up when the chain starts, in seconds. */
const UPTIME_S = 86_400n;

/**
 * Answer of a feed, in units of its decimals, and its age at the head block in seconds. `started` is the start of its
 * round in unix seconds, or zero for the time of the update.
 */
export interface FeedState {
  answer: bigint;
  ageS: bigint;
  started: bigint;
}

/** State of an uptime feed whose sequencer has been up for a day. */
export const sequencerUpForADay: FeedState = { answer: 0n, ageS: UPTIME_S, started: 0n };

/** Sets a feed's answer in its storage, without a transaction. */
export async function writeFeed(url: string, feed: Address, state: FeedState): Promise<void> {
  const words = [state.answer, state.ageS, state.started];
  await rpcBatch(
    url,
    words.map((value, slot) => ({
      method: "anvil_setStorageAt",
      params: [feed, word(BigInt(slot)), word(value)],
    })),
  );
}

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
