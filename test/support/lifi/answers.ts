import { type Address, numberToHex, zeroAddress } from "viem";
import type { TransferRequest } from "../../../src/providers/provider.ts";
import { TRANSACTION_ID } from "./abi.ts";
import { type CallTree, encodeCall } from "./calls.ts";
import { DIAMOND, FEE_CONTRACT, feeOf, INTEGRATOR, USER } from "./parts.ts";

/** A request with LI.FI's whole response to it, before encoding. */
export interface Scenario {
  name: string;
  request: TransferRequest;
  tool: string;
  tree: CallTree;
  /** Expected delivered amount; `toAmountMin` is the minimum. */
  toAmount: bigint;
  toAmountMin: bigint;
  /** Additional fee in the native currency, in wei. */
  onTop: bigint;
  /** Called contract and spender, if they are not LI.FI's Diamond. */
  to?: Address;
  spender?: Address;
}

const token = (chainId: number, address: Address) => ({
  chainId,
  address,
  symbol: "TKN",
  decimals: 18,
  name: "Token",
  coinKey: "TKN",
  logoURI: "https://example.org/token.png",
  priceUSD: "1.0",
  tags: ["stablecoin"],
});

/** Returns the JSON body of `GET /quote` or `POST /quote/contractCalls` for a scenario, in the documented format. */
export function answerOf(scenario: Scenario): Record<string, unknown> {
  const { request, tool, tree, onTop } = scenario;
  const native = request.fromToken === zeroAddress;
  const to = scenario.to ?? DIAMOND;
  return {
    type: "lifi",
    id: "00000000-0000-4000-8000-000000000000:0",
    tool,
    toolDetails: { key: tool, name: `Tool ${tool}`, logoURI: "https://example.org/logos/tool.svg" },
    action: actionOf(request),
    estimate: estimateOf(scenario),
    includedSteps: includedStepsOf(scenario),
    integrator: INTEGRATOR,
    fee: 0,
    stepSimulation: { status: "not-attempted", gasSource: "tool" },
    transactionRequest: {
      value: numberToHex((native ? request.amount : 0n) + onTop),
      to,
      data: encodeCall(tree),
      from: request.user,
      chainId: request.fromChainId,
      gasPrice: "0x5b8d80",
      gasLimit: "0x16e360",
    },
    transactionId: TRANSACTION_ID,
  };
}

function actionOf(request: TransferRequest) {
  return {
    fromToken: token(request.fromChainId, request.fromToken),
    fromAmount: request.amount.toString(),
    toToken: token(request.toChainId, request.toToken),
    fromChainId: request.fromChainId,
    toChainId: request.toChainId,
    slippage: 0.027,
    fromAddress: USER,
    toAddress: USER,
  };
}

function estimateOf(scenario: Scenario) {
  const { request, tool, toAmount, toAmountMin } = scenario;
  // With a destination call LI.FI's top-level amounts are the call's output, which it does not know.
  const sameChainCall = request.call !== null && request.fromChainId === request.toChainId;
  return {
    tool,
    approvalAddress: scenario.spender ?? DIAMOND,
    toAmount: sameChainCall ? "0" : toAmount.toString(),
    toAmountMin: sameChainCall ? "0" : toAmountMin.toString(),
    fromAmount: request.amount.toString(),
    feeCosts: feeCostsOf(scenario),
    gasCosts: [
      {
        type: "SEND",
        price: "6000000",
        estimate: "500000",
        limit: "800000",
        amount: "3474",
        amountUSD: "0.0094",
      },
    ],
    executionDuration: 2.5,
    fromAmountUSD: "100.02",
    toAmountUSD: "99.70",
    skipPermit: false,
  };
}

function feeCostsOf({ request, tree, onTop }: Scenario) {
  const chainId = request.fromChainId;
  const fixed = {
    name: "LIFI Fixed Fee",
    token: token(chainId, request.fromToken),
    amount: feeOf(request.amount).toString(),
    percentage: "0.0025",
    included: true,
    feeSplit: { lifiFee: feeOf(request.amount).toString(), integratorFee: "0" },
  };
  const bridge = {
    name: "LayerZero native fee",
    token: token(chainId, zeroAddress),
    amount: onTop.toString(),
    included: false,
  };
  return [...(takesFee(tree) ? [fixed] : []), ...(onTop > 0n ? [bridge] : [])];
}

/** Returns true if the first call of a tree pays LI.FI's fee. */
export function takesFee(tree: CallTree): boolean {
  return tree.swaps?.[0]?.callTo === FEE_CONTRACT;
}

function includedStepsOf(scenario: Scenario) {
  const { request, tool, tree, toAmount, toAmountMin } = scenario;
  const left = (request.amount - feeOf(request.amount)).toString();
  const step = (type: string, key: string, amounts: { toAmount: string; toAmountMin: string }) => ({
    id: "step",
    type,
    tool: key,
    toolDetails: { key, name: key, logoURI: "" },
    estimate: { fromAmount: request.amount.toString(), approvalAddress: DIAMOND, ...amounts },
  });
  const delivered = { toAmount: toAmount.toString(), toAmountMin: toAmountMin.toString() };
  const moves = tree.kind === "bridge" || tree.swaps.some((swap) => typeof swap.callData === "string");
  const swapsOnly = tree.kind === "execute" && tree.swaps.length < 3;
  return [
    ...(takesFee(tree) ? [step("protocol", "feeCollection", { toAmount: left, toAmountMin: left })] : []),
    ...(moves && !swapsOnly ? [step(tree.kind === "bridge" ? "cross" : "swap", tool, delivered)] : []),
    ...(request.call === null ? [] : [step("custom", "custom", { toAmount: "0", toAmountMin: "0" })]),
  ];
}
