import { concatHex, encodeFunctionData, type Hex, numberToHex, pad, zeroAddress, zeroHash } from "viem";
import { diamondAbi } from "#stand-ins/lifi";
import { isNative } from "../../bridge/world.ts";
import type { Ask } from "./ask.ts";
import type { BridgePlan } from "./bridge-plan.ts";
import type { Stamp, SwapData } from "./calldata.ts";

/** Fill deadline in seconds after the quote, as in captured quotes. */
const FILL_WINDOW = 9_190;
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
  stamp: Stamp;
  message: Hex;
}

/** Encodes the Diamond's bridge call, with the preceding swaps if any. */
export function encodeBridge(ask: Ask, bridging: Bridging): Hex {
  const { tool } = bridging.bridge;
  if (tool === "across") return encodeAcross(ask, bridging);
  if (tool.startsWith("stargate")) return encodeStargate(ask, bridging);
  return tool.startsWith("polymer") ? encodePolymer(ask, bridging) : encodeCeler(ask, bridging);
}

function bridgeDataOf(ask: Ask, { bridge, swaps, stamp, message }: Bridging) {
  return {
    transactionId: stamp.transactionId,
    bridge: bridge.tool,
    integrator: ask.integrator,
    referrer: zeroAddress,
    sendingAssetId: bridge.input.address,
    receiver: ask.toAddress,
    minAmount: bridge.sentLeast,
    destinationChainId: BigInt(ask.toChain.chainId),
    hasSourceSwaps: swaps.length > 0,
    hasDestinationCall: message !== "0x",
  };
}

function encodeAcross(ask: Ask, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { swaps } = bridging;
  const bridgeData = bridgeDataOf(ask, bridging);
  const acrossData = acrossDataOf(ask, bridging);
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, acrossData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaAcrossV4", args });
  }
  const args = [bridgeData, acrossData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaAcrossV4", args });
}

function acrossDataOf(ask: Ask, { bridge, stamp: { quoteTime }, message }: Bridging) {
  const receiver = message === "0x" ? ask.toAddress : ask.toChain.contracts.receiverAcross;
  const input = isNative(bridge.input) ? ask.fromChain.wrappedNative : bridge.input.address;
  return {
    receiverAddress: pad(receiver),
    refundAddress: pad(ask.fromAddress),
    sendingAssetId: pad(input),
    receivingAssetId: pad(bridge.output.address),
    outputAmount: bridge.least,
    outputAmountMultiplier: bridge.multiplier,
    exclusiveRelayer: pad(zeroAddress),
    quoteTimestamp: quoteTime,
    fillDeadline: quoteTime + FILL_WINDOW,
    exclusivityParameter: 0,
    message,
  };
}

function encodeStargate(ask: Ask, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps, message } = bridging;
  const called = message !== "0x";
  const gas = ask.calls.reduce((sum, { gasLimit }) => sum + gasLimit, RECEIVER_GAS);
  const bridgeData = bridgeDataOf(ask, bridging);
  const sendParams = {
    dstEid: ask.toChain.chainId,
    to: pad(called ? ask.toChain.contracts.stargate.receiver : ask.toAddress),
    amountLD: bridge.sentLeast,
    minAmountLD: bridge.least,
    extraOptions: called ? concatHex([COMPOSE_OPTIONS, numberToHex(gas, { size: 16 })]) : "0x",
    composeMsg: message,
    oftCmd: bridge.tool === "stargateV2Bus" ? "0x00" : "0x",
  } as const;
  const fee = { nativeFee: bridge.messageFee, lzTokenFee: 0n };
  const stargateData = { assetId: bridge.assetId, sendParams, fee, refundAddress: ask.fromAddress };
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, stargateData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaStargate", args });
  }
  const args = [bridgeData, stargateData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaStargate", args });
}

function encodeCeler(ask: Ask, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps } = bridging;
  const bridgeData = bridgeDataOf(ask, bridging);
  const minFinalityThreshold = bridge.tool === "celercirclefast" ? FAST : STANDARD;
  const celerData = { maxFee: bridge.maxFee, minFinalityThreshold };
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, celerData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaCelerCircleBridge", args });
  }
  const args = [bridgeData, celerData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaCelerCircleBridge", args });
}

function encodePolymer(ask: Ask, bridging: Bridging): Hex {
  const abi = diamondAbi;
  const { bridge, swaps } = bridging;
  const bridgeData = bridgeDataOf(ask, bridging);
  const polymerData = {
    polymerTokenFee: bridge.polymerFee,
    maxCCTPFee: bridge.maxFee,
    nonEVMReceiver: zeroHash,
    solanaReceiverATA: zeroHash,
    minFinalityThreshold: bridge.tool === "polymer" ? FAST : STANDARD,
    refundRecipient: ask.fromAddress,
    hookData: "0x",
  } as const;
  if (swaps.length > 0) {
    const args = [bridgeData, swaps, polymerData] as const;
    return encodeFunctionData({ abi, functionName: "swapAndStartBridgeTokensViaPolymerCCTP", args });
  }
  const args = [bridgeData, polymerData] as const;
  return encodeFunctionData({ abi, functionName: "startBridgeTokensViaPolymerCCTP", args });
}
