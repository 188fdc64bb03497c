import { isAddressEqual, zeroHash } from "viem";
import type { CelerCall, PolymerCall } from "../decode/cctp-facets.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import { checkMaxLoss, requireMatch, type Verification } from "./lifi-verification.ts";

/**
 * CCTP's finality threshold of a fast transfer, which is attested when the burn is confirmed. Source:
 * developers.circle.com.
 */
const FAST = 1_000;
/** CCTP's finality threshold of a standard transfer, which is attested when the burn is finalized. */
const STANDARD = 2_000;
/**
 * Divisor for the relative cap on Polymer's fee, which pays the gas of the mint: 1% of the amount. The higher of this
 * cap and `POLYMER_CAP` applies.
 */
const POLYMER_CAP_DIVISOR = 100n;
/** Absolute cap on Polymer's fee, in USDC's smallest unit: 5 USDC. */
const POLYMER_CAP = 5_000_000n;

/**
 * Verifies the calldata of a CCTP transfer through Celer and returns the quote's minimum output, in USDC's smallest
 * unit. No contract enforces it, because the calldata does not bound the fee of Celer's proxy. Throws
 * `upstream_rejected`. Source: CelerCircleBridgeFacet.sol.
 */
export function verifyCelerFacet(verification: Verification, call: CelerCall): bigint {
  checkUsdc(verification, call);
  const minted = call.bridge.minAmount - call.facet.maxFee;
  requireMatch(verification.claim.toAmountMin <= minted, "celer.maxFee");
  checkMaxLoss(call.bridge.minAmount, verification.claim.toAmountMin);
  return verification.claim.toAmountMin;
}

/**
 * Verifies the calldata of a CCTP transfer through Polymer and returns the guaranteed output, in USDC's smallest unit:
 * the burned amount less the maximum CCTP fee. Throws `upstream_rejected`. Source: PolymerCCTPFacet.sol.
 */
export function verifyPolymerFacet(verification: Verification, call: PolymerCall): bigint {
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

/**
 * Checks that a CCTP transfer sends and delivers Circle's USDC, makes no destination call, and is fast or standard like
 * the quoted tool. Throws `upstream_rejected` if it does not match.
 */
function checkUsdc(verification: Verification, call: CelerCall | PolymerCall): void {
  const { request, source, destination } = verification;
  const [from, to] = [source.circle?.usdc, destination.circle?.usdc];
  requireMatch(request.call === null, "bridge.hasDestinationCall");
  requireMatch(
    from !== undefined && isAddressEqual(call.bridge.sendingAssetId, from),
    "bridge.sendingAssetId",
  );
  requireMatch(to !== undefined && isAddressEqual(request.toToken, to), "action.toToken.address");
  // The two CCTP bridges differ only in speed, and their prices depend on it.
  const fast = bridgeOfTool(verification.claim.tool)?.bridge.key === "cctp_fast";
  requireMatch(call.facet.minFinalityThreshold === (fast ? FAST : STANDARD), "minFinalityThreshold");
}
