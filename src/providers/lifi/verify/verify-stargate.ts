import { isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { stargatePoolOf } from "../bridge-contracts.ts";
import type { StargateCall } from "../decode/stargate-facet.ts";
import { decodeLayerZeroOptions } from "../decode/stargate-facet.ts";
import { checkMaxLoss, isPaddedAddress, requireMatch, type Verification } from "./verification.ts";
import { checkReceiverMessage } from "./verify-destination-call.ts";

const BUS_TOOL = "stargateV2Bus";

/**
 * Checks what Stargate is told and gives the least that arrives. Throws `upstream_rejected`.
 * The pool on the source chain reverts when less than `minAmountLD` would be credited. Source: StargateBase.sol.
 */
export function guaranteeOfStargate(subject: Verification, call: StargateCall): bigint {
  const { request, source, destination, claim } = subject;
  const { bridge, facet } = call;
  const { sendParams, fee } = facet;
  const from = stargatePoolOf(source.stargate, facet.assetId);
  const to = stargatePoolOf(destination.stargate, facet.assetId);
  requireMatch(from !== null && isAddressEqual(from.token, bridge.sendingAssetId), "stargate.assetId");
  requireMatch(to !== null && isAddressEqual(to.token, request.toToken), "stargate.assetId");
  requireMatch(sendParams.dstEid === destination.stargate?.endpointId, "stargate.dstEid");
  requireMatch(sendParams.amountLD === bridge.minAmount, "stargate.amountLD");
  requireMatch(fee.nativeFee === claim.feesOnTop, "stargate.nativeFee");
  requireMatch(fee.lzTokenFee === 0n, "stargate.lzTokenFee");
  requireMatch(isAddressEqual(facet.refundAddress, request.user), "stargate.refundAddress");
  checkMode(subject, call);
  const guaranteed = mulDivDown(
    sendParams.minAmountLD,
    10n ** BigInt(to.decimals),
    10n ** BigInt(from.decimals),
  );
  requireMatch(guaranteed >= claim.toAmountMin, "stargate.minAmountLD");
  requireMatch(guaranteed <= claim.toAmount, "stargate.minAmountLD");
  checkMaxLoss(bridge.minAmount, sendParams.minAmountLD);
  checkDelivery(subject, { call, guaranteed });
  return guaranteed;
}

/** Taxi sends at once, the bus waits for company and cannot carry a call. */
function checkMode({ claim }: Verification, { facet }: StargateCall): void {
  const bus = claim.tool === BUS_TOOL;
  requireMatch(facet.sendParams.oftCmd === (bus ? "0x00" : "0x"), "stargate.oftCmd");
}

function checkDelivery(subject: Verification, step: { call: StargateCall; guaranteed: bigint }): void {
  const { request, destination } = subject;
  const { to, extraOptions, composeMsg } = step.call.facet.sendParams;
  const options = decodeLayerZeroOptions(extraOptions);
  requireMatch(options !== null, "stargate.extraOptions");
  if (request.call === null) {
    requireMatch(isPaddedAddress(to, request.user), "stargate.to");
    requireMatch(composeMsg === "0x", "stargate.composeMsg");
    requireMatch(options.composeGas === null, "stargate.extraOptions");
    return;
  }
  const receiver = destination.receiverStargate;
  requireMatch(receiver !== null && isPaddedAddress(to, receiver), "stargate.to");
  requireMatch(!isNative(request.toToken), "stargate.assetId");
  requireMatch((options.composeGas ?? 0n) >= request.call.gasLimit, "stargate.extraOptions");
  checkReceiverMessage(subject, { message: composeMsg, guaranteed: step.guaranteed });
}
