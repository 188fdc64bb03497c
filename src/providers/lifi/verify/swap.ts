import { isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import type { ExecuteCall } from "../decode/executor.ts";
import type { SwapCall } from "../decode/generic-swap.ts";
import { checkFinalCall } from "./message.ts";
import { must, type Subject } from "./subject.ts";
import { checkNoRoundTrip, checkSwaps, follow, type SwapEnd } from "./swaps.ts";

/** Checks a swap on one chain and gives the least that it pays the user. Throws `upstream_rejected`. */
export function guaranteeOfSwap(subject: Subject, call: SwapCall): bigint {
  const { request, claim } = subject;
  must(request.fromChainId === request.toChainId && request.call === null, "selector");
  must(call.transactionId === claim.transactionId, "swap.transactionId");
  must(call.integrator === subject.integrator, "swap.integrator");
  must(call.referrer === "" || call.referrer === zeroAddress, "swap.referrer");
  must(call.fromNative === isNative(request.fromToken), "selector");
  must(call.toNative === isNative(request.toToken), "selector");
  must(isAddressEqual(call.receiver, request.user), "swap.receiver");
  const end = checkSwaps(subject, call.swaps);
  must(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  must(call.minAmountOut >= claim.toAmountMin, "swap.minAmountOut");
  must(call.minAmountOut <= claim.toAmount, "swap.minAmountOut");
  return call.minAmountOut;
}

/**
 * Checks a contract call on one chain. Without a swap what reaches the call is exact; with one, nothing on
 * chain but the call's own minimum binds it, and that is the guarantee. Throws `upstream_rejected`.
 */
export function guaranteeOfExecute(subject: Subject, call: ExecuteCall): bigint {
  const { request, claim } = subject;
  must(request.fromChainId === request.toChainId && request.call !== null, "selector");
  must(call.transactionId === claim.transactionId, "execute.transactionId");
  must(isAddressEqual(call.transferredAssetId, request.fromToken), "execute.transferredAssetId");
  must(isAddressEqual(call.receiver, request.user), "execute.receiver");
  must(call.amount === request.amount, "execute.amount");
  const last = call.swaps.at(-1);
  must(last !== undefined, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of call.swaps.slice(0, -1).entries()) end = follow(subject, { swap, index, end });
  checkNoRoundTrip(subject, end);
  must(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  if (end.exact !== null) must(claim.toAmount === end.exact, "toAmount");
  checkFinalCall(subject, { call: last, guaranteed: end.exact ?? claim.toAmountMin });
  return end.exact ?? request.call.minIn;
}
