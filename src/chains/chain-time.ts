import { hexToBigInt } from "viem";
import { MINUTE_MS, SECOND_MS } from "../lib/durations.ts";
import { isUnixTime } from "../lib/unix-time.ts";
import { PROGRAM } from "./aggregator/aggregator-codec.ts";
import type { Query, Read, ReadResult } from "./chain-reads.ts";

/** Read of the block's timestamp, in seconds. It runs creation code, so only the aggregator contract can make it. */
const blockTimeRead: Read<bigint> = {
  to: PROGRAM,
  // Creation code that returns TIMESTAMP: store it at 0, return 32 bytes.
  data: "0x4260005260206000f3",
  decode: (answer) => {
    const seconds = hexToBigInt(answer);
    if (!isUnixTime(Number(seconds))) throw new RangeError("not a block timestamp");
    return seconds;
  },
};

const FAILED: ReadResult<unknown> = { ok: false, revert: null };

/** Name of the additional read, which no query of a vault family uses. */
const BLOCK_TIME = "block_time";

/** Difference by which a chain's clock must be ahead of this machine's before reads are repeated, in milliseconds. */
const CLOCK_AHEAD_MS = MINUTE_MS;

/**
 * Returns a query whose results are interpreted at the timestamp of the block that its first batch reads. `create`
 * returns the query for a time in milliseconds since the epoch; it must be pure, as it is called several times. The
 * first batch makes the reads of `create(now)`, which also interprets the results if the timestamp cannot be read. If
 * the block is more than a minute ahead of `now` and `create` describes other reads for the block's time, another batch
 * makes all reads for that time; otherwise the results of the first are matched by the names of the reads.
 */
export function atBlockTime<S>(now: number, create: (now: number) => Query<S>): Query<S> {
  const assumed = create(now);
  const exactly = (results: Record<string, ReadResult<unknown>>) => {
    const read = results[BLOCK_TIME];
    const time = read?.ok === true ? Number(read.value) * SECOND_MS : null;
    const query = time === null ? assumed : create(time);
    const names = Object.keys(query.reads);
    const ahead = time !== null && time > now + CLOCK_AHEAD_MS;
    const missing = new Set(
      names.filter((name) => ahead && !isSameRead(query.reads[name], assumed.reads[name])),
    );
    const own = names.map((name) => [name, missing.has(name) ? FAILED : (results[name] ?? FAILED)] as const);
    return { query, missing, results: Object.fromEntries(own) };
  };
  return {
    reads: { ...assumed.reads, [BLOCK_TIME]: blockTimeRead },
    interpret: (given) => {
      const { query, results } = exactly(given);
      return query.interpret(results);
    },
    next: (given) => {
      const { query, missing, results } = exactly(given);
      return missing.size > 0 ? query : (query.next?.(results) ?? null);
    },
  };
}

const isSameRead = (one: Read<unknown> | undefined, other: Read<unknown> | undefined): boolean =>
  one?.to === other?.to && one?.data === other?.data;
