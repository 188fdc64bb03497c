import { type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import { noLifiRoute } from "../api/lifi-errors.ts";
import { decodeCanonical } from "../decode/lifi-canonical-decoding.ts";
import { receiverMessageParameters, type SwapData } from "../decode/lifi-structs.ts";
import { requireMatch, type Verification } from "./lifi-verification.ts";

/**
 * Verifies that a bridge's message to LI.FI's receiver contract contains the requested destination call alone, and
 * names the user as receiver. `guaranteed` is in the delivered token's smallest unit. Throws the errors of
 * `checkDestinationCall`.
 */
export function checkReceiverMessage(
  verification: Verification,
  delivery: { message: Hex; guaranteed: bigint },
): void {
  const values = decodeCanonical(receiverMessageParameters(), delivery.message);
  requireMatch(values !== null, "message");
  const [transactionId, swaps, receiver] = values;
  requireMatch(transactionId === verification.claim.transactionId, "message.transactionId");
  requireMatch(isAddressEqual(receiver, verification.request.user), "message.receiver");
  const [call] = swaps;
  requireMatch(call !== undefined && swaps.length === 1, "message.swaps.length");
  checkDestinationCall(verification, { call, guaranteed: delivery.guaranteed });
}

/**
 * Verifies that a decoded call is the requested destination call, with an input of at least its `minIn` and at most
 * `guaranteed`, in the delivered token's smallest unit. Throws `upstream_rejected`, and `no_route` if the input exceeds
 * `guaranteed`, because older Executors would revert.
 */
export function checkDestinationCall(
  verification: Verification,
  step: { call: SwapData; guaranteed: bigint },
): void {
  const { request } = verification;
  const { call, guaranteed } = step;
  const requested = request.call;
  requireMatch(requested !== null, "call");
  requireMatch(isAddressEqual(call.callTo, requested.target), "call.callTo");
  requireMatch(isAddressEqual(call.approveTo, requested.target), "call.approveTo");
  requireMatch(call.callData.toLowerCase() === requested.data.toLowerCase(), "call.callData");
  requireMatch(!isNative(request.toToken), "call.sendingAssetId");
  requireMatch(isAddressEqual(call.sendingAssetId, request.toToken), "call.sendingAssetId");
  const outputs = [request.toToken, zeroAddress];
  requireMatch(
    outputs.some((token) => isAddressEqual(token, call.receivingAssetId)),
    "call.receivingAssetId",
  );
  requireMatch(call.fromAmount >= requested.minIn, "call.fromAmount");
  // An honest response may declare more, too. As the call could then fail, only this delivery is refused, not LI.FI.
  if (call.fromAmount > guaranteed) throw noLifiRoute(["minimum_not_guaranteed"]);
}
