import { type Address, isAddressEqual, size, slice, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import type { ExecuteCall, SwapCall } from "../decode/swap-facets.ts";
import { requireMatch, type Verification } from "./verification.ts";
import { checkDestinationCall } from "./verify-destination-call.ts";
import { checkFee, isFeeStep } from "./verify-fee.ts";

const MAX_SWAPS = 8;
/** `deposit()` and `withdraw(uint256)` of a wrapped native token: the only calls to a token. */
const WRAPPING: ReadonlySet<string> = new Set(["0xd0e30db0", "0x2e1a7d4d"]);

/** What a chain of swaps ends with. */
interface SwapEnd {
  token: Address;
  /** What is left, when it is known to the unit because nothing was swapped; null after a swap. */
  exact: bigint | null;
}

/**
 * Checks the calls before a bridge, or of a swap: the first takes exactly the amount asked for and no other
 * takes anything, fees go to LI.FI, each call spends what the one before gave. What a DEX does inside is
 * opaque, and bound by the least amount that the caller of this function compares.
 * Throws `upstream_rejected`.
 */
export function checkSwaps(subject: Verification, swaps: readonly SwapData[]): SwapEnd {
  const { request } = subject;
  requireMatch(swaps.length <= MAX_SWAPS, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of swaps.entries()) {
    requireMatch(swap.requiresDeposit === (index === 0), `swaps[${index}].requiresDeposit`);
    end = checkSwap(subject, { swap, index, end });
  }
  checkNoRoundTrip(subject, end);
  return end;
}

/**
 * Throws `upstream_rejected` for swaps that end in the token they began with: nothing asks for them, and the least they
 * give is the answer's own word.
 */
function checkNoRoundTrip({ request }: Verification, end: SwapEnd): void {
  requireMatch(end.exact !== null || !isAddressEqual(end.token, request.fromToken), "swaps.receivingAssetId");
}

/** Checks one call against what the calls before it left, and says what it leaves. Throws `upstream_rejected`. */
function checkSwap(subject: Verification, step: { swap: SwapData; index: number; end: SwapEnd }): SwapEnd {
  const { swap, index, end } = step;
  const at = `swaps[${index}]`;
  requireMatch(isAddressEqual(swap.sendingAssetId, end.token), `${at}.sendingAssetId`);
  if (end.exact !== null) requireMatch(swap.fromAmount === end.exact, `${at}.fromAmount`);
  if (isFeeStep(swap)) {
    requireMatch(index === 0, `${at}.receivingAssetId`);
    return { token: end.token, exact: subject.request.amount - checkFee(subject, swap) };
  }
  checkOpaque(subject, { swap, at });
  return { token: swap.receivingAssetId, exact: null };
}

/** An opaque call may reach neither LI.FI's own contracts, nor the user, nor move a token as the caller. */
function checkOpaque(subject: Verification, step: { swap: SwapData; at: string }): void {
  const { swap, at } = step;
  const { source, request } = subject;
  requireMatch(size(swap.callData) >= 4, `${at}.callData`);
  const ours = [source.diamond, source.executor, source.erc20Proxy, source.receiverAcross];
  const closed = [
    ...ours,
    source.receiverStargate,
    ...source.feeForwarders,
    request.user,
    request.call?.target,
  ];
  for (const address of [...closed, zeroAddress]) {
    if (!address) continue;
    requireMatch(!isAddressEqual(swap.callTo, address), `${at}.callTo`);
    if (isNative(swap.sendingAssetId)) continue;
    requireMatch(!isAddressEqual(swap.approveTo, address), `${at}.approveTo`);
  }
  const tokens = [swap.sendingAssetId, swap.receivingAssetId, request.fromToken, request.toToken];
  if (tokens.some((token) => isAddressEqual(swap.callTo, token))) {
    requireMatch(WRAPPING.has(slice(swap.callData, 0, 4)), `${at}.callTo`);
  }
}

/** Checks a swap on one chain and gives the least that it pays the user. Throws `upstream_rejected`. */
export function guaranteeOfSwap(subject: Verification, call: SwapCall): bigint {
  const { request, claim } = subject;
  requireMatch(request.fromChainId === request.toChainId && request.call === null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "swap.transactionId");
  requireMatch(call.integrator === subject.integrator, "swap.integrator");
  requireMatch(call.referrer === "" || call.referrer === zeroAddress, "swap.referrer");
  requireMatch(call.fromNative === isNative(request.fromToken), "selector");
  requireMatch(call.toNative === isNative(request.toToken), "selector");
  requireMatch(isAddressEqual(call.receiver, request.user), "swap.receiver");
  const end = checkSwaps(subject, call.swaps);
  requireMatch(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  requireMatch(call.minAmountOut >= claim.toAmountMin, "swap.minAmountOut");
  requireMatch(call.minAmountOut <= claim.toAmount, "swap.minAmountOut");
  return call.minAmountOut;
}

/**
 * Checks a contract call on one chain. Without a swap what reaches the call is exact; with one, nothing on
 * chain but the call's own minimum binds it, and that is the guarantee. Throws `upstream_rejected`.
 */
export function guaranteeOfExecute(subject: Verification, call: ExecuteCall): bigint {
  const { request, claim } = subject;
  requireMatch(request.fromChainId === request.toChainId && request.call !== null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "execute.transactionId");
  requireMatch(isAddressEqual(call.transferredAssetId, request.fromToken), "execute.transferredAssetId");
  requireMatch(isAddressEqual(call.receiver, request.user), "execute.receiver");
  requireMatch(call.amount === request.amount, "execute.amount");
  const last = call.swaps.at(-1);
  requireMatch(last !== undefined, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of call.swaps.slice(0, -1).entries())
    end = checkSwap(subject, { swap, index, end });
  checkNoRoundTrip(subject, end);
  requireMatch(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  if (end.exact !== null) requireMatch(claim.toAmount === end.exact, "toAmount");
  checkDestinationCall(subject, { call: last, guaranteed: end.exact ?? claim.toAmountMin });
  return end.exact ?? request.call.minIn;
}
