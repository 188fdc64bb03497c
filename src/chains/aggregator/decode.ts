import { type Hex, slice } from "viem";

/**
 * What one call gave. `unknown`: it answered more than anybody reads. `not_reached`: gas or room ran out before it.
 * `spent`: it failed with most of its gas gone.
 */
export type CallResult =
  | { status: "failed" | "answered"; data: Hex }
  | { status: "unknown" | "not_reached" | "spent" };

/** The answer to one request, and the chain and block it was made at; `blockNumber` is null where the chain hides it. */
export interface AggregatedAnswer {
  chainId: number;
  blockNumber: number | null;
  /** Seconds since the epoch. */
  timestamp: number;
  results: CallResult[];
}

/** By status byte; the position in the list is the byte. Source: Aggregator.sol. */
const STATUSES = ["failed", "answered", "not_reached", "unknown", "spent"] as const;
const HEAD_BYTES = 24;
const UNKNOWN_BLOCK = 2n ** 64n - 1n;

/**
 * Reads what the aggregator answered to so many calls. Throws an Error when the answer is not exactly that: too short,
 * too long, an unknown status, a block field that is no safe integer.
 */
export function decodeResults(answer: Hex, count: number): AggregatedAnswer {
  const total = (answer.length - 2) / 2;
  let offset = HEAD_BYTES;
  const take = (bytes: number): Hex => {
    offset += bytes;
    if (offset > total) throw new RangeError(`the answer ends at byte ${total}, not ${offset} or later`);
    return bytes === 0 ? "0x" : slice(answer, offset - bytes, offset);
  };
  const field = (index: number): bigint => BigInt(slice(answer, index * 8, index * 8 + 8));
  const height = field(1);
  const head = {
    chainId: safe(field(0)),
    blockNumber: height === UNKNOWN_BLOCK ? null : safe(height),
    timestamp: safe(field(2)),
  };
  const results = Array.from({ length: count }, (): CallResult => {
    const status = STATUSES[Number(take(1))];
    if (status === undefined) throw new RangeError("the answer has an unknown status");
    return status === "failed" || status === "answered"
      ? { status, data: take(Number(take(2))) }
      : { status };
  });
  if (offset !== total) throw new RangeError(`the answer has ${total} bytes, not ${offset}`);
  return { ...head, results };
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("not a block field");
  return number;
}
