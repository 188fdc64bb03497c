import { randomBytes, randomUUID } from "node:crypto";
import { numberToHex } from "viem";
import { isNative } from "../../bridge/bridge-chains.ts";
import { fillTimesOf } from "../../bridge/fill-times.ts";
import type { RelayerMode } from "../control.ts";
import { type EncodedTransaction, encodePlan } from "./calldata.ts";
import { bridgeFees, fixedFees, GAS_PRICE, gasCosts, gasOf, limitOf } from "./costs.ts";
import { includedSteps } from "./included-steps.ts";
import type { QuoteRequest } from "./quote-request.ts";
import { EXCHANGE_TOOL, type RoutePlan } from "./route-plan.ts";
import { describeToken, describeTool, usdValue } from "./wire-format.ts";

const PPM = 1_000_000;

/** Returns a LiFiStep with its transaction, the response to a quote. The relayer's mode decides its fill deadline. */
export async function buildStep(plan: RoutePlan, mode: RelayerMode): Promise<Record<string, unknown>> {
  const { request } = plan;
  const transactionId = `0x${randomBytes(32).toString("hex")}` as const;
  const ends = { origin: request.fromChain, destination: request.toChain };
  const encoded = encodePlan(plan, { transactionId, ...(await fillTimesOf(ends, mode)) });
  return {
    ...describeStep(plan, encoded),
    stepSimulation: { status: "not-attempted", gasSource: "tool" },
    transactionRequest: {
      value: numberToHex((isNative(request.from) ? request.amount : 0n) + (plan.bridge?.messageFee ?? 0n)),
      to: encoded.to,
      data: encoded.data,
      from: request.fromAddress,
      chainId: request.fromChain.chainId,
      gasPrice: numberToHex(GAS_PRICE),
      gasLimit: numberToHex(limitOf(gasOf(plan))),
    },
    transactionId,
  };
}

/** Returns a LiFiStep without a transaction, for `/advanced/routes`. */
export function describeStep(
  plan: RoutePlan,
  encoded: Pick<EncodedTransaction, "to" | "spender" | "message">,
): Record<string, unknown> {
  const { request } = plan;
  const tool = toolOf(plan);
  return {
    type: "lifi",
    id: `${randomUUID()}:0`,
    tool,
    toolDetails: describeTool(tool),
    action: describeAction(request),
    estimate: {
      tool,
      approvalAddress: encoded.spender,
      ...amountsOf(plan),
      fromAmount: request.amount.toString(),
      feeCosts: [...fixedFees(plan), ...(plan.bridge === null ? [] : bridgeFees(request, plan.bridge))],
      gasCosts: gasCosts(request, gasOf(plan)),
      executionDuration: plan.bridge === null ? 0 : 2,
      fromAmountUSD: usdValue(request.from, request.amount),
      toAmountUSD: usdValue(request.to, plan.toAmount),
      ...(isNative(request.from) ? { skipApproval: true } : {}),
    },
    includedSteps: includedSteps(plan, encoded),
    integrator: request.integrator,
    fee: 0,
  };
}

/** Formats the requested action for a response. */
export function describeAction(request: QuoteRequest): Record<string, unknown> {
  return {
    fromToken: describeToken(request.from),
    fromAmount: request.amount.toString(),
    toToken: describeToken(request.to),
    fromChainId: request.fromChain.chainId,
    toChainId: request.toChain.chainId,
    slippage: Number(request.slippage) / PPM,
    fromAddress: request.fromAddress,
    toAddress: request.toAddress,
  };
}

/**
 * Returns the output amounts: zero for a call on the same chain, whose output is unknown; the bridged amount across
 * chains.
 */
function amountsOf({ request, bridge, toAmount, toAmountMin }: RoutePlan) {
  const unknown = bridge === null && request.calls.length > 0;
  return {
    toAmountMin: unknown ? "0" : toAmountMin.toString(),
    toAmount: unknown ? "0" : toAmount.toString(),
  };
}

function toolOf({ request, bridge }: RoutePlan): string {
  if (bridge !== null) return bridge.tool;
  return request.calls.length > 0 ? "custom" : EXCHANGE_TOOL;
}
