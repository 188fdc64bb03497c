import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import type { BridgeToken } from "../../bridge/bridge-chains.ts";
import type { EncodedTransaction } from "./calldata.ts";
import { bridgeFees, fixedFees, gasCosts } from "./costs.ts";
import type { QuoteRequest } from "./quote-request.ts";
import { EXCHANGE_TOOL, type RoutePlan } from "./route-plan.ts";
import { describeToken, describeTool } from "./wire-format.ts";

const STEP_GAS = 130_000n;
const PPM = 1_000_000;

interface Leg {
  type: "protocol" | "swap" | "cross" | "custom";
  tool: string;
  from: BridgeToken;
  to: BridgeToken;
  fromAmount: bigint;
  toAmount: bigint;
  toAmountMin: bigint;
  /** Internal approval, which the signer does not need. */
  approval: Address;
  seconds: number;
  fees: unknown[];
  parties: { fromAddress: Address; toAddress: Address } & Record<string, unknown>;
}

/** Returns a plan's steps in order: fee, swap, bridge, calls. */
export function includedSteps(
  plan: RoutePlan,
  encoded: Pick<EncodedTransaction, "to" | "message">,
): unknown[] {
  const legs = [
    ...feeLeg(plan, encoded.to),
    ...swapLeg(plan, encoded.to),
    ...bridgeLeg(plan, encoded),
    ...callLegs(plan),
  ];
  return legs.map((leg) => describeLeg(plan.request, leg));
}

function feeLeg(plan: RoutePlan, through: Address): Leg[] {
  const { request, fee } = plan;
  if (fee === 0n) return [];
  const left = request.amount - fee;
  const parties = { fromAddress: through, toAddress: through };
  const amounts = { fromAmount: request.amount, toAmount: left, toAmountMin: left };
  const { feeForwarder } = request.fromChain.contracts;
  const leg = { type: "protocol", tool: "feeCollection", from: request.from, to: request.from } as const;
  return [{ ...leg, ...amounts, approval: feeForwarder, seconds: 0, fees: fixedFees(plan), parties }];
}

function swapLeg({ request, swap }: RoutePlan, through: Address): Leg[] {
  if (swap === null) return [];
  const parties = { fromAddress: through, toAddress: through };
  const amounts = { fromAmount: swap.amountIn, toAmount: swap.expected, toAmountMin: swap.least };
  const approval = request.fromChain.contracts.exchange;
  const leg = { type: "swap", tool: EXCHANGE_TOOL, from: swap.from, to: swap.to } as const;
  return [{ ...leg, ...amounts, approval, seconds: 0, fees: [], parties }];
}

function bridgeLeg(
  { request, bridge }: RoutePlan,
  { to: through, message }: Pick<EncodedTransaction, "to" | "message">,
): Leg[] {
  if (bridge === null) return [];
  const called = message !== "0x";
  const { receiverAcross, stargate } = request.toChain.contracts;
  const receiver = bridge.tool === "across" ? receiverAcross : stargate.receiver;
  const toAddress = called ? receiver : request.toAddress;
  const gas = request.calls.reduce((sum, call) => sum + call.gasLimit, 0n);
  const calls = {
    destinationGasConsumption: gas.toString(),
    ...(called ? { destinationCallData: message } : {}),
  };
  const parties = { fromAddress: through, toAddress, ...calls };
  const amounts = { fromAmount: bridge.sent, toAmount: bridge.expected, toAmountMin: bridge.least };
  const approval = request.fromChain.contracts.spokePool;
  const leg = { type: "cross", tool: bridge.tool, from: bridge.input, to: request.to } as const;
  return [{ ...leg, ...amounts, approval, seconds: 2, fees: bridgeFees(request, bridge), parties }];
}

/** Returns the steps of destination calls. LI.FI does not know a call's output and states it as zero. */
function callLegs({ request }: RoutePlan): Leg[] {
  return request.calls.map((call) => ({
    type: "custom",
    tool: "custom",
    from: request.to,
    to: request.to,
    fromAmount: call.fromAmount,
    toAmount: 0n,
    toAmountMin: 0n,
    approval: call.approveTo,
    seconds: 0,
    fees: [],
    parties: {
      fromAddress: request.fromAddress,
      toAddress: request.toAddress,
      toContractAddress: call.target,
      toContractCallData: call.callData,
      toFallbackAddress: request.toAddress,
      callDataGasLimit: call.gasLimit.toString(),
    },
  }));
}

function describeLeg(request: QuoteRequest, leg: Leg): unknown {
  const { type, tool, from, to, parties, approval, seconds, fees } = leg;
  return {
    id: randomUUID(),
    type,
    action: {
      fromChainId: from.chainId,
      fromAmount: leg.fromAmount.toString(),
      fromToken: describeToken(from),
      toChainId: to.chainId,
      toToken: describeToken(to),
      slippage: Number(request.slippage) / PPM,
      ...parties,
    },
    estimate: {
      tool,
      fromAmount: leg.fromAmount.toString(),
      toAmount: leg.toAmount.toString(),
      toAmountMin: leg.toAmountMin.toString(),
      approvalAddress: approval,
      executionDuration: seconds,
      feeCosts: fees,
      gasCosts: type === "custom" ? [] : gasCosts(request, STEP_GAS),
    },
    tool,
    toolDetails: describeTool(tool),
  };
}
