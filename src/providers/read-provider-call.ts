import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { isNativeAlias } from "../lib/address.ts";
import { decodeAcrossDeposit, decodeInstructions, wordToAddress } from "./across/across-calldata.ts";
import { decodeKyberSwap } from "./kyber/kyber-calldata.ts";
import { type BridgeCall, decodeLifiCall } from "./lifi/decode/decode-lifi-call.ts";
import type { SwapCall } from "./lifi/decode/swap-facets.ts";
import { AUGUSTUS_DUST, decodeAugustusSwap } from "./velora/velora-calldata.ts";

/**
 * What a provider's transfer does, as read from its calldata alone. The zero address is the native currency, except
 * that Across may name the wrapped token instead.
 */
export interface TransferCallData {
  /** Token that the call takes from its caller. */
  fromToken: Address;
  /** Amount that the call takes, in the smallest unit of `fromToken`. */
  amount: bigint;
  /** Account that receives the delivery. */
  receiver: Address;
  /** Account that a bridge refunds. Null for a swap, and for LI.FI's CCTP facets. */
  refundTo: Address | null;
  /** Id of the destination chain, or null for a swap. */
  toChainId: number | null;
  /** Delivered token, or null if the calldata does not contain its address. */
  toToken: Address | null;
  /** Minimum delivery that the calldata states in the smallest unit of `toToken`, or null if it states none in it. */
  minDelivery: bigint | null;
}

const tokenOf = (address: Address): Address => (isNativeAlias(address) ? zeroAddress : getAddress(address));

/**
 * Decodes the calldata of any provider's transfer to a user. Null for other calldata, and if it does not determine the
 * receiver. Nothing is verified: the caller compares the fields with the request. Never throws.
 */
export function readTransferCall(data: Hex): TransferCallData | null {
  const hex = data.toLowerCase() as Hex;
  return readAcross(hex) ?? readKyber(hex) ?? readVelora(hex) ?? readLifi(hex);
}

function readAcross(data: Hex): TransferCallData | null {
  try {
    const deposit = decodeAcrossDeposit(data);
    const receiver = deposit.message === "0x" ? deposit.recipient : plainReceiver(deposit.message);
    if (receiver === null) return null;
    return {
      ...{ fromToken: deposit.inputToken, amount: deposit.inputAmount, receiver },
      ...{ refundTo: deposit.depositor, toChainId: Number(deposit.destinationChainId) },
      ...{ toToken: deposit.outputToken, minDelivery: deposit.outputAmount },
    };
  } catch {
    return null;
  }
}

/** Returns the account that the multicall handler sends all funds to, or null if the message makes calls. */
function plainReceiver(message: Hex): Address | null {
  const { calls, fallbackRecipient } = decodeInstructions(message);
  return calls.length === 0 ? fallbackRecipient : null;
}

function readKyber(data: Hex): TransferCallData | null {
  const swap = decodeKyberSwap(data);
  if (swap === null) return null;
  const { srcToken, amount, dstReceiver, dstToken, minReturnAmount } = swap.desc;
  return {
    ...{ fromToken: tokenOf(srcToken), amount, receiver: dstReceiver, refundTo: null, toChainId: null },
    ...{ toToken: tokenOf(dstToken), minDelivery: minReturnAmount },
  };
}

function readVelora(data: Hex): TransferCallData | null {
  const swap = decodeAugustusSwap(data);
  if (swap === null) return null;
  const { srcToken, fromAmount: amount, beneficiary: receiver, destToken, toAmount } = swap;
  return {
    ...{ fromToken: tokenOf(srcToken), amount, receiver, refundTo: null, toChainId: null },
    ...{ toToken: tokenOf(destToken), minDelivery: toAmount - AUGUSTUS_DUST },
  };
}

function readLifi(data: Hex): TransferCallData | null {
  const call = decodeLifiCall(data);
  if (call === null || call.kind === "execute") return null;
  return call.kind === "swap" ? readLifiSwap(call) : readLifiBridge(call);
}

function readLifiSwap({ swaps, receiver, minAmountOut }: SwapCall): TransferCallData | null {
  const [first, last] = [swaps[0], swaps.at(-1)];
  if (first === undefined || last === undefined) return null;
  return {
    ...{ fromToken: tokenOf(first.sendingAssetId), amount: first.fromAmount, receiver, refundTo: null },
    ...{ toChainId: null, toToken: tokenOf(last.receivingAssetId), minDelivery: minAmountOut },
  };
}

function readLifiBridge(call: BridgeCall): TransferCallData | null {
  const { bridge, swaps } = call;
  const [first] = swaps ?? [];
  if (bridge.hasDestinationCall || call.kind === "relay") return null;
  const paid =
    first === undefined
      ? { fromToken: tokenOf(bridge.sendingAssetId), amount: bridge.minAmount }
      : { fromToken: tokenOf(first.sendingAssetId), amount: first.fromAmount };
  const own = facetOf(call);
  // The facet pays the receiver that it names itself, so that both must agree.
  if (own === null || (own.receiver !== null && own.receiver !== getAddress(bridge.receiver))) return null;
  const { refundTo, toToken, minDelivery: least } = own;
  const toChainId = Number(bridge.destinationChainId);
  return { ...paid, receiver: bridge.receiver, toChainId, refundTo, toToken, minDelivery: least };
}

type OfFacet = Pick<TransferCallData, "refundTo" | "toToken" | "minDelivery"> & { receiver: Address | null };

/** Returns the fields that only the bridge's own parameters contain, or null if an address in them is malformed. */
function facetOf(call: Exclude<BridgeCall, { kind: "relay" }>): OfFacet | null {
  try {
    if (call.kind === "across") {
      const { receiverAddress, refundAddress, receivingAssetId, outputAmount } = call.facet;
      return {
        ...{ receiver: wordToAddress(receiverAddress), refundTo: wordToAddress(refundAddress) },
        // After swaps the facet computes the output from what they yield.
        ...{
          toToken: wordToAddress(receivingAssetId),
          minDelivery: call.swaps === null ? outputAmount : null,
        },
      };
    }
    if (call.kind !== "stargate") return { receiver: null, refundTo: null, toToken: null, minDelivery: null };
    const { sendParams, refundAddress } = call.facet;
    return {
      receiver: wordToAddress(sendParams.to),
      refundTo: refundAddress,
      toToken: null,
      minDelivery: null,
    };
  } catch {
    return null;
  }
}
