import { type Address, isAddressEqual, size, slice, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import type { ExecuteCall, SwapCall } from "../decode/swap-facets.ts";
import { requireMatch, type Verification } from "./lifi-verification.ts";
import { checkDestinationCall } from "./verify-destination-call.ts";
import { exactFee, isFeeStep } from "./verify-lifi-fee.ts";

/** Maximum number of calls in a sequence of swaps. */
const MAX_SWAPS = 8;
/**
 * Selectors of `deposit()` and `withdraw(uint256)` of a wrapped native token: the only calls that a swap may
 * make to a token contract.
 */
const WRAPPING: ReadonlySet<string> = new Set(["0xd0e30db0", "0x2e1a7d4d"]);

/** The result of a sequence of calls: its token and amount. */
interface SwapEnd {
  token: Address;
  /**
   * The exact amount, in the token's smallest unit. Null after a call whose output is not known in advance: a swap, or
   * a fee of unknown amount.
   */
  exact: bigint | null;
  /** True if a previous call swapped one token for another. */
  swapped: boolean;
}

/**
 * Verifies a LI.FI transaction's swaps and fee payments, and returns the resulting token and amount. Exchange calldata
 * stays opaque, so callers must check the minimum that LI.FI's contract enforces. Throws `upstream_rejected`.
 */
export function checkSwaps(verification: Verification, swaps: readonly SwapData[]): SwapEnd {
  const { request } = verification;
  requireMatch(swaps.length <= MAX_SWAPS, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount, swapped: false };
  for (const [index, swap] of swaps.entries()) {
    requireMatch(swap.requiresDeposit === (index === 0), `swaps[${index}].requiresDeposit`);
    end = checkSwap(verification, { swap, index, end });
  }
  checkNoRoundTrip(verification, end);
  return end;
}

/**
 * Throws `upstream_rejected` if swaps end in the token that they started with. No request needs that, and nothing but
 * the quote itself would bound their output.
 */
function checkNoRoundTrip({ request }: Verification, end: SwapEnd): void {
  requireMatch(!end.swapped || !isAddressEqual(end.token, request.fromToken), "swaps.receivingAssetId");
}

/** Returns true if a call names different input and output tokens, and false if they are the same, as for a fee. */
export const isSwap = (swap: SwapData): boolean => !isFeeStep(swap);

/**
 * Verifies one swap or fee payment against the result of the calls before it and returns the new result.
 * Throws `upstream_rejected` if it does not match.
 */
function checkSwap(
  verification: Verification,
  step: { swap: SwapData; index: number; end: SwapEnd },
): SwapEnd {
  const { swap, index, end } = step;
  const at = `swaps[${index}]`;
  requireMatch(isAddressEqual(swap.sendingAssetId, end.token), `${at}.sendingAssetId`);
  if (end.exact !== null) requireMatch(swap.fromAmount === end.exact, `${at}.fromAmount`);
  const fee = isFeeStep(swap) && end.exact !== null ? exactFee(verification, swap) : null;
  if (fee !== null && end.exact !== null) return { ...end, exact: end.exact - fee };
  checkOpaque(verification, { swap, at });
  return { token: swap.receivingAssetId, exact: null, swapped: end.swapped || !isFeeStep(swap) };
}

/**
 * Checks the targets of a call whose calldata cannot be decoded. It must neither call nor approve LI.FI's contracts,
 * the user or the destination call's target, and may call a token only to wrap or unwrap.
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

/**
 * Verifies a swap on one chain and returns the guaranteed output, in the output token's smallest unit: the minimum that
 * LI.FI's contract enforces. Throws `upstream_rejected`. Source: GenericSwapFacetV3.sol.
 */
export function verifySwapCall(verification: Verification, call: SwapCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId === request.toChainId && request.call === null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "swap.transactionId");
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
 * Verifies a contract call on one chain and returns the amount guaranteed to reach the called contract, in its token's
 * smallest unit: the exact input if known, otherwise the call's `minIn`. Throws `upstream_rejected`, or `no_route` if
 * the call declares too high an input.
 */
export function verifyExecuteCall(verification: Verification, call: ExecuteCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId === request.toChainId && request.call !== null, "selector");
  requireMatch(call.transactionId === claim.transactionId, "execute.transactionId");
  requireMatch(isAddressEqual(call.transferredAssetId, request.fromToken), "execute.transferredAssetId");
  requireMatch(isAddressEqual(call.receiver, request.user), "execute.receiver");
  requireMatch(call.amount === request.amount, "execute.amount");
  const last = call.swaps.at(-1);
  requireMatch(last !== undefined, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount, swapped: false };
  for (const [index, swap] of call.swaps.slice(0, -1).entries())
    end = checkSwap(verification, { swap, index, end });
  checkNoRoundTrip(verification, end);
  requireMatch(isAddressEqual(end.token, request.toToken), "swaps.receivingAssetId");
  if (end.exact !== null) requireMatch(claim.toAmount === end.exact, "toAmount");
  checkDestinationCall(verification, { call: last, guaranteed: end.exact ?? claim.toAmountMin });
  return end.exact ?? request.call.minIn;
}
