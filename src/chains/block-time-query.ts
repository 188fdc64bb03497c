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
 * Returns a query that interprets its results at the time of the block that it reads, in milliseconds since the epoch,
 * because contracts compare their times with the block's and not with this machine's clock. The reads are those of
 * `create(now)`, which also interprets the results if the block's time is unknown. A read that only `create` at the
 * block's time describes counts as failed.
 */
export function atBlockTime<S>(now: number, create: (now: number) => Query<S>): Query<S> {
  const assumed = create(now);
  const exactly = (results: Record<string, ReadResult<unknown>>) => {
    const time = results[BLOCK_TIME];
    const query = time?.ok === true ? create(Number(time.value) * SECOND_MS) : assumed;
    const names = Object.keys(query.reads);
    const missing = new Set(names.filter((name) => !isSameRead(query.reads[name], assumed.reads[name])));
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
