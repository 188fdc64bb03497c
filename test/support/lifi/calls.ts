import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type FacetName, facetNames, feeAbi, lifiAbi, messageAbi } from "./abi.ts";

/** A fee call as a tree, whose fields tests can change. */
export interface FeeTree {
  feeToken: Address;
  distributions: { recipient: Address; amount: bigint }[];
}

export interface SwapTree {
  callTo: Address;
  approveTo: Address;
  sendingAssetId: Address;
  receivingAssetId: Address;
  fromAmount: bigint;
  callData: Hex | FeeTree;
  requiresDeposit: boolean;
}

export interface MessageTree {
  transactionId: Hex;
  swaps: SwapTree[];
  receiver: Address;
}

export interface BridgeTree {
  kind: "bridge";
  facetName: FacetName;
  bridge: {
    transactionId: Hex;
    bridge: string;
    integrator: string;
    referrer: Address;
    sendingAssetId: Address;
    receiver: Address;
    minAmount: bigint;
    destinationChainId: bigint;
    hasSourceSwaps: boolean;
    hasDestinationCall: boolean;
  };
  swaps: SwapTree[] | null;
  /** Fields of the facet's data. `message` and `sendParams.composeMsg` may be trees, which are encoded. */
  facet: Record<string, unknown>;
}

export interface GenericSwapTree {
  kind: "swap";
  functionName: string;
  transactionId: Hex;
  integrator: string;
  referrer: string;
  receiver: Address;
  minAmountOut: bigint;
  swaps: SwapTree[];
}

export interface ExecuteTree {
  kind: "execute";
  transactionId: Hex;
  swaps: SwapTree[];
  transferredAssetId: Address;
  receiver: Address;
  amount: bigint;
}

export type CallTree = BridgeTree | GenericSwapTree | ExecuteTree;

/** Encodes a call tree as LI.FI's API does. */
export function encodeCall(tree: CallTree): Hex {
  if (tree.kind === "bridge") return encodeBridge(tree);
  const swaps = tree.swaps.map(encodeSwap);
  if (tree.kind === "execute") {
    const { transactionId, transferredAssetId, receiver, amount } = tree;
    return encode("swapAndExecute", [transactionId, swaps, transferredAssetId, receiver, amount]);
  }
  const { functionName, transactionId, integrator, referrer, receiver, minAmountOut } = tree;
  const last = functionName.includes("Single") ? swaps[0] : swaps;
  return encode(functionName, [transactionId, integrator, referrer, receiver, minAmountOut, last]);
}

/** Encodes the message to LI.FI's receiver on the destination chain. */
export function encodeMessage(message: MessageTree): Hex {
  const swaps = message.swaps.map(encodeSwap);
  return encodeAbiParameters(messageAbi, [message.transactionId, swaps, message.receiver]);
}

function encodeBridge(tree: BridgeTree): Hex {
  const name = facetNames[tree.facetName];
  const facet = encodeNested(tree.facet);
  if (tree.swaps === null) return encode(`startBridgeTokensVia${name}`, [tree.bridge, facet]);
  return encode(`swapAndStartBridgeTokensVia${name}`, [tree.bridge, tree.swaps.map(encodeSwap), facet]);
}

function encodeNested(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      if (key === "sendParams") return [key, encodeNested(value as Record<string, unknown>)];
      return [key, isMessage(value) ? encodeMessage(value) : value];
    }),
  );
}

function encodeSwap(swap: SwapTree) {
  const { callData } = swap;
  return { ...swap, callData: typeof callData === "string" ? callData : encodeFee(callData) };
}

function encodeFee({ feeToken, distributions }: FeeTree): Hex {
  if (feeToken === zeroAddress) {
    return encodeFunctionData({ abi: feeAbi, functionName: "forwardNativeFees", args: [distributions] });
  }
  return encodeFunctionData({
    abi: feeAbi,
    functionName: "forwardERC20Fees",
    args: [feeToken, distributions],
  });
}

function isMessage(value: unknown): value is MessageTree {
  return typeof value === "object" && value !== null && "swaps" in value && "receiver" in value;
}

/** Encodes a function call by a name that is known only at run time. */
function encode(functionName: string, args: readonly unknown[]): Hex {
  const options = { abi: lifiAbi, functionName, args } as unknown;
  return encodeFunctionData(options as Parameters<typeof encodeFunctionData<typeof lifiAbi>>[0]);
}
