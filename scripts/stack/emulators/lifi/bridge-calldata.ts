import { concatHex, encodeFunctionData, type Hex, numberToHex, pad, zeroAddress, zeroHash } from "viem";
import { diamondAbi } from "#stand-ins/lifi";
import { isNative } from "../../bridge/bridge-chains.ts";
import type { BridgePlan } from "./bridge-plan.ts";
import type { QuoteIds, SwapData } from "./calldata.ts";
import type { QuoteRequest } from "./quote-request.ts";

/** CCTP finality thresholds: confirmed and finalized. */
const FAST = 1_000;
const STANDARD = 2_000;
/** LayerZero options of type 3 with one entry: gas for the call on arrival; the gas amount follows. */
const COMPOSE_OPTIONS: Hex = "0x0003010013030000";
/** Gas of LI.FI's receiver on top of the call's. */
const RECEIVER_GAS = 300_000n;

interface Bridging {
  bridge: BridgePlan;
  swaps: SwapData[];
  stamp: QuoteIds;
  message: Hex;
}

/** Encodes the Diamond's bridge call, with the preceding swaps if any. */
export function encodeBridge(request: QuoteRequest, bridging: Bridging): Hex {
  const { tool } = bridging.bridge;
  if (tool === "across") return encodeAcross(request, bridging);
  if (tool.startsWith("stargate")) return encodeStargate(request, bridging);
  return tool.startsWith("polymer") ? encodePolymer(request, bridging) : encodeCeler(request, bridging);
}

function bridgeDataOf(request: QuoteRequest, { bridge, swaps, stamp, message }: Bridging) {
  return {
    transactionId: stamp.transactionId,
    bridge: bridge.tool,
    integrator: request.integrator,
    referrer: zeroAddress,
    sendingAssetId: bridge.input.address,
    receiver: request.toAddress,
    minAmount: bridge.sentLeast,
    destinationChainId: BigInt(request.toChain.chainId),
    hasSourceSwaps: swaps.length > 0,
    hasDestinationCall: message !== "0x",
  };
}

function encodeAcross(request: QuoteRequest, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { swaps } = bridging;
  const bridgeData = bridgeDataOf(request, bridging);
  const acrossData = acrossDataOf(request, bridging);
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, acrossData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaAcrossV4", args });
  }
  const args = [bridgeData, acrossData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaAcrossV4", args });
}

function acrossDataOf(request: QuoteRequest, { bridge, stamp, message }: Bridging) {
  const receiver = message === "0x" ? request.toAddress : request.toChain.contracts.receiverAcross;
  const input = isNative(bridge.input) ? request.fromChain.wrappedNative : bridge.input.address;
  return {
    receiverAddress: pad(receiver),
    refundAddress: pad(request.fromAddress),
    sendingAssetId: pad(input),
    receivingAssetId: pad(bridge.output.address),
    outputAmount: bridge.least,
    outputAmountMultiplier: bridge.multiplier,
    exclusiveRelayer: pad(zeroAddress),
    quoteTimestamp: stamp.quoteTimestamp,
    fillDeadline: stamp.fillDeadline,
    exclusivityParameter: 0,
    message,
  };
}

function encodeStargate(request: QuoteRequest, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps, message } = bridging;
  const called = message !== "0x";
  const gas = request.calls.reduce((sum, { gasLimit }) => sum + gasLimit, RECEIVER_GAS);
  const bridgeData = bridgeDataOf(request, bridging);
  const sendParams = {
    dstEid: request.toChain.chainId,
    to: pad(called ? request.toChain.contracts.stargate.receiver : request.toAddress),
    amountLD: bridge.sentLeast,
    minAmountLD: bridge.least,
    extraOptions: called ? concatHex([COMPOSE_OPTIONS, numberToHex(gas, { size: 16 })]) : "0x",
    composeMsg: message,
    oftCmd: bridge.tool === "stargateV2Bus" ? "0x00" : "0x",
  } as const;
  const fee = { nativeFee: bridge.messageFee, lzTokenFee: 0n };
  const stargateData = { assetId: bridge.assetId, sendParams, fee, refundAddress: request.fromAddress };
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, stargateData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaStargate", args });
  }
  const args = [bridgeData, stargateData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaStargate", args });
}

function encodeCeler(request: QuoteRequest, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps } = bridging;
  const bridgeData = bridgeDataOf(request, bridging);
  const minFinalityThreshold = bridge.tool === "celercirclefast" ? FAST : STANDARD;
  const celerData = { maxFee: bridge.maxFee, minFinalityThreshold };
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, celerData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaCelerCircleBridge", args });
  }
  const args = [bridgeData, celerData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaCelerCircleBridge", args });
}

function encodePolymer(request: QuoteRequest, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps } = bridging;
  const bridgeData = bridgeDataOf(request, bridging);
  const polymerData = {
    polymerTokenFee: bridge.polymerFee,
    maxCCTPFee: bridge.maxFee,
    nonEVMReceiver: zeroHash,
    solanaReceiverATA: zeroHash,
    minFinalityThreshold: bridge.tool === "polymer" ? FAST : STANDARD,
    refundRecipient: request.fromAddress,
    hookData: "0x",
  } as const;
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, polymerData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaPolymerCCTP", args });
  }
  const args = [bridgeData, polymerData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaPolymerCCTP", args });
}
