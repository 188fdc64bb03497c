import type { Abi, Address, Hex, StateOverride } from "viem";
import { encodeFunctionData, parseAbi } from "viem";
import type { ScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import type {
  SimulationCall,
  SimulationRead,
  SimulationResult,
} from "../../../src/chains/simulator/simulation.ts";
import { decodeSimulation, encodeSimulation } from "../../../src/chains/simulator/simulator-codec.ts";

export const tokenAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)",
  "function deposit(uint256, address) returns (uint256)",
]);

/** Executes calls of the user in one `eth_call`, with geth's default gas limit. */
export async function simulate(
  chain: ScratchChain,
  asked: { user: Address; calls: SimulationCall[]; reads?: SimulationRead[]; overrides?: StateOverride },
): Promise<SimulationResult> {
  const { reads = [], ...rest } = asked;
  const request = encodeSimulation({ ...rest, reads });
  const { data } = await chain.node.call({ ...request, gas: 50_000_000n });
  return decodeSimulation(data ?? "0x", { calls: asked.calls, reads });
}

/** Encodes a call of a function by name. `value` defaults to zero. */
export function callOf(
  abi: Abi,
  call: { target: Address; name: string; args?: readonly unknown[]; value?: bigint },
): SimulationCall {
  const data = encodeFunctionData({ abi, functionName: call.name, args: call.args ?? [] });
  return { target: call.target, value: call.value ?? 0n, data };
}

export const balanceOf = (token: Address, owner: Address): SimulationRead => ({
  target: token,
  data: encodeFunctionData({ abi: tokenAbi, functionName: "balanceOf", args: [owner] }),
});

export const numberOf = (word: Hex | null | undefined): bigint | null => (word ? BigInt(word) : null);
