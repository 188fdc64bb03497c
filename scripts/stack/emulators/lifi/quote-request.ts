import type { Address, Hex } from "viem";
import type { BridgeChain, BridgeToken } from "../../bridge/bridge-chains.ts";

/** A call to make on the destination. */
export interface ContractCall {
  fromAmount: bigint;
  target: Address;
  callData: Hex;
  approveTo: Address;
  /** Token that the call returns, for the Executor to forward; null when unknown. */
  outputsToken: Address | null;
  gasLimit: bigint;
}

/**
 * Keys of the tools (bridges or exchanges) to allow and to deny, or LI.FI's keywords `all`, `none` and `default`. An
 * empty `allow` allows every tool; `deny` takes precedence.
 */
export interface ToolFilter {
  allow: readonly string[];
  deny: readonly string[];
}

/** A quote request, parsed. Amounts in smallest units. */
export interface QuoteRequest {
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

/** Returns true when a filter allows a tool; `all`, `none` and `default` are LI.FI's keywords. */
export function isAllowed({ allow, deny }: ToolFilter, tool: string): boolean {
  const names = (list: readonly string[]) => list.includes(tool) || list.includes("all");
  const open = allow.length === 0 || allow.includes("default") || names(allow);
  return open && !names(deny);
}
