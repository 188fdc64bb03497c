import { type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import { decodeExact } from "../decode/exact.ts";
import { messageParameters, type SwapData } from "../decode/structs.ts";
import { must, type Subject } from "./subject.ts";

/**
 * Checks what LI.FI's receiver is told to do with the delivery: exactly the call that was asked for, byte for
 * byte, for the user, spending no more than is guaranteed to arrive. Throws `upstream_rejected`.
 */
export function checkMessage(subject: Subject, delivery: { message: Hex; guaranteed: bigint }): void {
  const values = decodeExact(messageParameters(), delivery.message);
  must(values !== null, "message");
  const [transactionId, swaps, receiver] = values;
  must(transactionId === subject.claim.transactionId, "message.transactionId");
  must(isAddressEqual(receiver, subject.request.user), "message.receiver");
  const [call] = swaps;
  must(call !== undefined && swaps.length === 1, "message.swaps.length");
  checkFinalCall(subject, { call, guaranteed: delivery.guaranteed });
}

/**
 * Checks that a call is the one asked for. What it declares to spend lies between the least it needs and what
 * is guaranteed: older executors refuse to spend more than they hold. What it declares to give is the
 * delivered token or nothing, both of which only name what else is returned to the user.
 */
export function checkFinalCall(subject: Subject, step: { call: SwapData; guaranteed: bigint }): void {
  const { request } = subject;
  const { call, guaranteed } = step;
  const wanted = request.call;
  must(wanted !== null, "call");
  must(isAddressEqual(call.callTo, wanted.target), "call.callTo");
  must(isAddressEqual(call.approveTo, wanted.target), "call.approveTo");
  must(call.callData.toLowerCase() === wanted.data.toLowerCase(), "call.callData");
  must(!isNative(request.toToken), "call.sendingAssetId");
  must(isAddressEqual(call.sendingAssetId, request.toToken), "call.sendingAssetId");
  const gives = [request.toToken, zeroAddress];
  must(
    gives.some((token) => isAddressEqual(token, call.receivingAssetId)),
    "call.receivingAssetId",
  );
  must(call.fromAmount >= wanted.minIn, "call.fromAmount");
  must(call.fromAmount <= guaranteed, "call.fromAmount");
}
