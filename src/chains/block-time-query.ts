import { hexToBigInt } from "viem";
import { SECOND_MS } from "../lib/durations.ts";
import { PROGRAM } from "./aggregate-reads.ts";
import type { Query, Read, ReadResult } from "./chain-query.ts";

/** Read of the block's timestamp, in seconds. It fails if a batch runs without the aggregator contract. */
const blockTimeRead: Read<bigint> = {
  to: PROGRAM,
  // Creation code that returns TIMESTAMP: store it at 0, return 32 bytes.
  data: "0x4260005260206000f3",
  decode: (answer) => hexToBigInt(answer),
};

const FAILED: ReadResult<unknown> = { ok: false, revert: null };

/** Name of the additional read, which no query of a vault family uses. */
const BLOCK_TIME = "block_time";

/**
 * Returns a query whose results are interpreted at the time of the block that it reads, in milliseconds since the
 * epoch: contracts compare their times with the block's, independent of this machine's clock. `now` determines the
 * reads, and is used if the block's time is unknown. A read that only the query for the block's time has counts as
 * failed.
 */
export function atBlockTime<S>(now: number, create: (now: number) => Query<S>): Query<S> {
  const assumed = create(now);
  const exactly = (results: Record<string, ReadResult<unknown>>) => {
    const time = results[BLOCK_TIME];
    const query = time?.ok === true ? create(Number(time.value) * SECOND_MS) : assumed;
    const own = Object.keys(query.reads).map((name) => [name, results[name] ?? FAILED] as const);
    return { query, results: Object.fromEntries(own) };
  };
  const timed: Query<S> = {
    reads: { ...assumed.reads, [BLOCK_TIME]: blockTimeRead },
    interpret: (given) => {
      const { query, results } = exactly(given);
      return query.interpret(results);
    },
  };
  if (assumed.next === undefined) return timed;
  return {
    ...timed,
    next: (given) => {
      const { query, results } = exactly(given);
      return query.next?.(results) ?? { reads: {}, interpret: () => query.interpret(results) };
    },
  };
}
