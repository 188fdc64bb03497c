import { type Address, isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { bridgedAssetOf } from "../../provider-bridged-assets.ts";
import type { AcrossCall } from "../decode/across-facet.ts";
import { isPaddedAddress, LIFI_VALID_SECONDS, requireMatch, type Verification } from "./lifi-verification.ts";
import { checkReceiverMessage } from "./verify-destination-call.ts";

/** Scale of the facet's `outputAmountMultiplier`. */
const MULTIPLIER_BASE = 10n ** 18n;
/**
 * Maximum age of an Across quote, in seconds. The SpokePool rejects quotes older than an hour; the difference leaves
 * the user time to send the transaction.
 */
const MAX_QUOTE_AGE = 3_600 - LIFI_VALID_SECONDS;
/** Maximum time by which the timestamp of an Across quote may be in the future, in seconds. */
const CLOCK_SKEW = 600;
/**
 * Minimum time until an Across deposit's fill deadline, after which an unfilled deposit is refunded, in seconds. It
 * leaves the user time to send the transaction, and a relayer time to fill it.
 */
const MIN_FILL_TIME = 600;
/** Maximum time until the fill deadline of an Across deposit, in seconds. */
const MAX_FILL_TIME = 86_400;
/** Maximum exclusivity period of an Across deposit (only one relayer may fill), in seconds. */
const MAX_EXCLUSIVITY = 600;
/**
 * Largest exclusivity parameter, in seconds, that the SpokePool interprets as a period from the deposit on
 * (one year). It interprets a larger value as a unix timestamp.
 */
const MAX_EXCLUSIVITY_PERIOD = 31_536_000;

/**
 * Verifies the calldata of LI.FI's Across facet and returns the guaranteed output, in the delivered token's smallest
 * unit. Throws `upstream_rejected`, and `no_route` if the destination call declares a higher input than is guaranteed.
 * Source: AcrossFacetV4.sol.
 */
export function verifyAcrossFacet(verification: Verification, call: AcrossCall): bigint {
  const { claim } = verification;
  const { bridge, facet, swaps } = call;
  checkParties(verification, call);
  checkTimes(verification, call);
  requireMatch(facet.outputAmount >= claim.toAmountMin, "across.outputAmount");
  // After swaps, the facet ignores `outputAmount` and delivers the bridged amount times the multiplier, rounded down.
  const output =
    swaps === null ? facet.outputAmount : (bridge.minAmount * facet.outputAmountMultiplier) / MULTIPLIER_BASE;
  const rounding = swaps === null ? 0n : bridge.minAmount / MULTIPLIER_BASE + 1n;
  requireMatch(output + rounding >= claim.toAmountMin, "across.outputAmountMultiplier");
  requireMatch(output <= claim.toAmount + rounding, "across.outputAmountMultiplier");
  checkRatio(verification, { output, call });
  if (verification.request.call === null) requireMatch(facet.message === "0x", "across.message");
  else checkReceiverMessage(verification, { message: facet.message, guaranteed: output });
  return output;
}

/**
 * Checks the receiver, the refund address and both tokens of an Across transfer. Throws `upstream_rejected`
 * if one does not match the request.
 */
function checkParties(verification: Verification, call: AcrossCall): void {
  const { request, destination } = verification;
  const { bridge, facet } = call;
  const receiver = request.call === null ? request.user : destination.receiverAcross;
  requireMatch(
    receiver !== null && isPaddedAddress(facet.receiverAddress, receiver),
    "across.receiverAddress",
  );
  requireMatch(isPaddedAddress(facet.refundAddress, request.user), "across.refundAddress");
  // The facet wraps native currency itself and then ignores this field.
  const native = isNative(bridge.sendingAssetId);
  requireMatch(
    native || isPaddedAddress(facet.sendingAssetId, bridge.sendingAssetId),
    "across.sendingAssetId",
  );
  const delivered = deliveredToken(verification);
  requireMatch(
    delivered !== null && isPaddedAddress(facet.receivingAssetId, delivered),
    "across.receivingAssetId",
  );
}

/**
 * Returns the token that a relayer must deliver so that the user receives the requested one, or null if Across cannot
 * deliver it: it unwraps the wrapped native token for a user, and a call needs an ERC-20 token.
 */
function deliveredToken({ request, destination }: Verification): Address | null {
  const wrapped = destination.wrappedNative;
  const asksNative = isNative(request.toToken);
  if (request.call !== null) return asksNative ? null : request.toToken;
  if (asksNative) return wrapped;
  return wrapped !== null && isAddressEqual(request.toToken, wrapped) ? null : request.toToken;
}

/**
 * Checks the quote's age, the fill deadline and the exclusivity period of an Across transfer. Throws
 * `upstream_rejected` if one is out of bounds.
 */
function checkTimes({ now }: Verification, { facet }: AcrossCall): void {
  requireMatch(facet.quoteTimestamp >= now - MAX_QUOTE_AGE, "across.quoteTimestamp");
  requireMatch(facet.quoteTimestamp <= now + CLOCK_SKEW, "across.quoteTimestamp");
  requireMatch(facet.fillDeadline >= now + MIN_FILL_TIME, "across.fillDeadline");
  requireMatch(facet.fillDeadline <= now + MAX_FILL_TIME, "across.fillDeadline");
  const parameter = facet.exclusivityParameter;
  const until = parameter > MAX_EXCLUSIVITY_PERIOD ? parameter : now + parameter;
  requireMatch(until <= now + MAX_EXCLUSIVITY, "across.exclusivityParameter");
  // A period starts with the deposit, at the latest when the quote expires.
  const end = parameter > MAX_EXCLUSIVITY_PERIOD ? parameter : until + LIFI_VALID_SECONDS;
  requireMatch(parameter === 0 || end < facet.fillDeadline, "across.exclusivityParameter");
}

/**
 * Checks that an Across transfer, which does not change the asset, delivers between half and all of the bridged amount.
 * Otherwise a huge multiplier could hide a tiny minimum of the source swap. Throws `upstream_rejected`.
 */
function checkRatio(verification: Verification, step: { output: bigint; call: AcrossCall }): void {
  const { request, source, destination } = verification;
  const { output, call } = step;
  const from = bridgedAssetOf(source.assets, call.bridge.sendingAssetId);
  const to = bridgedAssetOf(destination.assets, request.toToken);
  const swapped = !isAddressEqual(call.bridge.sendingAssetId, request.fromToken);
  requireMatch(!swapped || (from !== null && from.asset === to?.asset), "across.sendingAssetId");
  // Without a swap, the asset may be unlisted; both tokens are then assumed to have the same decimals.
  const known = from !== null && to !== null;
  const sent = call.bridge.minAmount * 10n ** BigInt(known ? to.decimals : 0);
  const delivered = output * 10n ** BigInt(known ? from.decimals : 0);
  requireMatch(delivered <= sent, "across.outputAmountMultiplier");
  requireMatch(delivered * 2n >= sent, "across.outputAmountMultiplier");
}
