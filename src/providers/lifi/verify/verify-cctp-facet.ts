import { isAddressEqual, zeroHash } from "viem";
import type { CelerCall, PolymerCall } from "../decode/cctp-facets.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import { checkMaxLoss, requireMatch, type Verification } from "./lifi-verification.ts";

/**
 * CCTP's finality thresholds: attested after confirmation (fast) or finalization (standard). Source:
 * developers.circle.com.
 */
const FAST = 1_000;
const STANDARD = 2_000;
/** Polymer's fee, which pays the gas of the mint, is capped at 1 % of the amount or at 5 USDC, whichever is more. */
const POLYMER_CAP_DIVISOR = 100n;
/** USDC's smallest unit. */
const POLYMER_CAP = 5_000_000n;

/**
 * Verifies a CCTP call through Celer and returns the guaranteed output, USDC's smallest unit. This is the claimed
 * minimum, checked against the amount that can be minted: Celer's proxy takes a fee that the calldata does not
 * contain. Throws `upstream_rejected`.
 */
export function guaranteeOfCeler(verification: Verification, call: CelerCall): bigint {
  checkUsdc(verification, call);
  const minted = call.bridge.minAmount - call.facet.maxFee;
  requireMatch(verification.claim.toAmountMin <= minted, "celer.maxFee");
  checkMaxLoss(call.bridge.minAmount, verification.claim.toAmountMin);
  return verification.claim.toAmountMin;
}

/**
 * Verifies a CCTP call through Polymer and returns the guaranteed output: the burned amount less the maximum fee,
 * USDC's smallest unit. LI.FI's own minimum uses the expected fee and may be higher. Throws `upstream_rejected`.
 */
export function guaranteeOfPolymer(verification: Verification, call: PolymerCall): bigint {
  const { claim, request } = verification;
  const { bridge, facet, swaps } = call;
  checkUsdc(verification, call);
  requireMatch(facet.nonEVMReceiver === zeroHash, "polymer.nonEVMReceiver");
  requireMatch(facet.solanaReceiverATA === zeroHash, "polymer.solanaReceiverATA");
  requireMatch(facet.hookData === "0x", "polymer.hookData");
  requireMatch(isAddressEqual(facet.refundRecipient, request.user), "polymer.refundRecipient");
  const cap = bridge.minAmount / POLYMER_CAP_DIVISOR;
  requireMatch(facet.polymerTokenFee <= (cap > POLYMER_CAP ? cap : POLYMER_CAP), "polymer.polymerTokenFee");
  const burned = bridge.minAmount - facet.polymerTokenFee;
  requireMatch(claim.toAmountMin <= burned, "polymer.polymerTokenFee");
  if (swaps === null || swaps.length === 1) requireMatch(claim.toAmount <= burned, "polymer.polymerTokenFee");
  const guaranteed = burned - facet.maxCCTPFee;
  requireMatch(guaranteed > 0n, "polymer.maxCCTPFee");
  requireMatch(guaranteed <= claim.toAmount, "toAmount");
  checkMaxLoss(bridge.minAmount, guaranteed);
  return guaranteed;
}

/** Checks that the call sends and delivers Circle's USDC, makes no destination call and uses the tool's speed. */
function checkUsdc(verification: Verification, call: CelerCall | PolymerCall): void {
  const { request, source, destination } = verification;
  const [from, to] = [source.circle?.usdc, destination.circle?.usdc];
  requireMatch(request.call === null, "bridge.hasDestinationCall");
  requireMatch(
    from !== undefined && isAddressEqual(call.bridge.sendingAssetId, from),
    "bridge.sendingAssetId",
  );
  requireMatch(to !== undefined && isAddressEqual(request.toToken, to), "action.toToken.address");
  // Our two CCTP bridges differ only in speed, and their prices depend on it.
  const fast = bridgeOfTool(verification.claim.tool)?.bridge.key === "cctp_fast";
  requireMatch(call.facet.minFinalityThreshold === (fast ? FAST : STANDARD), "minFinalityThreshold");
}
