import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";

/** LI.FI's common parameters of every bridge facet. Source: lifinance/contracts ILiFi.sol. */
export interface BridgeData {
  transactionId: Hex;
  bridge: string;
  integrator: string;
  referrer: Address;
  sendingAssetId: Address;
  receiver: Address;
  /** Minimum amount bridged after the swaps, smallest unit of `sendingAssetId`. */
  minAmount: bigint;
  destinationChainId: bigint;
  hasSourceSwaps: boolean;
  hasDestinationCall: boolean;
}

/** One call that LI.FI's contracts make: a fee, a swap, or the destination call. Source: LibSwap.sol. */
export interface SwapData {
  callTo: Address;
  approveTo: Address;
  /** The zero address for the native token. */
  sendingAssetId: Address;
  receivingAssetId: Address;
  fromAmount: bigint;
  callData: Hex;
  /** True when the Diamond pulls `fromAmount` from the sender for this call. */
  requiresDeposit: boolean;
}

/** Solidity text of `BridgeData`. */
export const BRIDGE_DATA =
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }";
/** Solidity text of `SwapData`. */
export const SWAP_DATA =
  "struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }";

/** ABI parameters of the message that a bridge delivers to LI.FI's receiver with the tokens. */
export const receiverMessageParameters = once(() =>
  parseAbiParameters(["bytes32 transactionId, SwapData[] swaps, address receiver", SWAP_DATA]),
);
