import type { Scenario } from "../answers.ts";
import { tokens } from "../parts.ts";
import {
  called,
  delivered,
  etherToEther,
  feeAndSwap,
  feeOnly,
  fromBnbUsdt,
  fromEther,
  LZ_FEE,
  plain,
  RECEIVER_STARGATE,
  stargate,
  swapped,
} from "./plan.ts";

const taxi = { request: plain, tool: "stargateV2", ...feeOnly(plain), onTop: LZ_FEE };
const toArbitrum = { assetId: 1, dstEid: 30110 };
export const stargateScenarios: readonly Scenario[] = [
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
