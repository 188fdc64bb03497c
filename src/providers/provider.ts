import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Fetch } from "../lib/bounded-fetch.ts";
import type { Breakers } from "../lib/circuit-breaker.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import type { BridgedAsset } from "./provider-bridged-assets.ts";

/**
 * The external resources that a provider may use while it serves a request: fetch, clock and chain clients.
 */
export interface ProviderScope {
  fetch: Fetch;
  timing: Timing;
  /** Circuit breakers of the isolate; absent if every request is to be sent. */
  breakers?: Breakers;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Returns the client of a chain, or null if this deployment does not serve the chain. */
  chain(chainId: number): ChainClient | null;
  /**
   * Time at which the caller stops waiting, in milliseconds since the epoch. If absent, only the provider's
   * own timeout applies.
   */
  deadline?: number;
}

/**
 * The call that a bridge makes with the tokens it delivers: a deposit into the vault through the
 * DepositRouter, of the caller's whole balance.
 */
export interface DestinationCall {
  /**
   * The DepositRouter on the destination chain: the contract that is called, and the spender of the delivered
   * token.
   */
  target: Address;
  data: Hex;
  /**
   * Minimum amount that must be delivered for the call to succeed, in the delivered token's smallest unit.
   */
  minIn: bigint;
  gasLimit: bigint;
}

/**
 * A request to bridge a token to another chain, or to swap it on one chain. `amount` is in the smallest unit
 * of `fromToken`.
 */
export interface TransferRequest {
  fromChainId: number;
  toChainId: number;
  /** The zero address for the chain's native token. */
  fromToken: Address;
  toToken: Address;
  amount: bigint;
  /** The account that pays. It also receives deliveries without a destination call, and every refund. */
  user: Address;
  /** Maximum total loss that the user accepts, in parts per billion. */
  slippage: bigint;
  /** The call to make with the delivered tokens, or null to deliver the tokens to the user. */
  call: DestinationCall | null;
  /**
   * Keys of `GET /v1/bridges` that may be used, or null to allow every bridge that the provider can verify.
   */
  bridges: readonly string[] | null;
}

/** A provider's price for a transfer: amounts, costs and duration, without a transaction. */
export interface TransferQuote {
  provider: string;
  /** Key of `GET /v1/bridges`, or null for a swap on one chain. */
  bridge: string | null;
  bridgeName: string | null;
  bridgeLogo: string | null;
  /** Expected amount delivered, in the smallest unit of `toToken`. */
  toAmount: bigint;
  /** Guaranteed minimum amount delivered, in the smallest unit of `toToken`. */
  toAmountMin: bigint;
  /**
   * Fees that the provider declares to be contained in its amounts, in parts per billion of the amount paid. The
   * declaration is not verified; it is accepted only up to a limit.
   */
  declaredFee: bigint;
  /**
   * Fee that the transaction pays in native currency on top of the amount, in wei. In a quote, the fee that the
   * provider announces.
   */
  nativeFee: bigint;
  estimatedSeconds: number | null;
  /** Units of gas that the provider expects the source transaction to use, or null if it states none. */
  gas: bigint | null;
  /** True if a destination call can be made with the delivered tokens. */
  supportsCall: boolean;
  /** True if the token can be delivered to the user's address. */
  supportsPlain: boolean;
}

/**
 * A transfer that is ready to sign: its transaction was decoded and compared with the request field by field.
 */
export interface VerifiedTransfer extends TransferQuote {
  transaction: { to: Address; data: Hex; value: bigint };
  /**
   * The address that the user must approve for `amount`, taken from the deployment tables in code, or null if
   * the source token is native.
   */
  spender: Address | null;
  /** The contract that makes the destination call, or null without a call. */
  executor: Address | null;
  /** The provider's own key for the bridge, which status requests need. */
  tool: string;
  /** Number of seconds for which the quoted amounts are valid. */
  validSeconds: number;
  /** True if the transaction swaps one token for another. */
  swaps: boolean;
  /**
   * How a step of a Router order can contain the call. Absent if only the user may make the call, because the called
   * contract refunds or pays its caller.
   */
  asStep?: RouterStepUse;
}

/** How a step of a Router order can contain a provider's call. */
export interface RouterStepUse {
  /**
   * Byte offset of the receiver in the calldata. The Router's executor may be written there, so that the Router
   * receives the output, measures it and passes it on. Null for a bridge, which delivers to the user on another chain
   * and names the user as depositor or refund address.
   */
  receiverOffset: number | null;
}

/** Identifies a transfer by its source transaction, to request its status. */
export interface TransferReference {
  /** Hash of the transaction on the source chain that started the transfer. */
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
  /** The provider's own key for the bridge, as in `VerifiedTransfer`; empty if unknown. */
  tool: string;
  /** Hashes of transactions on the destination chain that may have delivered the transfer; absent if none is known. */
  arrivals?: readonly Hex[];
}

/**
 * A transfer's status as its provider reports it. It names transactions for the caller to verify on chain and
 * does not prove their outcome.
 */
export interface ProviderStatus {
  phase: "unknown" | "source_pending" | "bridging" | "delivered" | "refunding" | "refunded" | "failed";
  /** The substatus shown to customers, or null if the provider reports none or one that is unknown. */
  substatus: string | null;
  destinationTxHash: Hex | null;
  refundTxHash: Hex | null;
  /** Amount delivered, in the token's smallest unit, or null if it is unknown. */
  amountReceived: bigint | null;
  explorerLink: string | null;
  /** Evidence from the bridge's own contracts, or null if they were not read or do not show the transfer. */
  proof: BridgeProof | null;
}

/** Evidence of a transfer from the bridge's own contracts on both chains. It does not rely on any API. */
export interface BridgeProof {
  /**
   * Evidence of the delivery in `destinationTxHash`, or null if that transaction did not deliver the
   * transfer.
   */
  delivery: DeliveryProof | null;
  /**
   * What the bridge took on the source chain: token, amount in its smallest unit, and the contract (`by`) that took it
   * and would pay a refund. `refundable` is true once the destination chain shows that the deadline has passed without
   * a payout. Null for bridges that never refund on the source chain.
   */
  taken: { token: Address; amount: bigint; by: Address; refundable: boolean } | null;
}

/**
 * The amount that a bridge paid out for one transfer, and the logs of the destination receipt that show it.
 */
export interface DeliveryProof {
  /** Amount that the bridge paid out, in the delivered token's smallest unit. */
  amount: bigint;
  /** First and last log index of the receipt that belong to this delivery, both inclusive. */
  logs: { first: number; last: number };
  /**
   * How the delivery was matched to the transfer: "id" by an identifier that both contain, "content" only by
   * equal amounts and parties.
   */
  matchedBy: "id" | "content";
}

/** An event of a bridge's or exchange's contracts on one chain that names the user of a transfer. */
export interface TransferEvent {
  /** `source`: the funds left the user's account. `destination`: they arrived. */
  side: "source" | "destination";
  contracts: readonly Address[];
  /** First topic of the event: the hash of its signature. */
  topic: Hex;
  /** Index of the topic with the user's address, or null if only the event's data contain the address. */
  userTopic: number | null;
  /** True if the event is needed only for transfers of native currency; token transfers have events of their own. */
  nativeOnly: boolean;
}

/** A token from a provider's token list. */
export interface ListedToken {
  chainId: number;
  /** The zero address for the chain's native token. */
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
}

/** The bridges that a provider supports, and whether it can swap tokens and make destination calls. */
export interface ProviderCapabilities {
  /**
   * Bridges whose calldata can be decoded and verified, each with the ids of the chains on which it may be
   * used.
   */
  bridges: readonly { key: string; name: string; chains: readonly number[] }[];
  swaps: boolean;
  /** Ids of the chains with swaps; absent if the upstream decides. */
  swapChains?: readonly number[];
  destinationCall: boolean;
}

/**
 * An upstream service that quotes, builds and tracks transfers. Every method throws only AppErrors, with the
 * codes `no_route`, `upstream_rejected` (the upstream's response does not match the request),
 * `upstream_unavailable`, `upstream_timeout` or `rate_limited`.
 */
export interface Provider {
  readonly name: string;
  capabilities(): ProviderCapabilities;
  /** Returns quotes for a transfer, without transactions. */
  quote(scope: ProviderScope, request: TransferRequest): Promise<TransferQuote[]>;
  /**
   * Returns the addresses that the user may have to approve, from the deployment tables in code. Empty if the
   * source token is native.
   */
  spenders(request: TransferRequest): readonly Address[];
  /**
   * Builds and verifies the transaction of a transfer. Tokens are delivered to the user if `request.call` is
   * null, otherwise to the contract that makes the destination call.
   */
  build(scope: ProviderScope, request: TransferRequest): Promise<VerifiedTransfer>;
  /** Returns the status of a transfer, which is identified by its source transaction. */
  status(scope: ProviderScope, transfer: TransferReference): Promise<ProviderStatus>;
  /**
   * Returns the bridgeable tokens of a chain with the asset that each represents, from the deployment tables in code,
   * independent of the upstream. Two tokens of the same asset are valued one to one.
   */
  assets(chainId: number): readonly BridgedAsset[];
  /** Returns the events by which unreported transfers are found on a chain. Absent if there are none. */
  events?(chainId: number): readonly TransferEvent[];
  /** Lists the tokens that the upstream supports on a chain. Absent if the upstream has no token list. */
  tokens?(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
}
