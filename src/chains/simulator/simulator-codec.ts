import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, type StateOverride } from "viem";
import { sameAddress } from "../../lib/address.ts";
import { MAX_UINT256 } from "../../lib/amount.ts";
import { callSimulatorAbi, callSimulatorRuntimeCode } from "./call-simulator-artifact.ts";
import type { SimulationCall, SimulationRead, SimulationResult } from "./simulation.ts";

const TRANSACTION_GAS = 21_000n;
const TOKEN_GAS = 4n;
const FLOOR_TOKEN_GAS = 10n;
/** Number of EIP-7623 tokens that a non-zero byte of calldata counts for; a zero byte counts for one. */
const TOKENS_PER_NONZERO_BYTE = 4n;

/**
 * Returns the gas that a transaction with this calldata costs apart from its execution: `standard` is added to the
 * execution's gas, and `floor` is the minimum of the total. Source: EIP-2028, EIP-7623.
 */
export function intrinsicGas(data: Hex): { standard: bigint; floor: bigint } {
  let nonzero = 0n;
  for (let index = 2; index + 1 < data.length; index += 2) {
    if (data[index] !== "0" || data[index + 1] !== "0") nonzero += 1n;
  }
  const zero = BigInt((data.length - 2) >> 1) - nonzero;
  const tokens = zero + nonzero * TOKENS_PER_NONZERO_BYTE;
  return {
    standard: TRANSACTION_GAS + tokens * TOKEN_GAS,
    floor: TRANSACTION_GAS + tokens * FLOOR_TOKEN_GAS,
  };
}

/**
 * Returns the total gas of a transaction with this calldata whose execution used `execution` gas: at least the floor of
 * EIP-7623.
 */
export function transactionGas(data: Hex, execution: bigint): bigint {
  const { standard, floor } = intrinsicGas(data);
  if (standard + execution < floor) return floor;
  return standard + execution;
}

/**
 * A user's calls to simulate, and the reads to make before and after them. `overrides` may contain the user's account,
 * but its code is always replaced by the simulator.
 */
export interface SimulationQuery {
  user: Address;
  /** The sender of the `eth_call`, hence `tx.origin`. Absent if it is the user. */
  origin?: Address;
  calls: readonly SimulationCall[];
  reads: readonly SimulationRead[];
  overrides?: StateOverride;
}

/** The fields of the `eth_call` that runs a simulation, as viem's `call` takes them. */
export interface SimulationRequest {
  account: Address;
  to: Address;
  data: Hex;
  stateOverride: StateOverride;
}

/**
 * Encodes an `eth_call` in which the user's account, with the simulator as its code, makes the calls in order.
 * `decodeSimulation` decodes the result.
 */
export function encodeSimulation(of: SimulationQuery): SimulationRequest {
  const { user, origin = user, calls, reads, overrides = [] } = of;
  const own = overrides.find(({ address }) => sameAddress(address, user));
  const others = overrides.filter((override) => override !== own);
  return {
    account: origin,
    to: user,
    data: encodeFunctionData({ abi: callSimulatorAbi, functionName: "run", args: [calls, reads] }),
    stateOverride: [...others, { ...own, address: user, code: callSimulatorRuntimeCode }],
  };
}

/**
 * Decodes the result of the call of `encodeSimulation`. Gas is that of separate transactions without refunds; from the
 * second call on it may be too low. Throws an Error if the result does not match calls and reads.
 */
export function decodeSimulation(
  data: Hex,
  asked: { calls: readonly SimulationCall[]; reads: readonly SimulationRead[] },
): SimulationResult {
  const [results, before, after, head] = decodeFunctionResult({
    abi: callSimulatorAbi,
    functionName: "run",
    data,
  });
  const failedAt = results.findIndex(({ ok }) => !ok);
  const expected = failedAt === -1 ? asked.calls.length : failedAt + 1;
  if (results.length !== expected || results.length > asked.calls.length) {
    throw new Error(`simulation answered ${results.length} calls of ${asked.calls.length}`);
  }
  if (before.length !== asked.reads.length || after.length !== asked.reads.length) {
    throw new Error(
      `simulation answered ${before.length} and ${after.length} reads of ${asked.reads.length}`,
    );
  }
  return {
    chainId: Number(head.chainId),
    blockNumber: head.blockNumber === MAX_UINT256 ? null : head.blockNumber,
    blockTimestamp: head.timestamp,
    calls: results.map(({ ok, gasUsed, returnData }, index) => ({
      ok,
      gasUsed: transactionGas(asked.calls[index]?.data ?? "0x", gasUsed),
      returnData,
      logs: null,
    })),
    failedAt: failedAt === -1 ? null : failedAt,
    before: before.map(answered),
    after: after.map(answered),
  };
}

const answered = (data: Hex): Hex | null => (data === "0x" ? null : data);
