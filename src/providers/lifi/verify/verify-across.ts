import { type Address, isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { bridgedAssetOf } from "../../bridged-assets.ts";
import type { AcrossCall } from "../decode/across-facet.ts";
import { isPaddedAddress, requireMatch, type Verification } from "./verification.ts";
import { checkReceiverMessage } from "./verify-destination-call.ts";

const MULTIPLIER_BASE = 10n ** 18n;
/** Bounds of the times, in seconds. The SpokePool accepts a quote of the last hour. */
const MAX_QUOTE_AGE = 3_600;
const CLOCK_SKEW = 600;
const MIN_FILL_TIME = 60;
const MAX_FILL_TIME = 86_400;
const MAX_EXCLUSIVITY = 600;
/** Above this, Across reads the exclusivity parameter as a time and not as a duration. */
const MAX_EXCLUSIVITY_PERIOD = 31_536_000;

/**
 * Checks what Across is told and gives the least that arrives. Throws `upstream_rejected`.
 * After swaps the facet ignores `outputAmount` and asks for what is bridged times the multiplier, rounded
 * down; the multiplier has 18 decimals, so that a quote loses at most one unit, and one more for each 10^18
 * units bridged. Source: AcrossFacetV4.sol.
 */
export function guaranteeOfAcross(subject: Verification, call: AcrossCall): bigint {
  const { claim } = subject;
  const { bridge, facet, swaps } = call;
  checkParties(subject, call);
  checkTimes(subject, call);
  requireMatch(facet.outputAmount >= claim.toAmountMin, "across.outputAmount");
  const asked =
    swaps === null ? facet.outputAmount : (bridge.minAmount * facet.outputAmountMultiplier) / MULTIPLIER_BASE;
  const room = swaps === null ? 0n : bridge.minAmount / MULTIPLIER_BASE + 1n;
  requireMatch(asked + room >= claim.toAmountMin, "across.outputAmountMultiplier");
  requireMatch(asked <= claim.toAmount + room, "across.outputAmountMultiplier");
  checkRatio(subject, { asked, call });
  if (subject.request.call === null) requireMatch(facet.message === "0x", "across.message");
  else checkReceiverMessage(subject, { message: facet.message, guaranteed: asked });
  return asked;
}

function checkParties(subject: Verification, call: AcrossCall): void {
  const { request, destination } = subject;
  const { bridge, facet } = call;
  const receiver = request.call === null ? request.user : destination.receiverAcross;
  requireMatch(
    receiver !== null && isPaddedAddress(facet.receiverAddress, receiver),
    "across.receiverAddress",
  );
  requireMatch(isPaddedAddress(facet.refundAddress, request.user), "across.refundAddress");
  // A native amount is wrapped by the facet itself, which then ignores this field.
  const native = isNative(bridge.sendingAssetId);
  requireMatch(
    native || isPaddedAddress(facet.sendingAssetId, bridge.sendingAssetId),
    "across.sendingAssetId",
  );
  const delivered = deliveredToken(subject);
  requireMatch(
    delivered !== null && isPaddedAddress(facet.receivingAssetId, delivered),
    "across.receivingAssetId",
  );
}

/**
 * The token a relayer must send for the one asked for; null when Across cannot deliver it: its pool unwraps
 * the wrapped native token for an account without code, and a call takes tokens only.
 */
function deliveredToken({ request, destination }: Verification): Address | null {
  const wrapped = destination.wrappedNative;
  const asksNative = isNative(request.toToken);
  if (request.call !== null) return asksNative ? null : request.toToken;
  if (asksNative) return wrapped;
  return wrapped !== null && isAddressEqual(request.toToken, wrapped) ? null : request.toToken;
}

function checkTimes({ now }: Verification, { facet }: AcrossCall): void {
  requireMatch(facet.quoteTimestamp >= now - MAX_QUOTE_AGE, "across.quoteTimestamp");
  requireMatch(facet.quoteTimestamp <= now + CLOCK_SKEW, "across.quoteTimestamp");
  requireMatch(facet.fillDeadline >= now + MIN_FILL_TIME, "across.fillDeadline");
  requireMatch(facet.fillDeadline <= now + MAX_FILL_TIME, "across.fillDeadline");
  const parameter = facet.exclusivityParameter;
  const until = parameter > MAX_EXCLUSIVITY_PERIOD ? parameter : now + parameter;
  requireMatch(until <= now + MAX_EXCLUSIVITY, "across.exclusivityParameter");
}

/**
 * Across moves one asset, so that what arrives is at most what is sent, and not much less; without this a tiny
 * least amount of the source swap could hide behind a huge multiplier. After a swap the asset must be one we
 * know on both chains: a refund comes in it, and a worthless token would never be filled. Of tokens we do not
 * know, which the user holds already, the decimals count as equal.
 */
function checkRatio(subject: Verification, step: { asked: bigint; call: AcrossCall }): void {
  const { request, source, destination } = subject;
  const { asked, call } = step;
  const from = bridgedAssetOf(source.assets, call.bridge.sendingAssetId);
  const to = bridgedAssetOf(destination.assets, request.toToken);
  const swapped = !isAddressEqual(call.bridge.sendingAssetId, request.fromToken);
  requireMatch(!swapped || (from !== null && from.asset === to?.asset), "across.sendingAssetId");
  const known = from !== null && to !== null;
  const sent = call.bridge.minAmount * 10n ** BigInt(known ? to.decimals : 0);
  const arrives = asked * 10n ** BigInt(known ? from.decimals : 0);
  requireMatch(arrives <= sent, "across.outputAmountMultiplier");
  requireMatch(arrives * 2n >= sent, "across.outputAmountMultiplier");
}
