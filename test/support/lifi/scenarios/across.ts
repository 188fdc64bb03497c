import type { Scenario } from "../answers.ts";
import { callOf, tokens } from "../parts.ts";
import {
  across,
  called,
  delivered,
  etherToEther,
  feeAndSwap,
  feeOnly,
  fromBnbUsdc,
  fromEther,
  plain,
  RECEIVER_ACROSS,
  swapped,
} from "./plan.ts";

export const acrossScenarios: readonly Scenario[] = [
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
