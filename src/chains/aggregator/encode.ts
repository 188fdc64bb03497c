import { type Address, concatHex, encodePacked, type Hex, size } from "viem";
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
