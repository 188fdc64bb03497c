import { type Address, zeroHash } from "viem";
import type { TransferRequest } from "../../../../src/providers/provider.ts";
import type { FacetName } from "../abi.ts";
import type { Scenario } from "../answers.ts";
import type { SwapTree } from "../calls.ts";
import {
  bridgeDataOf,
  callOf,
  dexStep,
  feeOf,
  feeStep,
  messageOf,
  NATIVE,
  NOW,
  requestOf,
  tokens,
  word,
} from "../parts.ts";

const BASE = 10n ** 18n;
const ETH_LIKE = 10n ** 18n;

/** Inputs of a bridge scenario. */
export interface Plan {
  name: string;
  request: TransferRequest;
  tool: string;
  swaps: SwapTree[] | null;
  /** Bridged token and its minimum amount. */
  bridged: { token: Address; min: bigint };
  toAmount: bigint;
  toAmountMin: bigint;
  onTop?: bigint;
}

function assemble(plan: Plan, facet: { name: FacetName; fields: Record<string, unknown> }): Scenario {
  const { name, request, tool, swaps, bridged, toAmount, toAmountMin, onTop = 0n } = plan;
  const bridge = bridgeDataOf(request, {
    bridge: tool,
    sendingAssetId: bridged.token,
    minAmount: bridged.min,
    hasSourceSwaps: swaps !== null,
  });
  const tree = { kind: "bridge" as const, facetName: facet.name, bridge, swaps, facet: facet.fields };
  return { name, request, tool, tree, toAmount, toAmountMin, onTop };
}

/** Returns the swaps of a route that only takes the fee and bridges the rest. */
export function feeOnly(request: TransferRequest): Pick<Plan, "swaps" | "bridged"> {
  const min = request.amount - feeOf(request.amount);
  return { swaps: [feeStep(request.fromToken, request.amount)], bridged: { token: request.fromToken, min } };
}

/**
 * Returns the swaps of a route that takes the fee and swaps the rest into `token`, of which at least `min` is bridged.
 */
export function feeAndSwap(
  request: TransferRequest,
  bridged: Plan["bridged"],
): Pick<Plan, "swaps" | "bridged"> {
  const fromAmount = request.amount - feeOf(request.amount);
  const swap = { sendingAssetId: request.fromToken, receivingAssetId: bridged.token, fromAmount };
  return { swaps: [feeStep(request.fromToken, request.amount), dexStep(swap)], bridged };
}

/** Creates a response that uses Across. */
export function across(plan: Plan, receivers: { to?: Address; output?: Address } = {}): Scenario {
  const { request, bridged, toAmountMin } = plan;
  const fields = {
    receiverAddress: word(receivers.to ?? request.user),
    refundAddress: word(request.user),
    sendingAssetId: word(bridged.token),
    receivingAssetId: word(receivers.output ?? request.toToken),
    outputAmount: toAmountMin,
    outputAmountMultiplier: (toAmountMin * BASE) / bridged.min,
    exclusiveRelayer: zeroHash,
    quoteTimestamp: NOW - 30,
    fillDeadline: NOW + 2 * 3600,
    exclusivityParameter: 0,
    message: request.call === null ? "0x" : messageOf(request),
  };
  return assemble(plan, { name: "across", fields });
}

/** Creates a response that uses Stargate. */
export function stargate(
  plan: Plan,
  route: { assetId: number; dstEid: number; minAmountLD?: bigint; to?: Address },
) {
  const { request, bridged, toAmountMin, onTop = 0n } = plan;
  const gas = "00000000000000000000000000100000";
  const fields = {
    assetId: route.assetId,
    sendParams: {
      dstEid: route.dstEid,
      to: word(route.to ?? request.user),
      amountLD: bridged.min,
      minAmountLD: route.minAmountLD ?? toAmountMin,
      extraOptions: request.call === null ? "0x" : `0x0003010013030000${gas}`,
      composeMsg: request.call === null ? "0x" : messageOf(request),
      oftCmd: plan.tool === "stargateV2Bus" ? "0x00" : "0x",
    },
    fee: { nativeFee: onTop, lzTokenFee: 0n },
    refundAddress: request.user,
  };
  return assemble(plan, { name: "stargate", fields });
}

/** Creates a response that uses CCTP through Polymer. */
export function polymer(
  plan: Plan,
  fees: { polymerTokenFee: bigint; maxCCTPFee: bigint; threshold: number },
): Scenario {
  const { threshold, ...rest } = fees;
  const fields = {
    ...rest,
    nonEVMReceiver: zeroHash,
    solanaReceiverATA: zeroHash,
    minFinalityThreshold: threshold,
    refundRecipient: plan.request.user,
    hookData: "0x",
  };
  return assemble(plan, { name: "polymer", fields });
}

/** Creates a response that uses CCTP through Celer. */
export function celer(plan: Plan, facet: { maxFee: bigint; minFinalityThreshold: number }): Scenario {
  return assemble(plan, { name: "celer", fields: { ...facet } });
}

export const plain = requestOf({});
export const called = requestOf({ call: callOf(96_000_000n) });
export const fromEther = requestOf({ fromChainId: 1, fromToken: NATIVE, amount: ETH_LIKE });
export const etherToEther = requestOf({
  fromChainId: 1,
  toChainId: 8453,
  fromToken: NATIVE,
  toToken: NATIVE,
  amount: ETH_LIKE,
});
const fromBnb = requestOf({
  fromChainId: 56,
  toChainId: 8453,
  fromToken: tokens.usdc[56],
  amount: 100n * BASE,
});
export const fromBnbUsdc = { ...fromBnb, toToken: tokens.usdc[8453] };
export const fromBnbUsdt = {
  ...fromBnb,
  toChainId: 42161,
  fromToken: tokens.usdt[56],
  toToken: tokens.usdt[42161],
};
export const delivered = { toAmount: 99_740_000n, toAmountMin: 99_740_000n };
export const swapped = { toAmount: 2_695_000_000n, toAmountMin: 2_620_000_000n };
export const RECEIVER_ACROSS: Address = "0x33b255b5db44A78c34381f89f1a454bc0Ef49871";
export const RECEIVER_STARGATE: Address = "0x1493e7B8d4DfADe0a178dAD9335470337A3a219A";
export const LZ_FEE = 110_000_000_000_000n;
