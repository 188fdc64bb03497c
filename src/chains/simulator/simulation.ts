import type { Address, Hex } from "viem";

/** One call that the user makes. `value` in wei. */
export interface SimulationCall {
  target: Address;
  value: bigint;
  data: Hex;
}

/** A static read that is made before the calls and again after them. */
export interface SimulationRead {
  target: Address;
  data: Hex;
}

/**
 * The outcome of one simulated call. `gasUsed` is that of a separate transaction, before refunds. `returnData` is the
 * revert data when not `ok`. `logs` is null where the method of simulation does not return them.
 */
export interface SimulatedCall {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
  logs: readonly unknown[] | null;
}

/**
 * The outcome of a simulated sequence, which ends with the first call that fails; `failedAt` is its index, null when
 * all passed. `before` and `after` hold the returndata of each read, null where it failed or returned nothing.
 * `blockNumber` is null where the chain does not return it; timestamps are unix seconds.
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
