import type { Address } from "viem";
import type { TransferRequest } from "../../../../src/providers/provider.ts";
import { TRANSACTION_ID } from "../abi.ts";
import type { Scenario } from "../answers.ts";
import type { SwapTree } from "../calls.ts";
import {
  callOf,
  dexStep,
  feeOf,
  feeStep,
  finalStep,
  INTEGRATOR,
  NATIVE,
  requestOf,
  tokens,
} from "../parts.ts";

/** LI.FI's Executor and the contract that users approve for it. */
const EXECUTORS: Readonly<Record<number, { to: Address; spender: Address }>> = {
  100: {
    to: "0x2dfaDAB8266483beD9Fd9A292Ce56596a2D1378D",
    spender: "0x5741A7FfE7c39Ca175546a54985fA79211290b51",
  },
  8453: {
    to: "0x4DaC9d1769b9b304cb04741DCDEb2FC14aBdF110",
    spender: "0x74a55CaDb12501A3707E9F3C5dfd8b563C6A5940",
  },
};
const ETHER = 10n ** 18n;

const onBase = (fields: Partial<TransferRequest>): TransferRequest =>
  requestOf({ fromChainId: 8453, toChainId: 8453, ...fields });
const usdcToWeth = onBase({ toToken: tokens.weth[8453] });
const etherToUsdc = onBase({ fromToken: NATIVE, toToken: tokens.usdc[8453], amount: ETHER });
const usdcToEther = onBase({ toToken: NATIVE });
const ether = { toAmount: 37_000_000_000_000_000n, toAmountMin: 36_000_000_000_000_000n };
const dollars = { toAmount: 2_695_000_000n, toAmountMin: 2_620_000_000n };

/** Returns the fee call, and swaps through the tokens `via`. */
export function feeAndSwaps(request: TransferRequest, via: readonly Address[] = []): SwapTree[] {
  const path = [request.fromToken, ...via, request.toToken];
  const hops = path.slice(1).map((receivingAssetId, index) => {
    const fromAmount = index === 0 ? request.amount - feeOf(request.amount) : 1_000_000n;
    return dexStep({ sendingAssetId: path[index] ?? NATIVE, receivingAssetId, fromAmount });
  });
  return [feeStep(request.fromToken, request.amount), ...hops];
}

function one(request: TransferRequest): SwapTree[] {
  const { fromToken, toToken, amount } = request;
  const swap = dexStep({ sendingAssetId: fromToken, receivingAssetId: toToken, fromAmount: amount });
  return [{ ...swap, requiresDeposit: true }];
}

/** Creates a response that swaps on one chain and delivers to the user. */
export function swap(
  plan: Pick<Scenario, "name" | "request" | "toAmount" | "toAmountMin">,
  call: { functionName: string; swaps: SwapTree[] },
): Scenario {
  const tree = {
    kind: "swap" as const,
    ...call,
    transactionId: TRANSACTION_ID,
    integrator: INTEGRATOR,
    referrer: "0x0000000000000000000000000000000000000000",
    receiver: plan.request.user,
    minAmountOut: plan.toAmountMin,
  };
  return { ...plan, tool: "fly", tree, onTop: 0n };
}

/** Creates a response that swaps on one chain and makes the requested call. */
export function execute(
  plan: Pick<Scenario, "name" | "request" | "toAmount" | "toAmountMin">,
  swaps: SwapTree[],
): Scenario {
  const { request } = plan;
  const last = { ...finalStep(request, request.call?.minIn ?? 0n), requiresDeposit: false };
  const tree = {
    kind: "execute" as const,
    transactionId: TRANSACTION_ID,
    swaps: [...swaps, last],
    transferredAssetId: request.fromToken,
    receiver: request.user,
    amount: request.amount,
  };
  return { ...plan, tool: "custom", tree, onTop: 0n, ...EXECUTORS[request.fromChainId] };
}

const direct = onBase({ toToken: tokens.usdc[8453], call: callOf(97_000_000n) });
const left = direct.amount - feeOf(direct.amount);
const intoWeth = { ...usdcToWeth, call: callOf(35_000_000_000_000_000n) };
const intoUsdc = { ...etherToUsdc, call: callOf(2_540_000_000n) };

export const swapScenarios: readonly Scenario[] = [
  swap(
    { name: "swap, tokens", request: usdcToWeth, ...ether },
    { functionName: "swapTokensMultipleV3ERC20ToERC20", swaps: feeAndSwaps(usdcToWeth) },
  ),
  swap(
    { name: "swap, tokens, two hops", request: usdcToWeth, ...ether },
    {
      functionName: "swapTokensMultipleV3ERC20ToERC20",
      swaps: feeAndSwaps(usdcToWeth, ["0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"]),
    },
  ),
  swap(
    { name: "swap, native to token", request: etherToUsdc, ...dollars },
    { functionName: "swapTokensMultipleV3NativeToERC20", swaps: feeAndSwaps(etherToUsdc) },
  ),
  swap(
    { name: "swap, token to native", request: usdcToEther, ...ether },
    { functionName: "swapTokensMultipleV3ERC20ToNative", swaps: feeAndSwaps(usdcToEther) },
  ),
  swap(
    { name: "single swap, tokens", request: usdcToWeth, ...ether },
    { functionName: "swapTokensSingleV3ERC20ToERC20", swaps: one(usdcToWeth) },
  ),
  swap(
    { name: "single swap, native to token", request: etherToUsdc, ...dollars },
    { functionName: "swapTokensSingleV3NativeToERC20", swaps: one(etherToUsdc) },
  ),
  swap(
    { name: "single swap, token to native", request: usdcToEther, ...ether },
    { functionName: "swapTokensSingleV3ERC20ToNative", swaps: one(usdcToEther) },
  ),
  execute({ name: "execute", request: direct, toAmount: left, toAmountMin: left }, [
    feeStep(direct.fromToken, direct.amount),
  ]),
  execute({ name: "execute, swapped", request: intoWeth, ...ether }, feeAndSwaps(intoWeth)),
  execute({ name: "execute, native swapped", request: intoUsdc, ...dollars }, feeAndSwaps(intoUsdc)),
];
