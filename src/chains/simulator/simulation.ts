import type { Address, Hex } from "viem";

/** One call in a simulation; `value` is in wei. */
export interface SimulationCall {
  /** Another account that makes the call, only in a simulation with `later`. Absent if the user does. */
  from?: Address;
  target: Address;
  value: bigint;
  data: Hex;
  /**
   * Gas limit of the call, which only `eth_simulateV1` applies. If absent, it is that of the simulation's setting, or
   * the node's default if there is no setting.
   */
  gas?: bigint;
}

/** A view call that a simulation makes before the user's calls and again after them. */
export interface SimulationRead {
  target: Address;
  data: Hex;
}

/**
 * The result of one simulated call. `gasUsed` estimates the gas of a separate transaction, or is 0 if unknown.
 * `returnData` holds the revert data if `ok` is false, and may be cut to 4,096 bytes. `logs` is null if the method of
 * simulation does not return event logs.
 */
export interface SimulatedCall {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
  logs: readonly unknown[] | null;
}

/**
 * The result of a simulation. `calls` ends with the first call that fails; `failedAt` is its index, or null. `before`
 * and `after` hold the return data of each read, null if it failed, returned nothing or was not made; `eth_simulateV1`
 * goes on after a failed call, so that `after` may show effects of later ones. `blockNumber` is the block on whose
 * state the calls ran, or null if unknown; `blockTimestamp` is the block time that the calls saw (with `later`, those
 * of the first block), in seconds since the epoch (for a plain `eth_call`, the time that the input asks for).
 */
export interface SimulationResult {
  chainId: number;
  blockNumber: bigint | null;
  blockTimestamp: bigint;
  calls: SimulatedCall[];
  failedAt: number | null;
  before: (Hex | null)[];
  after: (Hex | null)[];
}
