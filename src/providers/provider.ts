import type { Address, Hex } from "viem";
import type { ChainClient } from "../chains/chain-client.ts";
import type { Fetch } from "../lib/bounded-fetch.ts";
import type { Breakers } from "../lib/circuit-breaker.ts";
import type { Timing } from "../lib/outside-call-timing.ts";
import type { BridgedAsset } from "./provider-bridged-assets.ts";

/** What a provider may use to serve one request: fetch, timing, circuit breakers, clock, chain clients, a deadline. */
export interface ProviderScope {
  fetch: Fetch;
  /** Records the time of outside requests. */
  timing: Timing;
  /** Circuit breakers of the isolate; absent if every request is to be sent. */
  breakers?: Breakers;
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Returns the client of a chain, or null if this deployment does not serve the chain. */
  chain(chainId: number): ChainClient | null;
  /**
   * Time at which the caller stops waiting, in milliseconds since the epoch: it shortens the timeout of requests to the
   * upstream's API. If absent, only the provider's own timeouts apply.
   */
  deadline?: number;
}

/**
 * The call that a bridge or swap makes with the tokens it delivers. It calls the DepositRouter, which takes as much as
 * the calling contract holds and has approved, and deposits it into the vault. It reverts below `minIn`.
 */
export interface DestinationCall {
  /**
   * The DepositRouter on the destination chain: the contract that is called, and the spender of the delivered
   * token.
   */
  target: Address;
  /** Calldata of the call, passed on unchanged. */
  data: Hex;
  /**
   * Minimum amount that must be delivered for the call to succeed, in the delivered token's smallest unit.
   */
  minIn: bigint;
  /** Units of gas for the call. LI.FI's API is told it, Across's is not; only Stargate's purchase of it is verified. */
  gasLimit: bigint;
}

/**
 * A request to bridge a token to another chain, or to swap it on one chain. It is a swap if both chain ids are equal.
 */
export interface TransferRequest {
  fromChainId: number;
  toChainId: number;
  /** The token paid; the zero address for the chain's native currency. */
  fromToken: Address;
  /** The token delivered; the zero address for the chain's native currency. */
  toToken: Address;
  /** Amount to pay, in the smallest unit of `fromToken`. */
  amount: bigint;
  /** The user's account. It receives every refund, and deliveries without a destination call. */
  user: Address;
  /** Maximum part by which the minimum output may be below the expected, in parts per billion. Across needs none. */
  slippage: bigint;
  /** The call to make with the delivered tokens, or null to deliver the tokens to the user. */
  call: DestinationCall | null;
  /**
   * Keys of `GET /v1/bridges` that may be used, or null to allow every bridge that the provider can verify. Restricts
   * LI.FI's and Across's bridges, not LI.FI's swaps; KyberSwap and Velora throw `no_route` unless it is null.
   */
  bridges: readonly string[] | null;
}

/** A provider's price for a transfer: amounts, costs and duration, without a transaction. */
export interface TransferQuote {
  /** Name of the provider, as in `Provider.name`. */
  provider: string;
  /** Key of `GET /v1/bridges`, or null for a transfer on one chain. */
  bridge: string | null;
  /** Display name of the bridge, or null for a transfer on one chain. */
  bridgeName: string | null;
  /** HTTPS URL of the bridge's logo, or null for a transfer on one chain or if the provider states no valid one. */
  bridgeLogo: string | null;
  /** Expected amount delivered, in the smallest unit of `toToken`. */
  toAmount: bigint;
  /**
   * Minimum amount delivered, in the smallest unit of `toToken`. In a quote, nothing enforces it; in a transfer, the
   * contracts do, except for CCTP through Celer.
   */
  toAmountMin: bigint;
  /**
   * Fees contained in the amounts, in parts per billion. Across: the paid less the delivered amount. LI.FI: the fees
   * that it declares in the paid or the delivered token, each as part of that amount; not verified. Otherwise 0.
   */
  declaredFee: bigint;
  /**
   * Fee that the transaction pays in native currency on top of the amount, in wei. In a quote, the fee that the
   * provider announces.
   */
  nativeFee: bigint;
  /** Expected duration in seconds, or null if the provider states no valid one; KyberSwap and Velora never do. */
  estimatedSeconds: number | null;
  /** Units of gas that the provider expects the source transaction to use, or null if it states no valid number. */
  gas: bigint | null;
  /** True if a destination call can be made with the delivered tokens. */
  supportsCall: boolean;
  /** True if an account with code gets the wrapped token instead of the native currency requested; else absent. */
  wrapsNative?: true;
  /** True if the token can be delivered to the user's address. Always false in LI.FI's quote of a call on one chain. */
  supportsPlain: boolean;
}

/**
 * A transfer that is ready to sign: its transaction was decoded and verified against the request. Here, `nativeFee` is
 * the fee that the transaction itself pays, and LI.FI's `supportsCall` and `supportsPlain` say whether it makes a call.
 */
export interface VerifiedTransfer extends TransferQuote {
  /** The transaction to sign on the source chain; `value` is in wei. */
  transaction: { to: Address; data: Hex; value: bigint };
  /**
   * The address that the payer must approve for the request's `amount`, taken from the deployment tables, or null if
   * the source token is native.
   */
  spender: Address | null;
  /** The contract on the destination chain that makes the destination call, or null without a call. */
  executor: Address | null;
  /** The provider's own key for the bridge or exchange, which status requests take. */
  tool: string;
  /** Number of seconds for which the transaction is offered to the user. */
  validSeconds: number;
  /** True if the transaction swaps one token for another. */
  swaps: boolean;
  /** How a step of a Router order can contain the call. Absent if only the user may make the call. */
  asStep?: RouterStepUse;
}

/** How a step of a Router order can contain a provider's call. */
export interface RouterStepUse {
  /**
   * Byte offset of the 32-byte word with the receiver in the calldata, selector included, where the Router's executor
   * may be written. Null for a bridge, which delivers on another chain, so the calldata stays as it is.
   */
  receiverOffset: number | null;
  /**
   * Tokens between the first and the last of a route of swaps. The call may leave some of each with its caller or the
   * receiver, so an order must return them. Without the native currency and duplicates; an exchange keeps what it leaves.
   */
  leftovers: readonly Address[];
  /**
   * True if the contract counts as output whatever the receiver gains while opaque code of the provider runs. That code
   * could keep the input and trigger a payment that others owe to the user, so the user may send the call only within a
   * Router order, whose executor is owed nothing. Absent otherwise.
   */
  required?: true;
}

/** A transfer whose status is requested, identified by its source transaction. */
export interface TransferReference {
  /** Hash of the transaction on the source chain that started the transfer. */
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
  /** The provider's own key for the bridge, as in `VerifiedTransfer`; empty if unknown. */
  tool: string;
  /** Hashes of transactions on the destination chain that may have delivered the transfer; absent if none is known. */
  arrivals?: readonly Hex[];
  /**
   * The user's account, and the amount in the paid token's smallest unit, or null if unknown. They tell the transfer
   * from others in the same transaction. `place`: that of the transfer among `count` equal ones of the account, if it is
   * not the only one. Absent if unknown.
   */
  sender?:
    | { account: string; amount: bigint | null; place?: { index: number; count: number } | undefined }
    | undefined;
  /** What was built; a transfer that differs from it is not meant. Absent if unknown. */
  built?: TransferTerms | undefined;
}

/** What was built of a transfer. Amounts are in smallest units, the zero address is the native currency. */
export interface TransferTerms {
  /** Reference of the order: that of a Router order which makes the transfer, or of its destination call. */
  ref: string;
  /** The paid token, or null if it is unknown. */
  fromToken: string | null;
  /** True if the provider may swap the paid token, so that the bridge takes another one. */
  swaps: boolean;
  /** The delivered token, and the least amount of it that the bridge's contracts guarantee; null if unknown. */
  toToken: string | null;
  least: bigint | null;
  /** True if a destination call is made with the delivered tokens. */
  call: boolean;
}

/**
 * A transfer's status as its provider reports it. It names transactions that the caller must verify on chain; except
 * for `proof`, it does not prove their outcome.
 */
export interface ProviderStatus {
  /**
   * Progress of the transfer. `source_pending`: its source transaction is pending or awaits confirmations. `bridging`:
   * neither paid out nor refunded yet. `delivered`: paid out on the destination chain, even if a call there failed.
   * `refunding`: to be paid back. `failed`: no delivery is expected. `unknown`: nothing is known of it.
   */
  phase: "unknown" | "source_pending" | "bridging" | "delivered" | "refunding" | "refunded" | "failed";
  /** Code that refines the phase, such as `BRIDGE_NOT_AVAILABLE`, or null. The API shows only some of the codes. */
  substatus: string | null;
  /** Hash of the transaction that delivered the transfer or, after it, made the call; null if none is known. */
  destinationTxHash: Hex | null;
  /** Hash of the transaction that refunded the transfer on the source chain, or null if none is known. */
  refundTxHash: Hex | null;
  /** Amount delivered, in the smallest unit of the delivered token, or null if none is known. */
  amountReceived: bigint | null;
  /** HTTPS URL of the transfer in the provider's explorer, or null if the provider states no valid one. */
  explorerLink: string | null;
  /** Evidence from the bridge's own contracts, or null if they were not read or do not show the transfer. */
  proof: BridgeProof | null;
  /** True if an Across transfer's source transaction could not be read, so that `proof` may follow. Others: false. */
  unread: boolean;
}

/** The status of a transfer of which nothing is known. */
export const unknownStatus: ProviderStatus = {
  phase: "unknown",
  substatus: null,
  destinationTxHash: null,
  refundTxHash: null,
  amountReceived: null,
  explorerLink: null,
  proof: null,
  unread: false,
};

/** Evidence of a transfer from the bridge's own contracts on both chains. It does not rely on any API. */
export interface BridgeProof {
  /** Evidence of the payout in `destinationTxHash`. Null if there is none, and with Stargate if the call succeeded. */
  delivery: DeliveryProof | null;
  /**
   * What the bridge took on the source chain, and the contract (`by`) that would refund it after `deadline` (UNIX
   * seconds). `refundable`: the destination chain shows that the deadline passed without payout. Null for bridges
   * without such refunds.
   */
  taken: { token: Address; amount: bigint; by: Address; deadline: number; refundable: boolean } | null;
}

/** The amount that a bridge paid out for one transfer, and the logs of the destination receipt that show it. */
export interface DeliveryProof {
  /** Amount that the bridge paid out, in the delivered token's smallest unit. */
  amount: bigint;
  /** First and last log index of the receipt that belong to this delivery, both inclusive. `last` may be infinite. */
  logs: { first: number; last: number };
  /**
   * How the delivery was matched to the transfer: "id" by an identifier that both chains show, "content" only by equal
   * amounts and parties, which another transfer may share.
   */
  matchedBy: "id" | "content";
}

/** An event by which a user's unreported transfers are found on one chain. */
export interface TransferEvent {
  /** `source`: the funds left the user's account. `destination`: they arrived. */
  side: "source" | "destination";
  /** The contracts of a bridge or exchange that emit the event. */
  contracts: readonly Address[];
  /** First topic of the event: the hash of its signature. */
  topic: Hex;
  /** Index of the topic with the user's address, or null if only the event's data contain the address. */
  userTopic: number | null;
  /** True if the event is needed only for transfers of native currency; token transfers have events of their own. */
  nativeOnly: boolean;
}

/** A token as a provider's token list states it. */
export interface ListedToken {
  chainId: number;
  /** The zero address for the chain's native token. */
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
}

/** What a provider supports on the chains of its deployment tables: bridges, swaps and destination calls. */
export interface ProviderCapabilities {
  /**
   * Bridges whose calldata can be decoded and verified, each with the ids of the chains from which it may be used;
   * empty for an exchange.
   */
  bridges: readonly { key: string; name: string; chains: readonly number[] }[];
  swaps: boolean;
  /** Ids of the chains with swaps; absent if `swaps` is false or if only the upstream knows. */
  swapChains?: readonly number[];
  /** True if at least one bridge can make a destination call. */
  destinationCall: boolean;
}

/**
 * An upstream service that quotes, builds and tracks transfers. Its asynchronous methods throw AppErrors such as
 * `no_route`, `upstream_timeout` and `upstream_rejected` (a wrong response). The others send no requests.
 */
export interface Provider {
  /** The key of the provider: `across`, `lifi`, `kyber` or `velora`. */
  readonly name: string;
  /** Returns what the provider supports. */
  capabilities(): ProviderCapabilities;
  /**
   * Returns one quote per bridge, or one for a swap, without transactions; throws instead of returning none. Does not
   * compare the amounts with prices.
   */
  quote(scope: ProviderScope, request: TransferRequest): Promise<TransferQuote[]>;
  /**
   * Returns the addresses that the user may have to approve for a request, from the deployment tables. Empty if there
   * are none, as for a native source token.
   */
  spenders(request: TransferRequest): readonly Address[];
  /**
   * Builds and verifies the transaction of a transfer. Tokens are delivered to the user if `request.call` is null,
   * otherwise to the contract that makes the call. It neither compares the amounts with prices nor simulates.
   */
  build(scope: ProviderScope, request: TransferRequest): Promise<VerifiedTransfer>;
  /**
   * Returns the status of a transfer. An unreadable chain is not an error by itself; the status then has less evidence.
   */
  status(scope: ProviderScope, transfer: TransferReference): Promise<ProviderStatus>;
  /**
   * Returns the bridgeable tokens of a chain with the asset that each represents, from the deployment tables. Two
   * tokens of the same asset are valued one to one. Empty for an exchange and for unknown chains.
   */
  assets(chainId: number): readonly BridgedAsset[];
  /**
   * Returns the events by which unreported transfers are found on a chain; empty for unknown chains. Absent if the
   * provider has none.
   */
  events?(chainId: number): readonly TransferEvent[];
  /** Requests the tokens that the upstream supports on a chain. Absent if the provider reads no token list. */
  tokens?(scope: ProviderScope, chainId: number): Promise<ListedToken[]>;
}
