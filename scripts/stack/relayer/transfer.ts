import type { Address, Hex } from "viem";

/** What the SpokePools hash: a deposit as a fill must repeat it. */
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

/** How LI.FI started a transfer, where it did. */
export interface LifiStart {
  transactionId: Hex;
  bridge: string;
  integrator: string;
  receiver: Address;
  sendingAssetId: Address;
  /** What was bridged, smallest unit. */
  minAmount: bigint;
}

/** What another bridge than Across carries: a pool's payment, or a message of CCTP. */
export type Carried =
  | { kind: "stargate"; pool: Address; bus: boolean; ticketId: bigint }
  | { kind: "circle"; transmitter: Address; message: Hex };

export type TransferState = "pending" | "expired" | "filled" | "refunded";

/** A deposit and what became of it. */
export interface Transfer {
  originChainId: number;
  destinationChainId: number;
  relay: RelayData;
  /** Its key; of what Across does not carry, the id that its bridge gave it. */
  relayHash: Hex;
  /** Null: Across carries it. */
  carried: Carried | null;
  depositTx: Hex;
  depositBlock: bigint;
  quoteTimestamp: number;
  /** Whose relayer settings apply to it: those of LI.FI's emulator where LI.FI started it. */
  lifi: LifiStart | null;
  /** Milliseconds since the epoch. */
  seenAt: number;
  state: TransferState;
  fillTx: Hex | null;
  refundTx: Hex | null;
  /** Smallest units of the output token that reached the recipient. */
  delivered: bigint | null;
  /** Whether the calls at the end succeeded; null: there were none, or it is not filled. */
  callsSucceeded: boolean | null;
}

/** The address in a 32-byte word. */
export const toAddress = (word: Hex): Address => `0x${word.slice(-40)}`;
