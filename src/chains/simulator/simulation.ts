import type { Address, Hex } from "viem";

/** One call that the user makes. `value` in wei. */
export interface SimulationCall {
  target: Address;
  value: bigint;
  data: Hex;
}

/** One static read, made before the calls and again after them. */
export interface SimulationRead {
  target: Address;
  data: Hex;
}

/**
 * What one call did, whichever way it was simulated. `gasUsed` is that of a transaction of its own with this
 * call, before refunds. `returnData` is the revert data when not `ok`. `logs` is null where they cannot be seen.
 */
export interface SimulatedCall {
  ok: boolean;
  gasUsed: bigint;
  returnData: Hex;
  logs: readonly unknown[] | null;
}

/**
 * A simulated sequence. It ends with the first call that fails; `failedAt` is its index, null when all passed.
 * `before` and `backoff` hold the returndata of each read, null where it failed or gave nothing.
 * `blockNumber` is null where the chain does not tell it, the timestamp is in seconds.
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
