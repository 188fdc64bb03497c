import { type Address, isAddressEqual } from "viem";
import { isNative } from "../../../lib/address.ts";
import { deductParts } from "../../../lib/amount.ts";
import type { TransferRequest, VerifiedTransfer } from "../../provider.ts";
import type { LifiQuote } from "../api/lifi-schemas.ts";
import { type BridgeCall, decodeLifiCall, type LifiCall } from "../decode/decode-lifi-call.ts";
import type { SwapData } from "../decode/lifi-structs.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import type { LifiDeployment, LifiDeployments } from "../lifi-deployments.ts";
import { quoteFromStep } from "../lifi-quote-from-step.ts";
import { LIFI_VALID_SECONDS, requireMatch, type Verification } from "./lifi-verification.ts";
import { verifyAcrossFacet } from "./verify-across-facet.ts";
import { verifyCelerFacet, verifyPolymerFacet } from "./verify-cctp-facet.ts";
import {
  checkQuotedAction,
  checkTransactionEnvelope,
  type EntryPoint,
  readQuoteClaim,
} from "./verify-lifi-envelope.ts";
import { checkSwaps, isSwap, verifyExecuteCall, verifySwapCall } from "./verify-lifi-swaps.ts";
import { verifyStargateFacet } from "./verify-stargate-facet.ts";

/**
 * Verifies the calldata of a bridge transfer and returns the guaranteed output, in the delivered token's smallest unit.
 * Throws the errors of `verifyLifiTransfer`.
 */
function verifyBridgeCall(verification: Verification, call: BridgeCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId !== request.toChainId, "selector");
  // Relay keeps an order's receiver, token and amount off chain; see decode/relay-facet.ts.
  requireMatch(call.kind !== "relay", "relay.orderId");
  const tool = bridgeOfTool(claim.tool);
  requireMatch(tool?.facet === call.kind, "tool");
  requireMatch(verification.source.bridges.includes(tool.facet), "tool");
  if (request.bridges !== null) requireMatch(request.bridges.includes(tool.bridge.key), "tool");
  checkBridgeData(verification, call);
  switch (call.kind) {
    case "across":
      return verifyAcrossFacet(verification, call);
    case "stargate":
      return verifyStargateFacet(verification, call);
    case "celer":
      return verifyCelerFacet(verification, call);
    case "polymer":
      return verifyPolymerFacet(verification, call);
  }
}

/**
 * Checks the parameters that all of LI.FI's bridge facets share, and the swaps before the bridge. Throws
 * `upstream_rejected` if one does not match the request.
 */
function checkBridgeData(verification: Verification, call: BridgeCall): void {
  const { request, claim } = verification;
  const { bridge, swaps } = call;
  requireMatch(bridge.transactionId === claim.transactionId, "bridge.transactionId");
  requireMatch(bridge.bridge === claim.tool, "bridge.bridge");
  requireMatch(isAddressEqual(bridge.receiver, request.user), "bridge.receiver");
  requireMatch(bridge.destinationChainId === BigInt(request.toChainId), "bridge.destinationChainId");
  requireMatch(bridge.hasDestinationCall === (request.call !== null), "bridge.hasDestinationCall");
  requireMatch(bridge.hasSourceSwaps === (swaps !== null), "bridge.hasSourceSwaps");
  requireMatch(swaps === null || swaps.length > 0, "swaps.length");
  const end = checkSwaps(verification, swaps ?? []);
  requireMatch(isAddressEqual(bridge.sendingAssetId, end.token), "bridge.sendingAssetId");
  if (end.exact !== null) requireMatch(bridge.minAmount === end.exact, "bridge.minAmount");
}

/** A LI.FI quote, and the request, deployments and time against which it is verified. */
export interface LifiVerifyInput {
  request: TransferRequest;
  quote: LifiQuote;
  deployments: LifiDeployments;
  /** Current time in unix seconds. */
  now: number;
}

/**
 * Decodes the transaction of a LI.FI quote, compares tokens, amounts and receivers with the request, and returns the
 * verified transfer. An exchange's calldata stays opaque. Throws `upstream_rejected`, and `no_route` if the destination
 * call declares a higher input than is guaranteed.
 */
export function verifyLifiTransfer(input: LifiVerifyInput): VerifiedTransfer {
  const { request, quote } = input;
  const verification = toVerification(input);
  const call = decodeLifiCall(quote.transactionRequest.data);
  requireMatch(call !== null, "transactionRequest.data");
  const entry = entryPointOf(verification.source, call);
  const transaction = checkTransactionEnvelope(verification, { quote, entry });
  const { feesOnTop } = verification.claim;
  if (call.kind !== "stargate") requireMatch(feesOnTop === 0n, "transactionRequest.value");
  const guaranteed = verifyLifiCall(verification, call);
  checkFloor(verification, guaranteed);
  const native = isNative(request.fromToken);
  const toAmount = verification.claim.toAmount > guaranteed ? verification.claim.toAmount : guaranteed;
  return {
    ...quoteFromStep(quote, {
      toAmount,
      toAmountMin: guaranteed,
      supportsCall: request.call !== null,
      supportsPlain: request.call === null,
    }),
    transaction,
    spender: native ? null : entry.spender,
    executor: executorOf(verification),
    tool: quote.tool,
    validSeconds: LIFI_VALID_SECONDS,
    swaps: swapsOf(call).some((swap) => isSwap(swap)),
    nativeFee: feesOnTop,
    ...stepUseOf(call, request),
  };
}

/** Returns the swaps and fee payments of a call. The last entry of `execute` is the destination call. */
const swapsOf = (call: LifiCall): readonly SwapData[] =>
  call.kind === "execute" ? call.swaps.slice(0, -1) : (call.swaps ?? []);

/** Byte offset of the receiver in the swap functions of GenericSwapFacetV3: the fourth word after the selector. */
const SWAP_RECEIVER_OFFSET = 100;

/**
 * Returns how a call can be a step of a Router order: a swap with the receiver in a fixed word, or a bridge that names
 * the user as refund address. Returns an empty object for all other calls, which only the user may send.
 */
function stepUseOf(call: LifiCall, { fromToken }: TransferRequest): Pick<VerifiedTransfer, "asStep"> {
  const { kind } = call;
  if (kind !== "swap" && kind !== "across" && kind !== "stargate") return {};
  const receiverOffset = kind === "swap" ? SWAP_RECEIVER_OFFSET : null;
  // What is left of the last swap's token is delivered or bridged. Fee payments do not change the token.
  const between = swapsOf(call)
    .slice(0, -1)
    .map(({ receivingAssetId }) => receivingAssetId)
    .filter((token) => !isNative(token) && !isAddressEqual(token, fromToken));
  return { asStep: { receiverOffset, leftovers: [...new Set(between)] } };
}

/**
 * Collects what a LI.FI quote is checked against. Throws `upstream_rejected` if the quote's JSON does not match the
 * request.
 */
function toVerification({ request, quote, deployments, now }: LifiVerifyInput): Verification {
  const source = deployments.get(request.fromChainId);
  const destination = deployments.get(request.toChainId);
  requireMatch(source !== undefined, "action.fromChainId");
  requireMatch(destination !== undefined, "action.toChainId");
  checkQuotedAction(request, quote);
  return { request, source, destination, now, claim: readQuoteClaim(request, quote) };
}

/**
 * Returns the contract to call and the spender to approve: the Executor and its ERC-20 proxy for a contract
 * call on one chain, the Diamond for every other call.
 */
function entryPointOf(source: LifiDeployment, call: LifiCall): EntryPoint {
  if (call.kind === "execute") return { target: source.executor, spender: source.erc20Proxy };
  return { target: source.diamond, spender: source.diamond };
}

/**
 * Verifies the calldata of a LI.FI transaction and returns the guaranteed amount delivered, in the smallest unit of the
 * delivered token. Throws the errors of `verifyLifiTransfer`.
 */
function verifyLifiCall(verification: Verification, call: LifiCall): bigint {
  if (call.kind === "swap") return verifySwapCall(verification, call);
  if (call.kind === "execute") return verifyExecuteCall(verification, call);
  return verifyBridgeCall(verification, call);
}

/**
 * Throws `upstream_rejected` if a transfer to the user guarantees less than its expected output minus the slippage.
 * With a destination call, the call's own minimum applies instead, which was checked before.
 */
function checkFloor({ request, claim }: Verification, guaranteed: bigint): void {
  if (request.call !== null) return;
  requireMatch(guaranteed >= deductParts(claim.toAmount, request.slippage), "toAmountMin");
}

/** Returns the Executor that makes the destination call on the destination chain, or null without a call. */
function executorOf({ request, destination }: Verification): Address | null {
  return request.call === null ? null : destination.executor;
}
