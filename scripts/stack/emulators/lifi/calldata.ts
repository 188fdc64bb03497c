import { type Address, encodeAbiParameters, encodeFunctionData, getAbiItem, type Hex } from "viem";
import { diamondAbi, exchangeAbi, executorAbi, feeForwarderAbi } from "#stand-ins/lifi";
import { isNative } from "../../bridge/bridge-chains.ts";
import type { FillTimes } from "../../bridge/fill-times.ts";
import { encodeBridge } from "./bridge-calldata.ts";
import type { ContractCall } from "./quote-request.ts";
import type { RoutePlan } from "./route-plan.ts";

/** Recipient of LI.FI's fixed fee on every chain. */
export const FEE_RECIPIENT: Address = "0xC06ebbefD94032B85424D51906e2A335EFAe264B";
const [, SWAPS_PARAMETER] = getAbiItem({ abi: executorAbi, name: "swapAndExecute" }).inputs;

/** One swap in LI.FI's calldata. */
export interface SwapData {
  callTo: Address;
  approveTo: Address;
  sendingAssetId: Address;
  receivingAssetId: Address;
  fromAmount: bigint;
  callData: Hex;
  requiresDeposit: boolean;
}

/** Id and times of a quote's transaction. */
export interface QuoteIds extends FillTimes {
  transactionId: Hex;
}

/** An encoded transaction; `spender` needs the approval. */
export interface EncodedTransaction {
  to: Address;
  spender: Address;
  data: Hex;
  /** Message for LI.FI's receiver; "0x" without calls on the destination. */
  message: Hex;
}

/** Encodes a plan's transaction for LI.FI's contracts on the source chain. */
export function encodePlan(plan: RoutePlan, stamp: QuoteIds): EncodedTransaction {
  const { diamond, executor, erc20Proxy } = plan.request.fromChain.contracts;
  if (plan.bridge !== null) {
    const message = encodeMessage(plan, stamp);
    const swaps = sourceSteps(plan, diamond);
    const data = encodeBridge(plan.request, { bridge: plan.bridge, swaps, stamp, message });
    return { to: diamond, spender: diamond, data, message };
  }
  if (plan.request.calls.length > 0)
    return { to: executor, spender: erc20Proxy, data: encodeExecute(plan, stamp), message: "0x" };
  return { to: diamond, spender: diamond, data: encodeSwap(plan, stamp), message: "0x" };
}

/** Encodes the destination calls for LI.FI's receiver, which refunds the user when one fails. */
function encodeMessage({ request }: RoutePlan, { transactionId }: QuoteIds): Hex {
  if (request.calls.length === 0) return "0x";
  const swaps = request.calls.map((call) =>
    callStep(call, { token: request.to.address, requiresDeposit: true }),
  );
  const parameters = [{ type: "bytes32" }, SWAPS_PARAMETER, { type: "address" }] as const;
  return encodeAbiParameters(parameters, [transactionId, swaps, request.toAddress]);
}

function encodeExecute(plan: RoutePlan, { transactionId }: QuoteIds): Hex {
  const { request } = plan;
  const before = sourceSteps(plan, request.fromChain.contracts.executor);
  const steps = request.calls.map((call, index) =>
    callStep(call, { token: request.to.address, requiresDeposit: before.length + index === 0 }),
  );
  const args = [
    transactionId,
    [...before, ...steps],
    request.from.address,
    request.toAddress,
    request.amount,
  ] as const;
  return encodeFunctionData({ abi: executorAbi, functionName: "swapAndExecute", args });
}

function encodeSwap(plan: RoutePlan, { transactionId }: QuoteIds): Hex {
  const { request, toAmountMin } = plan;
  const steps = sourceSteps(plan, request.fromChain.contracts.diamond);
  const head = [transactionId, request.integrator, "", request.toAddress, toAmountMin] as const;
  const ends = isNative(request.from)
    ? "NativeToERC20"
    : isNative(request.to)
      ? "ERC20ToNative"
      : "ERC20ToERC20";
  const [only, ...more] = steps;
  if (only !== undefined && more.length === 0)
    return encodeFunctionData({
      abi: diamondAbi,
      functionName: `swapTokensSingleV3${ends}`,
      args: [...head, only],
    });
  return encodeFunctionData({
    abi: diamondAbi,
    functionName: `swapTokensMultipleV3${ends}`,
    args: [...head, steps],
  });
}

/** Returns the fee and swap steps; `executor` makes the calls. */
function sourceSteps(plan: RoutePlan, executor: Address): SwapData[] {
  const fee = plan.fee === 0n ? [] : [feeStep(plan)];
  return plan.swap === null ? fee : [...fee, swapStep(plan, { executor, first: fee.length === 0 })];
}

function feeStep({ request, fee }: RoutePlan): SwapData {
  const distributions = [{ recipient: FEE_RECIPIENT, amount: fee }];
  const { feeForwarder } = request.fromChain.contracts;
  const token = request.from.address;
  const abi = feeForwarderAbi;
  const callData = isNative(request.from)
    ? encodeFunctionData({ abi, functionName: "forwardNativeFees", args: [distributions] })
    : encodeFunctionData({ abi, functionName: "forwardERC20Fees", args: [token, distributions] });
  const assets = { sendingAssetId: token, receivingAssetId: token, fromAmount: request.amount };
  return { callTo: feeForwarder, approveTo: feeForwarder, ...assets, callData, requiresDeposit: true };
}

function swapStep(
  { request, swap }: RoutePlan,
  { executor, first }: { executor: Address; first: boolean },
): SwapData {
  if (swap === null) throw new Error("no swap is planned");
  const { exchange } = request.fromChain.contracts;
  const [sendingAssetId, receivingAssetId] = [swap.from.address, swap.to.address];
  const args = [sendingAssetId, receivingAssetId, swap.amountIn, swap.least, executor] as const;
  const callData = encodeFunctionData({ abi: exchangeAbi, functionName: "swap", args });
  const assets = { sendingAssetId, receivingAssetId, fromAmount: swap.amountIn };
  return { callTo: exchange, approveTo: exchange, ...assets, callData, requiresDeposit: first };
}

function callStep(
  call: ContractCall,
  { token, requiresDeposit }: { token: Address; requiresDeposit: boolean },
): SwapData {
  return {
    callTo: call.target,
    approveTo: call.approveTo,
    sendingAssetId: token,
    receivingAssetId: call.outputsToken ?? token,
    fromAmount: call.fromAmount,
    callData: call.callData,
    requiresDeposit,
  };
}
