import { type Address, isAddressEqual, size, slice, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import type { SwapData } from "../decode/structs.ts";
import { checkFee, isFeeStep } from "./fee.ts";
import { must, type Subject } from "./subject.ts";

const MAX_SWAPS = 8;
/** `deposit()` and `withdraw(uint256)` of a wrapped native token: the only calls to a token. */
const WRAPPING: ReadonlySet<string> = new Set(["0xd0e30db0", "0x2e1a7d4d"]);

/** What a chain of swaps ends with. */
export interface SwapEnd {
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
export function checkSwaps(subject: Subject, swaps: readonly SwapData[]): SwapEnd {
  const { request } = subject;
  must(swaps.length <= MAX_SWAPS, "swaps.length");
  let end: SwapEnd = { token: request.fromToken, exact: request.amount };
  for (const [index, swap] of swaps.entries()) {
    must(swap.requiresDeposit === (index === 0), `swaps[${index}].requiresDeposit`);
    end = follow(subject, { swap, index, end });
  }
  checkNoRoundTrip(subject, end);
  return end;
}

/**
 * Throws `upstream_rejected` for swaps that end in the token they began with: nothing asks for them, and the least they
 * give is the answer's own word.
 */
export function checkNoRoundTrip({ request }: Subject, end: SwapEnd): void {
  must(end.exact !== null || !isAddressEqual(end.token, request.fromToken), "swaps.receivingAssetId");
}

/** Checks one call against what the calls before it left, and says what it leaves. Throws `upstream_rejected`. */
export function follow(subject: Subject, step: { swap: SwapData; index: number; end: SwapEnd }): SwapEnd {
  const { swap, index, end } = step;
  const at = `swaps[${index}]`;
  must(isAddressEqual(swap.sendingAssetId, end.token), `${at}.sendingAssetId`);
  if (end.exact !== null) must(swap.fromAmount === end.exact, `${at}.fromAmount`);
  if (isFeeStep(swap)) {
    must(index === 0, `${at}.receivingAssetId`);
    return { token: end.token, exact: subject.request.amount - checkFee(subject, swap) };
  }
  checkOpaque(subject, { swap, at });
  return { token: swap.receivingAssetId, exact: null };
}

/** An opaque call may reach neither LI.FI's own contracts, nor the user, nor move a token as the caller. */
function checkOpaque(subject: Subject, step: { swap: SwapData; at: string }): void {
  const { swap, at } = step;
  const { source, request } = subject;
  must(size(swap.callData) >= 4, `${at}.callData`);
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
    must(!isAddressEqual(swap.callTo, address), `${at}.callTo`);
    if (isNative(swap.sendingAssetId)) continue;
    must(!isAddressEqual(swap.approveTo, address), `${at}.approveTo`);
  }
  const tokens = [swap.sendingAssetId, swap.receivingAssetId, request.fromToken, request.toToken];
  if (tokens.some((token) => isAddressEqual(swap.callTo, token))) {
    must(WRAPPING.has(slice(swap.callData, 0, 4)), `${at}.callTo`);
  }
}
