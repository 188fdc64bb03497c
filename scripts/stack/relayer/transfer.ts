import type { Address, Hex } from "viem";

/**
 * Data of an Across deposit, which the SpokePools hash and a fill must repeat. Addresses are left-padded to 32 bytes,
 * amounts in the token's smallest unit, deadlines in unix seconds. Source: Across V3, `V3RelayData`.
 */
export interface RelayData {
  depositor: Hex;
  recipient: Hex;
  exclusiveRelayer: Hex;
  inputToken: Hex;
  outputToken: Hex;
  inputAmount: bigint;
  outputAmount: bigint;
  originChainId: bigint;
  depositId: bigint;
  fillDeadline: number;
  exclusivityDeadline: number;
  message: Hex;
}

/** LI.FI's data of a transfer that it started. */
export interface LifiStart {
  transactionId: Hex;
  bridge: string;
  integrator: string;
  receiver: Address;
  sendingAssetId: Address;
  /** Bridged amount in smallest units. */
  minAmount: bigint;
}

/** A transfer over Stargate (a pool's payment) or CCTP (a message). */
export type MessagingTransfer =
  | { kind: "stargate"; pool: Address; bus: boolean; ticketId: bigint }
  | { kind: "circle"; transmitter: Address; message: Hex };

/** State of a transfer. `expired`: it is no longer filled and not yet refunded. */
export type TransferState = "pending" | "expired" | "filled" | "refunded";

/** A deposit into a bridge and its outcome. The quote's time is in unix seconds, 0 for Stargate and CCTP. */
export interface Transfer {
  originChainId: number;
  destinationChainId: number;
  relay: RelayData;
  /** Key of the transfer: Across' relay hash, or the id that another bridge assigned. */
  relayHash: Hex;
  /** Data of a transfer over Stargate or CCTP; null for Across. */
  messaging: MessagingTransfer | null;
  depositTx: Hex;
  depositBlock: bigint;
  quoteTimestamp: number;
  /** LI.FI's data when LI.FI started it; its emulator's settings then apply, otherwise Across'. */
  lifi: LifiStart | null;
  /** Time at which the deposit was first seen, in unix milliseconds. */
  seenAt: number;
  state: TransferState;
  fillTx: Hex | null;
  refundTx: Hex | null;
  /** Smallest units of the output token that reached the recipient. */
  delivered: bigint | null;
  /** True when the destination calls succeeded; null without calls or before the fill. */
  callsSucceeded: boolean | null;
}

/** Returns the address in a 32-byte word. */
export const toAddress = (word: Hex): Address => `0x${word.slice(-40)}`;
