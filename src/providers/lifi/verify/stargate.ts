import { isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { poolOf } from "../bridge-contracts.ts";
import { decodeLayerZeroOptions } from "../decode/layerzero-options.ts";
import type { StargateCall } from "../decode/stargate.ts";
import { checkMessage } from "./message.ts";
import { checkKept, isWord, must, type Subject } from "./subject.ts";

const BUS_TOOL = "stargateV2Bus";

/**
 * Checks what Stargate is told and gives the least that arrives. Throws `upstream_rejected`.
 * The pool on the source chain reverts when less than `minAmountLD` would be credited. Source: StargateBase.sol.
 */
export function guaranteeOfStargate(subject: Subject, call: StargateCall): bigint {
  const { request, source, destination, claim } = subject;
  const { bridge, facet } = call;
  const { sendParams, fee } = facet;
  const from = poolOf(source.stargate, facet.assetId);
  const to = poolOf(destination.stargate, facet.assetId);
  must(from !== null && isAddressEqual(from.token, bridge.sendingAssetId), "stargate.assetId");
  must(to !== null && isAddressEqual(to.token, request.toToken), "stargate.assetId");
  must(sendParams.dstEid === destination.stargate?.endpointId, "stargate.dstEid");
  must(sendParams.amountLD === bridge.minAmount, "stargate.amountLD");
  must(fee.nativeFee === claim.feesOnTop, "stargate.nativeFee");
  must(fee.lzTokenFee === 0n, "stargate.lzTokenFee");
  must(isAddressEqual(facet.refundAddress, request.user), "stargate.refundAddress");
  checkMode(subject, call);
  const guaranteed = mulDivDown(
    sendParams.minAmountLD,
    10n ** BigInt(to.decimals),
    10n ** BigInt(from.decimals),
  );
  must(guaranteed >= claim.toAmountMin, "stargate.minAmountLD");
  must(guaranteed <= claim.toAmount, "stargate.minAmountLD");
  checkKept(bridge.minAmount, sendParams.minAmountLD);
  checkDelivery(subject, { call, guaranteed });
  return guaranteed;
}

/** Taxi sends at once, the bus waits for company and cannot carry a call. */
function checkMode({ claim }: Subject, { facet }: StargateCall): void {
  const bus = claim.tool === BUS_TOOL;
  must(facet.sendParams.oftCmd === (bus ? "0x00" : "0x"), "stargate.oftCmd");
}

function checkDelivery(subject: Subject, step: { call: StargateCall; guaranteed: bigint }): void {
  const { request, destination } = subject;
  const { to, extraOptions, composeMsg } = step.call.facet.sendParams;
  const options = decodeLayerZeroOptions(extraOptions);
  must(options !== null, "stargate.extraOptions");
  if (request.call === null) {
    must(isWord(to, request.user), "stargate.to");
    must(composeMsg === "0x", "stargate.composeMsg");
    must(options.composeGas === null, "stargate.extraOptions");
    return;
  }
  const receiver = destination.receiverStargate;
  must(receiver !== null && isWord(to, receiver), "stargate.to");
  must(!isNative(request.toToken), "stargate.assetId");
  must((options.composeGas ?? 0n) >= request.call.gasLimit, "stargate.extraOptions");
  checkMessage(subject, { message: composeMsg, guaranteed: step.guaranteed });
}
