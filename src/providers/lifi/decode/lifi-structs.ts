import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";

/** LI.FI's record of a bridging. Source: lifinance/contracts ILiFi.sol. */
export interface BridgeData {
  transactionId: Hex;
  bridge: string;
  integrator: string;
  referrer: Address;
  sendingAssetId: Address;
  receiver: Address;
  /** What is bridged, at least, after the swaps; smallest unit of `sendingAssetId`. */
  minAmount: bigint;
  destinationChainId: bigint;
  hasSourceSwaps: boolean;
  hasDestinationCall: boolean;
}

/** One call on the way: a fee, a swap, or the call at the end. Source: LibSwap.sol. */
export interface SwapData {
  callTo: Address;
  approveTo: Address;
  /** The zero address for native. */
  sendingAssetId: Address;
  receivingAssetId: Address;
  fromAmount: bigint;
  callData: Hex;
  /** Whether the Diamond takes `fromAmount` from the sender for it. */
  requiresDeposit: boolean;
}

export const BRIDGE_DATA =
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }";
export const SWAP_DATA =
  "struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }";

/** What a bridge hands to LI.FI's receiver with the tokens: `(transactionId, swaps, receiver)`. */
export const receiverMessageParameters = once(() =>
  parseAbiParameters(["bytes32 transactionId, SwapData[] swaps, address receiver", SWAP_DATA]),
);
