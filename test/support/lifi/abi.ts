import { type Hex, parseAbi } from "viem";

/**
 * ABI of LI.FI's entry points. It duplicates the service's decoders on purpose, so that tests do not depend on them.
 * Source: lifinance/contracts ef00558f.
 */
const STRUCTS = [
  "struct Bridge { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }",
  "struct Swap { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }",
  "struct Across { bytes32 receiverAddress; bytes32 refundAddress; bytes32 sendingAssetId; bytes32 receivingAssetId; uint256 outputAmount; uint128 outputAmountMultiplier; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SendParam { uint32 dstEid; bytes32 to; uint256 amountLD; uint256 minAmountLD; bytes extraOptions; bytes composeMsg; bytes oftCmd; }",
  "struct Fee { uint256 nativeFee; uint256 lzTokenFee; }",
  "struct Stargate { uint16 assetId; SendParam sendParams; Fee fee; address refundAddress; }",
  "struct Celer { uint256 maxFee; uint32 minFinalityThreshold; }",
  "struct Polymer { uint256 polymerTokenFee; uint256 maxCCTPFee; bytes32 nonEVMReceiver; bytes32 solanaReceiverATA; uint32 minFinalityThreshold; address refundRecipient; bytes hookData; }",
  "struct Relay { bytes32 orderId; address depositorAddress; }",
  "struct Distribution { address recipient; uint256 amount; }",
] as const;

export const lifiAbi = parseAbi([
  ...STRUCTS,
  "function startBridgeTokensViaAcrossV4(Bridge bridge, Across facet)",
  "function swapAndStartBridgeTokensViaAcrossV4(Bridge bridge, Swap[] swaps, Across facet)",
  "function startBridgeTokensViaStargate(Bridge bridge, Stargate facet)",
  "function swapAndStartBridgeTokensViaStargate(Bridge bridge, Swap[] swaps, Stargate facet)",
  "function startBridgeTokensViaCelerCircleBridge(Bridge bridge, Celer facet)",
  "function swapAndStartBridgeTokensViaCelerCircleBridge(Bridge bridge, Swap[] swaps, Celer facet)",
  "function startBridgeTokensViaPolymerCCTP(Bridge bridge, Polymer facet)",
  "function swapAndStartBridgeTokensViaPolymerCCTP(Bridge bridge, Swap[] swaps, Polymer facet)",
  "function startBridgeTokensViaRelayDepository(Bridge bridge, Relay facet)",
  "function swapAndStartBridgeTokensViaRelayDepository(Bridge bridge, Swap[] swaps, Relay facet)",
  "function swapTokensSingleV3ERC20ToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap swap)",
  "function swapTokensSingleV3ERC20ToNative(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap swap)",
  "function swapTokensSingleV3NativeToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap swap)",
  "function swapTokensMultipleV3ERC20ToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap[] swaps)",
  "function swapTokensMultipleV3ERC20ToNative(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap[] swaps)",
  "function swapTokensMultipleV3NativeToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, Swap[] swaps)",
  "function swapAndExecute(bytes32 transactionId, Swap[] swaps, address transferredAssetId, address receiver, uint256 amount)",
]);

export const feeAbi = parseAbi([
  "struct Distribution { address recipient; uint256 amount; }",
  "function forwardERC20Fees(address token, Distribution[] distributions)",
  "function forwardNativeFees(Distribution[] distributions)",
]);

/** ABI tuple of a message, as LI.FI's receivers decode it. */
export const messageAbi = [
  { name: "transactionId", type: "bytes32" },
  {
    name: "swaps",
    type: "tuple[]",
    components: [
      { name: "callTo", type: "address" },
      { name: "approveTo", type: "address" },
      { name: "sendingAssetId", type: "address" },
      { name: "receivingAssetId", type: "address" },
      { name: "fromAmount", type: "uint256" },
      { name: "callData", type: "bytes" },
      { name: "requiresDeposit", type: "bool" },
    ],
  },
  { name: "receiver", type: "address" },
] as const;

/** Part of the function names after `startBridgeTokensVia`, by facet. */
export const facetNames = {
  across: "AcrossV4",
  stargate: "Stargate",
  celer: "CelerCircleBridge",
  polymer: "PolymerCCTP",
  relay: "RelayDepository",
} as const;
export type FacetName = keyof typeof facetNames;

/** A transaction id of the tests. */
export const TRANSACTION_ID: Hex = `0x${"7a".repeat(32)}`;
