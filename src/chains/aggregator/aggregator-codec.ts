import { type Address, concatHex, encodePacked, type Hex, size, slice } from "viem";
import { isUnixTime } from "../../lib/unix-time.ts";
import { aggregatorCreationCode } from "./aggregator-artifact.ts";

/** A view call for the aggregator contract: the contract to call and the calldata. */
export interface AggregatedCall {
  to: Address;
  data: Hex;
}

/**
 * Target address of a call in a batch whose data is creation code to run instead of calldata. Source: Aggregator.sol.
 */
export const PROGRAM: Address = "0xffffffffffffffffffffffffffffffffffffffff";
/**
 * Address at which a state override places a program's code. As a target in a batch, it marks the call of that program,
 * which gets all remaining gas. Source: Aggregator.sol.
 */
export const HELD_PROGRAM: Address = "0xfffffffffffffffffffffffffffffffffffffffe";
/** Maximum size of creation code and payload together, in bytes. Source: EIP-3860. */
const MAX_INITCODE_BYTES = 49_152;
/** Size of the payload's trailer, and of a call without its data, in bytes. Source: Aggregator.sol. */
const TAIL_BYTES = 8;
const CALL_BYTES = 22;
/**
 * Maximum number of calls in one request. With 300 calls, the 24,576 bytes that creation code can return (EIP-170)
 * leave an average of 78 bytes for the data of each result.
 */
export const MAX_CALLS = 300;
/** Default gas limit of one call. */
export const CALL_GAS = 3_000_000;

/** Bytes available for calls next to the aggregator's creation code. */
const ROOM = MAX_INITCODE_BYTES - size(aggregatorCreationCode) - TAIL_BYTES;
const weightOf = ({ data }: AggregatedCall): number => CALL_BYTES + size(data);

/** Returns true if the calldata of the calls fits into one request. The number of calls is not checked. */
export function fitsOneRequest(calls: readonly AggregatedCall[]): boolean {
  return calls.reduce((sum, call) => sum + weightOf(call), 0) <= ROOM;
}

/**
 * Splits calls, in order, into slices of at most 300 that each fit into one request; a call that is too large for any
 * request gets its own slice. The first slice is empty if there are no calls or the first call is too large.
 */
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

/**
 * Encodes calls as the `data` of one `eth_call` without `to`. Each call may use at most `callGas` gas, except programs
 * (`PROGRAM`, `HELD_PROGRAM`). Whether they fit into one request is not checked; above 65,535 bytes, throws a viem
 * error.
 */
export function encodeCalls(calls: readonly AggregatedCall[], callGas = CALL_GAS): Hex {
  const entries = concatHex(
    calls.map(({ to, data }) => encodePacked(["address", "uint16", "bytes"], [to, size(data), data])),
  );
  const tail = encodePacked(["uint32", "uint16", "uint16"], [callGas, calls.length, size(entries)]);
  return concatHex([aggregatorCreationCode, entries, tail]);
}

/**
 * The result of one call; `data` is its return data, or its revert data if it `failed` (always `0x` for creation code).
 * `unknown`: that data is too long to be copied. `not_reached`: no gas or space was left for it. `spent`: it failed
 * after using most of its gas.
 */
export type CallResult =
  | { status: "failed" | "answered"; data: Hex }
  | { status: "unknown" | "not_reached" | "spent" };

/**
 * The results of one aggregator request in the order of its calls, with chain id and block. `blockNumber` is null if
 * the chain does not provide it.
 */
export interface AggregatedAnswer {
  chainId: number;
  blockNumber: number | null;
  /** Block timestamp, in seconds since the epoch. */
  timestamp: number;
  results: CallResult[];
}

/** Result statuses by their status byte. Source: Aggregator.sol. */
const STATUSES = ["failed", "answered", "not_reached", "unknown", "spent"] as const;
const HEAD_BYTES = 24;
const UNKNOWN_BLOCK = 2n ** 64n - 1n;

/**
 * Decodes the data that the aggregator returned for `count` calls. Throws an Error if the data is too short or too
 * long, or contains an unknown status, a block field that is not a safe integer, or a timestamp after the year 9999.
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
    timestamp: timestampOf(field(2)),
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

function timestampOf(value: bigint): number {
  const seconds = safe(value);
  if (!isUnixTime(seconds)) throw new RangeError("not a block timestamp");
  return seconds;
}

function safe(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("not a block field");
  return number;
}
