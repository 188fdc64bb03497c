import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Fetch } from "../lib/bounded-fetch.ts";
import type { Timing } from "../lib/request-timing.ts";

/** The outside resources that a provider may use. */
export interface ProviderScope {
  fetch: Fetch;
  timing: Timing;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns the client of a chain, or null when this deployment does not serve the chain. */
  chain(chainId: number): ChainClient | null;
  /**
   * Milliseconds since the epoch after which the caller no longer waits; without it the provider's own timeout
   * applies.
   */
  deadline?: number;
}

/** The call that the bridge makes with the delivered tokens: our Router's deposit of its whole balance. */
export interface DestinationCall {
  /** The DepositRouter on the destination chain: target of the call and spender of the delivered token. */
  target: Address;
  data: Hex;
  /** The least that must be delivered for the call to succeed, smallest unit of the delivered token. */
  minIn: bigint;
  gasLimit: bigint;
}

/** A request to bridge a token to another chain, or to swap it on one chain. Amounts in smallest units. */
export interface TransferRequest {
  fromChainId: number;
  toChainId: number;
  /** The zero address for the chain's native token. */
  fromToken: Address;
  toToken: Address;
  amount: bigint;
  /** Payer, receiver of deliveries without a call, and receiver of every refund. */
  user: Address;
  /** The largest total loss that the user accepts, in parts per billion. */
  slippage: bigint;
  /** Null delivers the token to the user. */
  call: DestinationCall | null;
  /** Keys of `GET /v1/bridges` to choose from; null allows every bridge that the provider can verify. */
  bridges: readonly string[] | null;
}

/** A provider's price for a transfer, without a transaction. */
export interface TransferQuote {
  provider: string;
  /** Key of `GET /v1/bridges`; null for a swap on one chain. */
  bridge: string | null;
  bridgeName: string | null;
  bridgeLogo: string | null;
  /** Expected amount delivered, smallest unit of `toToken`. */
  toAmount: bigint;
  /** Guaranteed minimum delivered, smallest unit of `toToken`. */
  toAmountMin: bigint;
  estimatedSeconds: number | null;
  /** The upstream's own figures in US dollars, decimal strings; null when it gives none. */
  gasCostUsd: string | null;
  fromAmountUsd: string | null;
  toAmountUsd: string | null;
  /** True when the transfer can end with a destination call. */
  supportsCall: boolean;
  /** True when the transfer can end with the token at the user's address. */
  supportsPlain: boolean;
}

/** The transaction that starts a transfer, decoded and compared with the request field by field. */
export interface VerifiedTransfer extends TransferQuote {
  transaction: { to: Address; data: Hex; value: bigint };
  /** The address that the user approves for `amount`, taken from our deployment tables; null for a native source. */
  spender: Address | null;
  /** The contract that makes the destination call; null without a call. */
  executor: Address | null;
  /** The provider's key for the bridge, needed for status requests. */
  tool: string;
  /** Seconds for which the amounts hold. */
  validSeconds: number;
}

/** Names a transfer by its source transaction, for status requests. */
export interface TransferReference {
  /** Transaction hash on the source chain. */
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
  /** The provider's key for the bridge, as in `VerifiedTransfer`; empty when unknown. */
  tool: string;
}

/** A provider's status of a transfer: a hint at transactions to read, never a proof of their outcome. */
export interface ProviderStatus {
  phase: "unknown" | "source_pending" | "bridging" | "delivered" | "refunding" | "refunded" | "failed";
  /** The substatus shown to customers; null when the upstream gives none that we know. */
  substatus: string | null;
  destinationTxHash: Hex | null;
  refundTxHash: Hex | null;
  /** Amount delivered, smallest unit; null when unknown. */
  amountReceived: bigint | null;
  explorerLink: string | null;
  /** Null when the bridge's contracts were not read or do not know the transfer. */
  proof: BridgeProof | null;
}

/** What the bridge's own contracts record of a transfer on both chains, independent of any API. */
export interface BridgeProof {
  /** The delivery of this transfer in `destinationTxHash`; null when that transaction did not deliver it. */
  delivery: DeliveryProof | null;
  /**
   * The token, amount (smallest unit) and contract that took it on the source chain, and that would pay a refund;
   * null for bridges that never refund there.
   */
  taken: { token: Address; amount: bigint; by: Address } | null;
}

/** The logs of a destination receipt that pay out one transfer. */
export interface DeliveryProof {
  /** Amount that the bridge paid out, smallest unit. */
  amount: bigint;
  /** Log index range of the receipt that belongs to this delivery, both ends included. */
  logs: { first: number; last: number };
  /** "id" when an identifier ties the delivery to the transfer, "content" when only amounts and parties match. */
  matchedBy: "id" | "content";
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

/** The kinds of transfer that a provider can build. */
export interface ProviderCapabilities {
  /** Bridges whose calldata we decode. */
  bridges: readonly { key: string; name: string; chains: readonly number[] }[];
  swaps: boolean;
  destinationCall: boolean;
}

/**
 * One upstream that quotes, builds and tracks transfers. Every method throws only AppError: `no_route`,
 * `upstream_rejected` (its response was decoded and does not match the request), `upstream_unavailable`,
 * `upstream_timeout`, `rate_limited`.
 */
export interface Provider {
  readonly name: string;
  capabilities(): ProviderCapabilities;
  /** Returns prices without a transaction. */
  quote(scope: ProviderScope, request: TransferRequest): Promise<TransferQuote[]>;
  /** Returns the addresses that may need an approval, from our own deployment tables; empty for a native source. */
  spenders(request: TransferRequest): readonly Address[];
  /** Builds and verifies the transaction; `request.call` null delivers to the user, otherwise into the call. */
  build(scope: ProviderScope, request: TransferRequest): Promise<VerifiedTransfer>;
  /** Returns the status of a transfer by its source transaction. */
  status(scope: ProviderScope, transfer: TransferReference): Promise<ProviderStatus>;
  /** Lists the tokens that the upstream knows on a chain; absent where it has no such list. */
  tokens?(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
}
