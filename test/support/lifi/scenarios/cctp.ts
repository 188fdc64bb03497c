import type { Scenario } from "../answers.ts";
import { tokens } from "../parts.ts";
import { celer, feeAndSwap, feeOnly, fromEther, plain, polymer, swapped } from "./plan.ts";

const standard = { maxFee: 0n, minFinalityThreshold: 2_000 };
const toMonad = { ...plain, toChainId: 143, toToken: tokens.usdc[143] };
export const cctpScenarios: readonly Scenario[] = [
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
