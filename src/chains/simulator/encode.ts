import { type Address, encodeFunctionData, type Hex, type StateOverride } from "viem";
import { sameAddress } from "../../lib/address.ts";
import { callSimulatorAbi, callSimulatorRuntimeCode } from "./artifact.ts";
import type { SimulationCall, SimulationRead } from "./types.ts";

/** What to simulate. `overrides` may name the user too, with any field but its code. */
export interface SimulationQuery {
  user: Address;
  calls: readonly SimulationCall[];
  reads: readonly SimulationRead[];
  overrides?: StateOverride;
}

/** The fields of an `eth_call`, as viem's `call` takes them. */
export interface SimulationRequest {
  account: Address;
  to: Address;
  data: Hex;
  stateOverride: StateOverride;
}

/**
 * Encodes an `eth_call` in which the user, its code replaced by the simulator's, makes the calls in order.
 * The user is also the sender, hence `tx.origin`. The answer belongs to `decodeSimulation`.
 */
export function encodeSimulation({ user, calls, reads, overrides = [] }: SimulationQuery): SimulationRequest {
  const own = overrides.find(({ address }) => sameAddress(address, user));
  const others = overrides.filter((override) => override !== own);
  return {
    account: user,
    to: user,
    data: encodeFunctionData({ abi: callSimulatorAbi, functionName: "run", args: [calls, reads] }),
    stateOverride: [...others, { ...own, address: user, code: callSimulatorRuntimeCode }],
  };
}
