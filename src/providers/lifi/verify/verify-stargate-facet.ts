import { isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { stargatePoolOf } from "../bridge-proof/stargate-and-cctp-contracts.ts";
import { decodeLayerZeroOptions, type StargateCall } from "../decode/stargate-facet.ts";
import { checkMaxLoss, isPaddedAddress, requireMatch, type Verification } from "./lifi-verification.ts";
import { checkReceiverMessage } from "./verify-destination-call.ts";

/** LI.FI's tool key for transfers by Stargate's bus. */
const BUS_TOOL = "stargateV2Bus";

/**
 * Verifies the calldata of LI.FI's Stargate facet and returns the guaranteed output, in the delivered token's smallest
 * unit. Throws `upstream_rejected`, and `no_route` if the destination call declares a higher input than is guaranteed.
 * Source: StargateFacetV2.sol.
 */
export function verifyStargateFacet(verification: Verification, call: StargateCall): bigint {
  const { request, source, destination, claim } = verification;
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
  checkMode(verification, call);
  const guaranteed = mulDivDown(
    sendParams.minAmountLD,
    10n ** BigInt(to.decimals),
    10n ** BigInt(from.decimals),
  );
  requireMatch(guaranteed >= claim.toAmountMin, "stargate.minAmountLD");
  requireMatch(guaranteed <= claim.toAmount, "stargate.minAmountLD");
  checkMaxLoss(bridge.minAmount, sendParams.minAmountLD);
  checkDelivery(verification, { call, guaranteed });
  return guaranteed;
}

/**
 * Checks that the transfer uses Stargate's mode of the quoted tool: bus (batched with other transfers) or
 * taxi (sent at once). Throws `upstream_rejected` if it does not.
 */
function checkMode({ claim }: Verification, { facet }: StargateCall): void {
  const bus = claim.tool === BUS_TOOL;
  requireMatch(facet.sendParams.oftCmd === (bus ? "0x00" : "0x"), "stargate.oftCmd");
}

/**
 * Checks receiver and message of a Stargate transfer, and the gas bought for its destination call. Throws
 * `upstream_rejected` if one does not match the request, and `no_route` as in `verifyStargateFacet`.
 */
function checkDelivery(verification: Verification, step: { call: StargateCall; guaranteed: bigint }): void {
  const { request, destination } = verification;
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
  checkReceiverMessage(verification, { message: composeMsg, guaranteed: step.guaranteed });
}
