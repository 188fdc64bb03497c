import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/client.ts";
import type { Fetch } from "../lib/bounded-fetch.ts";
import type { Timing } from "../lib/timing.ts";

/** What a provider may reach; nothing else of the program. */
export interface ProviderScope {
  fetch: Fetch;
  timing: Timing;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The client of a chain, null when the deployment does not serve it. */
  chain(chainId: number): ChainClient | null;
  /** When an answer stops being of use, milliseconds since the epoch; without it a provider's own patience counts. */
  deadline?: number;
}

/** A call that the bridge makes with what it delivers: into our Router with `amount = max`. */
export interface DestinationCall {
  /** The DepositRouter of the destination chain: call target and spender. */
  target: Address;
  data: Hex;
  /** The least that must arrive for the call to succeed, smallest unit of the delivered token. */
  minIn: bigint;
  gasLimit: bigint;
}

/** A wish to move a token to another chain, or to turn it into another on the same. Amounts in smallest units. */
export interface TransferRequest {
  fromChainId: number;
  toChainId: number;
  /** The zero address for the chain's native token. */
  fromToken: Address;
  toToken: Address;
  amount: bigint;
  /** Pays, receives what is delivered without a call, and every refund. */
  user: Address;
  /** The loss that is allowed in all, parts per billion. */
  slippage: bigint;
  /** Null: the token goes to the user. */
  call: DestinationCall | null;
  /** Bridge keys to choose from, as `GET /v1/bridges` lists them; null: all that the provider can verify. */
  bridges: readonly string[] | null;
}

/** One way to do it, priced. */
export interface TransferQuote {
  provider: string;
  /** Key of `GET /v1/bridges`; null for a swap on one chain. */
  bridge: string | null;
  bridgeName: string | null;
  bridgeLogo: string | null;
  /** Expected and guaranteed amounts of `toToken` that are delivered. */
  toAmount: bigint;
  toAmountMin: bigint;
  estimatedSeconds: number | null;
  /** Figures of the upstream's, decimal; null where it gives none. */
  gasCostUsd: string | null;
  fromAmountUsd: string | null;
  toAmountUsd: string | null;
  /** Whether it can be built with a call at its end, and whether without one. */
  callable: boolean;
  plain: boolean;
}

/** The transaction that starts a move, decoded and compared with the request before anyone sees it. */
export interface VerifiedTransfer extends TransferQuote {
  transaction: { to: Address; data: Hex; value: bigint };
  /** Whom the user approves for `amount`; null for a native source. From our allow-list, never the answer's word. */
  spender: Address | null;
  /** Who makes the destination call; null without one. */
  executor: Address | null;
  /** What the provider needs to follow it later. */
  tool: string;
  /** For how long the figures hold, seconds. */
  validSeconds: number;
}

/** A provider's word on a transfer: a hint where to look, never proof of an end. */
export interface ProviderStatus {
  phase: "unknown" | "source_pending" | "moving" | "delivered" | "refunding" | "refunded" | "failed";
  /** The public substatus, where the upstream gives one we know. */
  substatus: string | null;
  destinationTxHash: Hex | null;
  refundTxHash: Hex | null;
  /** What was delivered, smallest unit; null: not said. */
  amountReceived: bigint | null;
  explorerLink: string | null;
  /** Null where nobody read the bridge's contracts, or they do not know the transfer. */
  witness: BridgeProof | null;
}

/** What the bridge's own contracts show of a transfer, whatever anybody says. */
export interface BridgeProof {
  /** How `destinationTxHash` delivered this very transfer; null: it did not. */
  delivered: DeliveryProof | null;
  /** What which contract took on the source chain, and pays back when it pays back, smallest unit; null: never. */
  took: { token: Address; amount: bigint; by: Address } | null;
}

/** What the receipt of a delivery shows of one transfer. */
export interface DeliveryProof {
  /** What the bridge paid out, smallest unit. */
  amount: bigint;
  /** The logs of the receipt that belong to it, by index, both included. */
  logs: { first: number; last: number };
  /** Whether an id ties it to the transfer, or only that it is alike in everything that the chains show. */
  bond: "id" | "content";
}

/** A token as an upstream lists it. */
export interface ListedToken {
  chainId: number;
  /** The zero address for the chain's native token. */
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
}

export interface ProviderCapabilities {
  /** Bridges whose calldata we decode. */
  bridges: readonly { key: string; name: string; chains: readonly number[] }[];
  swaps: boolean;
  destinationCall: boolean;
}

/**
 * One upstream, normalised. Every method throws only AppError: `no_route`, `upstream_rejected` (its answer
 * was decoded and differs from what was asked), `upstream_unavailable`, `upstream_timeout`, `rate_limited`.
 */
export interface Provider {
  readonly name: string;
  capabilities(): ProviderCapabilities;
  /** Prices without a transaction. */
  quote(scope: ProviderScope, request: TransferRequest): Promise<TransferQuote[]>;
  /** Whom the user of a move may have to approve, by our own tables; nobody for native. */
  spenders(request: TransferRequest): readonly Address[];
  /** Builds and verifies; `request.call` null delivers to the user, otherwise into the call. */
  build(scope: ProviderScope, request: TransferRequest): Promise<VerifiedTransfer>;
  status(
    scope: ProviderScope,
    transfer: { txHash: Hex; fromChainId: number; toChainId: number; tool: string },
  ): Promise<ProviderStatus>;
  /** The tokens it knows on a chain, where it keeps such a list. */
  tokens?(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
}
