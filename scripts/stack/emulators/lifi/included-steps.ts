import { randomUUID } from "node:crypto";
import type { Address } from "viem";
import type { BridgeToken } from "../../bridge/world.ts";
import type { Ask } from "./ask.ts";
import type { Encoded } from "./calldata.ts";
import { bridgeFees, fixedFees, gasCosts } from "./costs.ts";
import { describeToken, describeTool } from "./describe.ts";
import { EXCHANGE_TOOL, type Plan } from "./plan.ts";

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
export function includedSteps(plan: Plan, encoded: Pick<Encoded, "to" | "message">): unknown[] {
  const legs = [
    ...feeLeg(plan, encoded.to),
    ...swapLeg(plan, encoded.to),
    ...bridgeLeg(plan, encoded),
    ...callLegs(plan),
  ];
  return legs.map((leg) => describeLeg(plan.ask, leg));
}

function feeLeg(plan: Plan, through: Address): Leg[] {
  const { ask, fee } = plan;
  if (fee === 0n) return [];
  const left = ask.amount - fee;
  const parties = { fromAddress: through, toAddress: through };
  const amounts = { fromAmount: ask.amount, toAmount: left, toAmountMin: left };
  const { feeForwarder } = ask.fromChain.contracts;
  const leg = { type: "protocol", tool: "feeCollection", from: ask.from, to: ask.from } as const;
  return [{ ...leg, ...amounts, approval: feeForwarder, seconds: 0, fees: fixedFees(plan), parties }];
}

function swapLeg({ ask, swap }: Plan, through: Address): Leg[] {
  if (swap === null) return [];
  const parties = { fromAddress: through, toAddress: through };
  const amounts = { fromAmount: swap.amountIn, toAmount: swap.expected, toAmountMin: swap.least };
  const approval = ask.fromChain.contracts.exchange;
  const leg = { type: "swap", tool: EXCHANGE_TOOL, from: swap.from, to: swap.to } as const;
  return [{ ...leg, ...amounts, approval, seconds: 0, fees: [], parties }];
}

function bridgeLeg({ ask, bridge }: Plan, { to: through, message }: Pick<Encoded, "to" | "message">): Leg[] {
  if (bridge === null) return [];
  const called = message !== "0x";
  const { receiverAcross, stargate } = ask.toChain.contracts;
  const receiver = bridge.tool === "across" ? receiverAcross : stargate.receiver;
  const toAddress = called ? receiver : ask.toAddress;
  const gas = ask.calls.reduce((sum, call) => sum + call.gasLimit, 0n);
  const calls = {
    destinationGasConsumption: gas.toString(),
    ...(called ? { destinationCallData: message } : {}),
  };
  const parties = { fromAddress: through, toAddress, ...calls };
  const amounts = { fromAmount: bridge.sent, toAmount: bridge.expected, toAmountMin: bridge.least };
  const approval = ask.fromChain.contracts.spokePool;
  const leg = { type: "cross", tool: bridge.tool, from: bridge.input, to: ask.to } as const;
  return [{ ...leg, ...amounts, approval, seconds: 2, fees: bridgeFees(ask, bridge), parties }];
}

/** LI.FI does not know a call's output. */
function callLegs({ ask }: Plan): Leg[] {
  return ask.calls.map((call) => ({
    type: "custom",
    tool: "custom",
    from: ask.to,
    to: ask.to,
    fromAmount: call.fromAmount,
    toAmount: 0n,
    toAmountMin: 0n,
    approval: call.approveTo,
    seconds: 0,
    fees: [],
    parties: {
      fromAddress: ask.fromAddress,
      toAddress: ask.toAddress,
      toContractAddress: call.target,
      toContractCallData: call.callData,
      toFallbackAddress: ask.toAddress,
      callDataGasLimit: call.gasLimit.toString(),
    },
  }));
}

function describeLeg(ask: Ask, leg: Leg): unknown {
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
      slippage: Number(ask.slippage) / PPM,
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
      gasCosts: type === "custom" ? [] : gasCosts(ask, STEP_GAS),
    },
    tool,
    toolDetails: describeTool(tool),
  };
}
