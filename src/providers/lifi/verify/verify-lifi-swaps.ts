import { type Address, isAddressEqual, size, slice, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import type { ExecuteCall, SwapCall } from "../decode/swap-facets.ts";
import { requireMatch, type Verification } from "./lifi-verification.ts";
import { checkDestinationCall } from "./verify-destination-call.ts";
import { checkFee, isFeeStep } from "./verify-lifi-fee.ts";

const MAX_SWAPS = 8;
/** `deposit()` and `withdraw(uint256)` of a wrapped native token: the only calls allowed to a token contract. */
const WRAPPING: ReadonlySet<string> = new Set(["0xd0e30db0", "0x2e1a7d4d"]);

/** The result of a sequence of swaps. */
interface SwapEnd {
  token: Address;
  /** The exact amount left, smallest unit; null after a swap, whose output is not known in advance. */
  exact: bigint | null;
}

/**
 * Verifies the calls of a swap, or before a bridge, and returns their result: the first pulls exactly the requested
 * amount and the others nothing, fees go to LI.FI, and each call spends the previous one's output. The calldata of an
 * exchange is opaque; its output is bounded by the minimum that the caller of this function checks.
 * Throws `upstream_rejected`.
 */
export function checkSwaps(verification: Verification, swaps: readonly SwapData[]): SwapEnd {
  const { request } = verification;
  requireMatch(swaps.length <= MAX_SWAPS, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of swaps.entries()) {
    requireMatch(swap.requiresDeposit === (index === 0), `swaps[${index}].requiresDeposit`);
    end = checkSwap(verification, { swap, index, end });
  }
  checkNoRoundTrip(verification, end);
  return end;
}

/**
 * Throws `upstream_rejected` for swaps that end in the token that they started with: no request needs them, and their
 * minimum output is only the quote's claim.
 */
function checkNoRoundTrip({ request }: Verification, end: SwapEnd): void {
  requireMatch(end.exact !== null || !isAddressEqual(end.token, request.fromToken), "swaps.receivingAssetId");
}

/**
 * Verifies one call against the result of the calls before it and returns the new result. Throws `upstream_rejected`.
 */
function checkSwap(
  verification: Verification,
  step: { swap: SwapData; index: number; end: SwapEnd },
): SwapEnd {
  const { swap, index, end } = step;
  const at = `swaps[${index}]`;
  requireMatch(isAddressEqual(swap.sendingAssetId, end.token), `${at}.sendingAssetId`);
  if (end.exact !== null) requireMatch(swap.fromAmount === end.exact, `${at}.fromAmount`);
  if (isFeeStep(swap)) {
    requireMatch(index === 0, `${at}.receivingAssetId`);
    return { token: end.token, exact: verification.request.amount - checkFee(verification, swap) };
  }
  checkOpaque(verification, { swap, at });
  return { token: swap.receivingAssetId, exact: null };
}

/**
 * Checks the targets of an opaque call: it must not call or approve LI.FI's own contracts, the user or the Router,
 * and must not call a token contract except to wrap or unwrap. Throws `upstream_rejected`.
 */
function checkOpaque(verification: Verification, step: { swap: SwapData; at: string }): void {
  const { swap, at } = step;
  const { source, request } = verification;
  requireMatch(size(swap.callData) >= 4, `${at}.callData`);
  const forbidden = [
    source.diamond,
    source.executor,
    source.erc20Proxy,
    source.receiverAcross,
    source.receiverStargate,
    ...source.feeForwarders,
    request.user,
    request.call?.target,
    zeroAddress,
  ];
  for (const address of forbidden) {
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

/** Verifies a swap on one chain and returns the guaranteed output, smallest unit. Throws `upstream_rejected`. */
export function guaranteeOfSwap(verification: Verification, call: SwapCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId === request.toChainId && request.call === null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "swap.transactionId");
  requireMatch(call.integrator === verification.integrator, "swap.integrator");
  requireMatch(call.referrer === "" || call.referrer === zeroAddress, "swap.referrer");
  requireMatch(call.fromNative === isNative(request.fromToken), "selector");
  requireMatch(call.toNative === isNative(request.toToken), "selector");
  requireMatch(isAddressEqual(call.receiver, request.user), "swap.receiver");
  const end = checkSwaps(verification, call.swaps);
  requireMatch(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  requireMatch(call.minAmountOut >= claim.toAmountMin, "swap.minAmountOut");
  requireMatch(call.minAmountOut <= claim.toAmount, "swap.minAmountOut");
  return call.minAmountOut;
}

/**
 * Verifies a contract call on one chain and returns the guaranteed input of the call, smallest unit: the exact amount
 * without a swap; after a swap the call's own minimum, the only bound that a contract enforces. Throws
 * `upstream_rejected`.
 */
export function guaranteeOfExecute(verification: Verification, call: ExecuteCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId === request.toChainId && request.call !== null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "execute.transactionId");
  requireMatch(isAddressEqual(call.transferredAssetId, request.fromToken), "execute.transferredAssetId");
  requireMatch(isAddressEqual(call.receiver, request.user), "execute.receiver");
  requireMatch(call.amount === request.amount, "execute.amount");
  const last = call.swaps.at(-1);
  requireMatch(last !== undefined, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of call.swaps.slice(0, -1).entries())
    end = checkSwap(verification, { swap, index, end });
  checkNoRoundTrip(verification, end);
  requireMatch(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  if (end.exact !== null) requireMatch(claim.toAmount === end.exact, "toAmount");
  checkDestinationCall(verification, { call: last, guaranteed: end.exact ?? claim.toAmountMin });
  return end.exact ?? request.call.minIn;
}
