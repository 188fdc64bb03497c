import type { ChainDefinition } from "./definition.ts";

/** Link to a transaction on the chain's explorer; null when the chain has none. */
export function transactionLink(chain: ChainDefinition, txHash: string): string | null {
  return chain.explorer === "" ? null : `${chain.explorer}/tx/${txHash}`;
}
