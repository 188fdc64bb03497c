import type { Address, Hex } from "viem";
import type { BridgeChain, BridgeToken } from "../../bridge/world.ts";

/** A call at the end of a move. */
export interface ContractCall {
  fromAmount: bigint;
  target: Address;
  callData: Hex;
  approveTo: Address;
  /** What the call gives, for the Executor to send on; null: nothing that is known. */
  outputsToken: Address | null;
  gasLimit: bigint;
}

/** Tool keys to use and not to use. */
export interface ToolFilter {
  allow: readonly string[];
  deny: readonly string[];
}

/** A move as every endpoint of quotes asks for it. Amounts in smallest units. */
export interface Ask {
  fromChain: BridgeChain;
  toChain: BridgeChain;
  from: BridgeToken;
  to: BridgeToken;
  amount: bigint;
  fromAddress: Address;
  toAddress: Address;
  /** Parts per million. */
  slippage: bigint;
  integrator: string;
  bridges: ToolFilter;
  exchanges: ToolFilter;
  calls: readonly ContractCall[];
}

/** Whether a filter lets a tool be used; `all`, `none` and `default` are LI.FI's own words. */
export function isAllowed({ allow, deny }: ToolFilter, tool: string): boolean {
  const names = (list: readonly string[]) => list.includes(tool) || list.includes("all");
  const open = allow.length === 0 || allow.includes("default") || names(allow);
  return open && !names(deny);
}
