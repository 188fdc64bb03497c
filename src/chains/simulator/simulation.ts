import type { Address, Hex } from "viem";

/** One call that the user makes in a simulation; `value` is in wei. */
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
 * The result of one simulated call. `gasUsed` estimates the gas of a separate transaction; it is 0 if a plain
 * `eth_call` reverted. `returnData` holds the revert data if `ok` is false. `logs` is null if the simulation method
 * does not return event logs.
 */
export interface SimulatedCall {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
  logs: readonly unknown[] | null;
}

/**
 * The result of a simulated sequence of calls, which ends with the first call that fails; `failedAt` is the index of
 * that call, or null if all succeeded. `before` and `after` hold the return data of each read, or null if the read
 * failed, returned nothing or was not made. `blockNumber` is that of the block on whose state the calls ran, or null if
 * the method or the chain does not return it. `blockTimestamp` is what the calls saw as the block's time, in seconds
 * since the epoch; after a plain `eth_call`, it is the requested time.
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
