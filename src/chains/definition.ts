import type { Address } from "viem";

/** A chain as the program uses it. */
export interface ChainDefinition {
  chainId: number;
  name: string;
  /** Short lower-case name, for links and tools. */
  key: string;
  /** Block explorer's origin without a trailing slash; empty when there is none. */
  explorer: string;
  native: { symbol: string; decimals: number };
  /** The canonical wrapped native token; null when none is known for certain. */
  wrappedNative: Address | null;
  /** Nodes in order of preference. */
  rpcUrls: readonly string[];
  /** Blocks on top, the transaction's own included, after which a receipt counts as proof. */
  confirmations: number;
  /** Kinds of events that one question about logs may name, where its nodes limit them. */
  maxLogTopics?: number;
}
