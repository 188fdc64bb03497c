import { type Address, zeroHash } from "viem";
import type { MoveRequest } from "../../../../src/providers/provider.ts";
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

interface Plan {
  name: string;
  request: MoveRequest;
  tool: string;
  swaps: SwapTree[] | null;
  /** What is bridged, and in which token. */
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

/** Only the fee is taken; the rest is bridged. */
function feeOnly(request: MoveRequest): Pick<Plan, "swaps" | "bridged"> {
  const min = request.amount - feeOf(request.amount);
  return { swaps: [feeStep(request.fromToken, request.amount)], bridged: { token: request.fromToken, min } };
}

/** The fee is taken, the rest is swapped into `token`, of which `min` is bridged at least. */
function feeAndSwap(request: MoveRequest, bridged: Plan["bridged"]): Pick<Plan, "swaps" | "bridged"> {
  const fromAmount = request.amount - feeOf(request.amount);
  const swap = { sendingAssetId: request.fromToken, receivingAssetId: bridged.token, fromAmount };
  return { swaps: [feeStep(request.fromToken, request.amount), dexStep(swap)], bridged };
}

function across(plan: Plan, receivers: { to?: Address; output?: Address } = {}): Scenario {
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

function stargate(
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

function polymer(
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

function celer(plan: Plan, facet: { maxFee: bigint; minFinalityThreshold: number }): Scenario {
  return assemble(plan, { name: "celer", fields: { ...facet } });
}

const plain = requestOf({});
const called = requestOf({ call: callOf(96_000_000n) });
const fromEther = requestOf({ fromChainId: 1, fromToken: NATIVE, amount: ETH_LIKE });
const etherToEther = requestOf({
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
const fromBnbUsdc = { ...fromBnb, toToken: tokens.usdc[8453] };
const fromBnbUsdt = { ...fromBnb, toChainId: 42161, fromToken: tokens.usdt[56], toToken: tokens.usdt[42161] };
const delivered = { toAmount: 99_740_000n, toAmountMin: 99_740_000n };
const swapped = { toAmount: 2_695_000_000n, toAmountMin: 2_620_000_000n };
const RECEIVER_ACROSS: Address = "0x33b255b5db44A78c34381f89f1a454bc0Ef49871";
const RECEIVER_STARGATE: Address = "0x1493e7B8d4DfADe0a178dAD9335470337A3a219A";
const LZ_FEE = 110_000_000_000_000n;

const acrossScenarios: readonly Scenario[] = [
  across({ name: "across, fee", request: plain, tool: "across", ...feeOnly(plain), ...delivered }),
  across({
    name: "across, no fee",
    request: plain,
    tool: "across",
    swaps: null,
    bridged: { token: plain.fromToken, min: plain.amount },
    toAmount: 99_990_000n,
    toAmountMin: 99_990_000n,
  }),
  across({
    name: "across, swapped",
    request: fromEther,
    tool: "across",
    ...feeAndSwap(fromEther, { token: tokens.usdc[1], min: 2_621_000_000n }),
    ...swapped,
  }),
  across(
    {
      name: "across, native",
      request: etherToEther,
      tool: "across",
      ...feeOnly(etherToEther),
      toAmount: 996_000_000_000_000_123n,
      toAmountMin: 996_000_000_000_000_123n,
    },
    { output: tokens.weth[8453] },
  ),
  across({
    name: "across, 18 to 6 decimals",
    request: fromBnbUsdc,
    tool: "across",
    ...feeOnly(fromBnbUsdc),
    toAmount: 99_700_077n,
    toAmountMin: 99_700_077n,
  }),
  across(
    { name: "across, call", request: called, tool: "across", ...feeOnly(called), ...delivered },
    { to: RECEIVER_ACROSS },
  ),
  across(
    {
      name: "across, swapped, call",
      request: { ...fromEther, call: callOf(2_500_000_000n) },
      tool: "across",
      ...feeAndSwap(fromEther, { token: tokens.usdc[1], min: 2_621_000_000n }),
      ...swapped,
    },
    { to: RECEIVER_ACROSS },
  ),
];

const taxi = { request: plain, tool: "stargateV2", ...feeOnly(plain), onTop: LZ_FEE };
const toArbitrum = { assetId: 1, dstEid: 30110 };
const stargateScenarios: readonly Scenario[] = [
  stargate({ name: "stargate, fee", ...taxi, toAmount: 99_740_000n, toAmountMin: 99_241_300n }, toArbitrum),
  stargate({ name: "stargate, bus", ...taxi, tool: "stargateV2Bus", ...delivered }, toArbitrum),
  stargate(
    {
      name: "stargate, no fee",
      ...taxi,
      swaps: null,
      bridged: { token: plain.fromToken, min: plain.amount },
      ...delivered,
    },
    toArbitrum,
  ),
  stargate(
    {
      name: "stargate, native",
      request: etherToEther,
      tool: "stargateV2",
      ...feeOnly(etherToEther),
      toAmount: 996_000_000_000_000_000n,
      toAmountMin: 991_000_000_000_000_000n,
      onTop: LZ_FEE,
    },
    { assetId: 13, dstEid: 30184 },
  ),
  stargate(
    {
      name: "stargate, 18 to 6 decimals",
      request: fromBnbUsdt,
      tool: "stargateV2",
      ...feeOnly(fromBnbUsdt),
      ...delivered,
      onTop: LZ_FEE,
    },
    { assetId: 2, dstEid: 30110, minAmountLD: 99_740_000n * 10n ** 12n },
  ),
  stargate(
    {
      name: "stargate, swapped",
      request: fromEther,
      tool: "stargateV2",
      ...feeAndSwap(fromEther, { token: tokens.usdc[1], min: 2_621_000_000n }),
      ...swapped,
      onTop: LZ_FEE,
    },
    toArbitrum,
  ),
  stargate(
    { name: "stargate, call", ...taxi, request: called, ...feeOnly(called), ...delivered },
    { ...toArbitrum, to: RECEIVER_STARGATE },
  ),
];

const standard = { maxFee: 0n, minFinalityThreshold: 2_000 };
const toMonad = { ...plain, toChainId: 143, toToken: tokens.usdc[143] };
const cctpScenarios: readonly Scenario[] = [
  celer(
    {
      name: "celer, fee",
      request: plain,
      tool: "celercircle",
      ...feeOnly(plain),
      toAmount: 99_650_000n,
      toAmountMin: 99_650_000n,
    },
    standard,
  ),
  celer(
    {
      name: "celer, no fee",
      request: plain,
      tool: "celercircle",
      swaps: null,
      bridged: { token: plain.fromToken, min: plain.amount },
      toAmount: 99_900_000n,
      toAmountMin: 99_900_000n,
    },
    standard,
  ),
  celer(
    {
      name: "celer, fast, swapped",
      request: fromEther,
      tool: "celercirclefast",
      ...feeAndSwap(fromEther, { token: tokens.usdc[1], min: 2_621_000_000n }),
      ...swapped,
    },
    { maxFee: 300_000n, minFinalityThreshold: 1_000 },
  ),
  polymer(
    {
      name: "polymer, fee",
      request: toMonad,
      tool: "polymerStandard",
      ...feeOnly(toMonad),
      toAmount: 99_740_000n,
      toAmountMin: 99_740_000n,
    },
    { polymerTokenFee: 10_000n, maxCCTPFee: 0n, threshold: 2_000 },
  ),
  polymer(
    {
      name: "polymer, fast",
      request: plain,
      tool: "polymer",
      ...feeOnly(plain),
      toAmount: 99_730_000n,
      toAmountMin: 99_730_000n,
    },
    { polymerTokenFee: 10_000n, maxCCTPFee: 15_000n, threshold: 1_000 },
  ),
  polymer(
    {
      name: "polymer, no fee",
      request: plain,
      tool: "polymerStandard",
      swaps: null,
      bridged: { token: plain.fromToken, min: plain.amount },
      toAmount: 99_990_000n,
      toAmountMin: 99_990_000n,
    },
    { polymerTokenFee: 10_000n, maxCCTPFee: 0n, threshold: 2_000 },
  ),
  polymer(
    {
      name: "polymer, swapped",
      request: fromEther,
      tool: "polymerStandard",
      ...feeAndSwap(fromEther, { token: tokens.usdc[1], min: 2_621_000_000n }),
      ...swapped,
    },
    { polymerTokenFee: 10_000n, maxCCTPFee: 0n, threshold: 2_000 },
  ),
];

export const bridgeScenarios: readonly Scenario[] = [
  ...acrossScenarios,
  ...stargateScenarios,
  ...cctpScenarios,
];
