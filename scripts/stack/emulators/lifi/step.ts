import { randomBytes, randomUUID } from "node:crypto";
import { numberToHex } from "viem";
import { headOf } from "../../bridge/node.ts";
import { isNative } from "../../bridge/world.ts";
import type { Ask } from "./ask.ts";
import { type Encoded, encodePlan } from "./calldata.ts";
import { bridgeFees, fixedFees, GAS_PRICE, gasCosts, gasOf, limitOf } from "./costs.ts";
import { describeToken, describeTool, usd } from "./describe.ts";
import { includedSteps } from "./included-steps.ts";
import { EXCHANGE_TOOL, type Plan } from "./plan.ts";

const PPM = 1_000_000;

/** Returns a LiFiStep with its transaction, the response to a quote. */
export async function buildStep(plan: Plan): Promise<Record<string, unknown>> {
  const { ask } = plan;
  const transactionId = `0x${randomBytes(32).toString("hex")}` as const;
  const { timestamp } = await headOf(ask.fromChain.url);
  const encoded = encodePlan(plan, { transactionId, quoteTime: timestamp });
  return {
    ...describeStep(plan, encoded),
    stepSimulation: { status: "not-attempted", gasSource: "tool" },
    transactionRequest: {
      value: numberToHex((isNative(ask.from) ? ask.amount : 0n) + (plan.bridge?.messageFee ?? 0n)),
      to: encoded.to,
      data: encoded.data,
      from: ask.fromAddress,
      chainId: ask.fromChain.chainId,
      gasPrice: numberToHex(GAS_PRICE),
      gasLimit: numberToHex(limitOf(gasOf(plan))),
    },
    transactionId,
  };
}

/** Returns a LiFiStep without a transaction, for `/advanced/routes`. */
export function describeStep(
  plan: Plan,
  encoded: Pick<Encoded, "to" | "spender" | "message">,
): Record<string, unknown> {
  const { ask } = plan;
  const tool = toolOf(plan);
  return {
    type: "lifi",
    id: `${randomUUID()}:0`,
    tool,
    toolDetails: describeTool(tool),
    action: describeAction(ask),
    estimate: {
      tool,
      approvalAddress: encoded.spender,
      ...amountsOf(plan),
      fromAmount: ask.amount.toString(),
      feeCosts: [...fixedFees(plan), ...(plan.bridge === null ? [] : bridgeFees(ask, plan.bridge))],
      gasCosts: gasCosts(ask, gasOf(plan)),
      executionDuration: plan.bridge === null ? 0 : 2,
      fromAmountUSD: usd(ask.from, ask.amount),
      toAmountUSD: usd(ask.to, plan.toAmount),
      ...(isNative(ask.from) ? { skipApproval: true } : {}),
    },
    includedSteps: includedSteps(plan, encoded),
    integrator: ask.integrator,
    fee: 0,
  };
}

/** Formats the requested action for a response. */
export function describeAction(ask: Ask): Record<string, unknown> {
  return {
    fromToken: describeToken(ask.from),
    fromAmount: ask.amount.toString(),
    toToken: describeToken(ask.to),
    fromChainId: ask.fromChain.chainId,
    toChainId: ask.toChain.chainId,
    slippage: Number(ask.slippage) / PPM,
    fromAddress: ask.fromAddress,
    toAddress: ask.toAddress,
  };
}

/**
 * Returns the output amounts: zero for a call on the same chain, whose output is unknown; the bridged amount across
 * chains.
 */
function amountsOf({ ask, bridge, toAmount, toAmountMin }: Plan) {
  const unknown = bridge === null && ask.calls.length > 0;
  return {
    toAmountMin: unknown ? "0" : toAmountMin.toString(),
    toAmount: unknown ? "0" : toAmount.toString(),
  };
}

function toolOf({ ask, bridge }: Plan): string {
  if (bridge !== null) return bridge.tool;
  return ask.calls.length > 0 ? "custom" : EXCHANGE_TOOL;
}
