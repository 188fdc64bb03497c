import { type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import { decodeCanonical } from "../decode/canonical.ts";
import { receiverMessageParameters, type SwapData } from "../decode/lifi-structs.ts";
import { requireMatch, type Verification } from "./verification.ts";

/**
 * Checks what LI.FI's receiver is told to do with the delivery: exactly the call that was asked for, byte for
 * byte, for the user, spending no more than is guaranteed to arrive. Throws `upstream_rejected`.
 */
export function checkReceiverMessage(
  subject: Verification,
  delivery: { message: Hex; guaranteed: bigint },
): void {
  const values = decodeCanonical(receiverMessageParameters(), delivery.message);
  requireMatch(values !== null, "message");
  const [transactionId, swaps, receiver] = values;
  requireMatch(transactionId === subject.claim.transactionId, "message.transactionId");
  requireMatch(isAddressEqual(receiver, subject.request.user), "message.receiver");
  const [call] = swaps;
  requireMatch(call !== undefined && swaps.length === 1, "message.swaps.length");
  checkDestinationCall(subject, { call, guaranteed: delivery.guaranteed });
}

/**
 * Checks that a call is the one asked for. What it declares to spend lies between the least it needs and what
 * is guaranteed: older executors refuse to spend more than they hold. What it declares to give is the
 * delivered token or nothing, both of which only name what else is returned to the user.
 */
export function checkDestinationCall(
  subject: Verification,
  step: { call: SwapData; guaranteed: bigint },
): void {
  const { request } = subject;
  const { call, guaranteed } = step;
  const wanted = request.call;
  requireMatch(wanted !== null, "call");
  requireMatch(isAddressEqual(call.callTo, wanted.target), "call.callTo");
  requireMatch(isAddressEqual(call.approveTo, wanted.target), "call.approveTo");
  requireMatch(call.callData.toLowerCase() === wanted.data.toLowerCase(), "call.callData");
  requireMatch(!isNative(request.toToken), "call.sendingAssetId");
  requireMatch(isAddressEqual(call.sendingAssetId, request.toToken), "call.sendingAssetId");
  const gives = [request.toToken, zeroAddress];
  requireMatch(
    gives.some((token) => isAddressEqual(token, call.receivingAssetId)),
    "call.receivingAssetId",
  );
  requireMatch(call.fromAmount >= wanted.minIn, "call.fromAmount");
  requireMatch(call.fromAmount <= guaranteed, "call.fromAmount");
}
