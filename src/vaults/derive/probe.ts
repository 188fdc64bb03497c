import { type Abi, type Address, encodeFunctionData, type Hex } from "viem";
import type { Read, ReadResult } from "../../chains/read.ts";

/** Calls a function that is no view, to see whether the contract has it: what it would do is not done. */
export function probe(call: { to: Address; abi: Abi; name: string; args: readonly unknown[] }): Read<Hex> {
  const data = encodeFunctionData({ abi: call.abi, functionName: call.name, args: [...call.args] });
  return { to: call.to, data, decode: (answer) => answer };
}

/** Whether a contract has a function: one that it has not reverts without a word. */
export function hasFunction(result: ReadResult<Hex>): boolean {
  return result.ok || (result.revert !== null && result.revert !== "0x");
}
