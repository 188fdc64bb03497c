import { type Address, concatHex, encodePacked, type Hex, size, slice } from "viem";
import { aggregatorCreationCode } from "./artifact.ts";

/** A view call as the aggregator makes it. */
export interface AggregatedCall {
  to: Address;
  data: Hex;
}

/** Stands for a program of ours among calls without a destination: its data is creation code. Source: Aggregator.sol. */
export const PROGRAM: Address = "0xffffffffffffffffffffffffffffffffffffffff";
/** The most that creation code and payload may weigh together, in bytes. Source: EIP-3860. */
const MAX_INITCODE_BYTES = 49_152;
/** Of a payload, behind the calls; and of a call, besides its data. Source: Aggregator.sol. */
const TAIL_BYTES = 8;
const CALL_BYTES = 22;
/** Calls per request: 24,576 bytes of answer at up to 78 bytes each (EIP-170). More is not lost, but asked again. */
export const MAX_CALLS = 300;
/** Gas for one call: vaults over many markets use several 100,000; as the position lens grants. */
export const CALL_GAS = 3_000_000;

/** Bytes for calls beside the creation code. */
const ROOM = MAX_INITCODE_BYTES - size(aggregatorCreationCode) - TAIL_BYTES;
const weightOf = ({ data }: AggregatedCall): number => CALL_BYTES + size(data);

/** Whether calls fit one request. */
export function fitsOneRequest(calls: readonly AggregatedCall[]): boolean {
  return calls.reduce((sum, call) => sum + weightOf(call), 0) <= ROOM;
}

/** Cuts calls, in order, into runs that each fit one request; no calls are one run, which tells the block. */
export function sliceCalls<C extends AggregatedCall>(calls: readonly C[]): C[][] {
  let last: C[] = [];
  const slices = [last];
  let room = ROOM;
  for (const call of calls) {
    if (last.length === MAX_CALLS || weightOf(call) > room) {
      last = [];
      slices.push(last);
      room = ROOM;
    }
    last.push(call);
    room -= weightOf(call);
  }
  return slices;
}

/** The data of an `eth_call` without `to` that makes the calls, each with so much gas at most. */
export function encodeCalls(calls: readonly AggregatedCall[], callGas = CALL_GAS): Hex {
  const entries = concatHex(
    calls.map(({ to, data }) => encodePacked(["address", "uint16", "bytes"], [to, size(data), data])),
  );
  const tail = encodePacked(["uint32", "uint16", "uint16"], [callGas, calls.length, size(entries)]);
  return concatHex([aggregatorCreationCode, entries, tail]);
}

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
