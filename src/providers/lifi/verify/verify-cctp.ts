import { isAddressEqual, zeroHash } from "viem";
import type { CelerCall, PolymerCall } from "../decode/cctp-facets.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import { checkMaxLoss, requireMatch, type Verification } from "./verification.ts";

/** Finality thresholds of CCTP: attested when confirmed, or when finalized. Source: developers.circle.com. */
const FAST = 1_000;
const STANDARD = 2_000;
/**
 * The most that Polymer may take for itself of what it carries, as a divisor, or in all where that is more: it pays the
 * gas of the mint. USDC's smallest unit.
 */
const POLYMER_CAP_DIVISOR = 100n;
const POLYMER_CAP = 5_000_000n;

/**
 * Checks CCTP through Celer and gives the least that arrives: what is claimed, under what can be minted.
 * Celer's proxy takes a fee of its own that the calldata does not show. Throws `upstream_rejected`.
 */
export function guaranteeOfCeler(subject: Verification, call: CelerCall): bigint {
  checkUsdc(subject, call);
  const minted = call.bridge.minAmount - call.facet.maxFee;
  requireMatch(subject.claim.toAmountMin <= minted, "celer.maxFee");
  checkMaxLoss(call.bridge.minAmount, subject.claim.toAmountMin);
  return subject.claim.toAmountMin;
}

/**
 * Checks CCTP through Polymer and gives the least that arrives: what is burned less the largest fees. LI.FI's
 * own minimum counts the expected fee and may lie above. Throws `upstream_rejected`.
 */
export function guaranteeOfPolymer(subject: Verification, call: PolymerCall): bigint {
  const { claim, request } = subject;
  const { bridge, facet, swaps } = call;
  checkUsdc(subject, call);
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

/** CCTP burns and mints Circle's own USDC, and has no call at the end. */
function checkUsdc(subject: Verification, call: CelerCall | PolymerCall): void {
  const { request, source, destination } = subject;
  const [from, to] = [source.circle?.usdc, destination.circle?.usdc];
  requireMatch(request.call === null, "bridge.hasDestinationCall");
  requireMatch(
    from !== undefined && isAddressEqual(call.bridge.sendingAssetId, from),
    "bridge.sendingAssetId",
  );
  requireMatch(to !== undefined && isAddressEqual(request.toToken, to), "action.toToken.address");
  // The speed is what sets the two bridges of CCTP apart, and what their prices are for.
  const fast = bridgeOfTool(subject.claim.tool)?.bridge.key === "cctp_fast";
  requireMatch(call.facet.minFinalityThreshold === (fast ? FAST : STANDARD), "minFinalityThreshold");
}
