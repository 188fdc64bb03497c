import { type Address, type Hex, parseAbiParameters } from "viem";
import { once } from "../../../lib/once.ts";

/**
 * The parameters that all bridge facets of LI.FI share. `transactionId` is LI.FI's id of the transfer. Source:
 * lifinance/contracts ILiFi.sol.
 */
export interface BridgeData {
  transactionId: Hex;
  bridge: string;
  integrator: string;
  referrer: Address;
  sendingAssetId: Address;
  /** The final receiver, also if the bridge delivers to LI.FI's receiver contract for a destination call. */
  receiver: Address;
  /** Amount bridged or, after swaps, its minimum, in the smallest unit of `sendingAssetId`. */
  minAmount: bigint;
  destinationChainId: bigint;
  hasSourceSwaps: boolean;
  hasDestinationCall: boolean;
}

/**
 * One call that LI.FI's contracts make: a fee payment, a swap, or the destination call. Source: LibSwap.sol.
 */
export interface SwapData {
  callTo: Address;
  approveTo: Address;
  /** Tokens that the call spends and, in `receivingAssetId`, pays out. The zero address is the native token. */
  sendingAssetId: Address;
  receivingAssetId: Address;
  /** Amount to spend, in the smallest unit of `sendingAssetId`. */
  fromAmount: bigint;
  callData: Hex;
  /** True if the Diamond pulls `fromAmount` from the sender for this call. */
  requiresDeposit: boolean;
}

/** Solidity definition of LI.FI's struct `BridgeData`, for viem's ABI parser. */
export const BRIDGE_DATA =
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }";
/** Solidity definition of LI.FI's struct `SwapData`, for viem's ABI parser. */
export const SWAP_DATA =
  "struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }";

/**
 * ABI parameters of the message that a bridge passes with the delivered tokens to LI.FI's receiver contract. Sources:
 * ReceiverAcrossV4.sol, ReceiverStargateV2.sol.
 */
export const receiverMessageParameters = once(() =>
  parseAbiParameters(["bytes32 transactionId, SwapData[] swaps, address receiver", SWAP_DATA]),
);
