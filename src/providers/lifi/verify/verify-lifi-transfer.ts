import { type Address, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import { deductParts } from "../../../lib/amount.ts";
import type { TransferRequest, VerifiedTransfer } from "../../provider.ts";
import type { LifiQuote } from "../api/lifi-schemas.ts";
import { type BridgeCall, decodeLifiCall, type LifiCall } from "../decode/decode-lifi-call.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import type { LifiDeployment, LifiDeployments } from "../lifi-deployments.ts";
import { quoteFromStep } from "../lifi-quote-from-step.ts";
import { requireMatch, type Verification } from "./lifi-verification.ts";
import { guaranteeOfAcross } from "./verify-across-facet.ts";
import { guaranteeOfCeler, guaranteeOfPolymer } from "./verify-cctp-facet.ts";
import {
  checkQuotedAction,
  checkTransactionEnvelope,
  type EntryPoint,
  readQuoteClaim,
} from "./verify-lifi-envelope.ts";
import { checkSwaps, guaranteeOfExecute, guaranteeOfSwap } from "./verify-lifi-swaps.ts";
import { guaranteeOfStargate } from "./verify-stargate-facet.ts";

/** Verifies a bridge call and returns the guaranteed output, smallest unit. Throws `upstream_rejected`. */
function guaranteeOfBridge(verification: Verification, call: BridgeCall): bigint {
  const { request, claim } = verification;
  requireMatch(request.fromChainId !== request.toChainId, "selector");
  // Receiver, token and amount of Relay's order are kept off chain; see decode/relay-facet.ts.
  requireMatch(call.kind !== "relay", "relay.orderId");
  const tool = bridgeOfTool(claim.tool);
  requireMatch(tool?.facet === call.kind, "tool");
  requireMatch(verification.source.bridges.includes(tool.facet), "tool");
  if (request.bridges !== null) requireMatch(request.bridges.includes(tool.bridge.key), "tool");
  checkBridgeData(verification, call);
  switch (call.kind) {
    case "across":
      return guaranteeOfAcross(verification, call);
    case "stargate":
      return guaranteeOfStargate(verification, call);
    case "celer":
      return guaranteeOfCeler(verification, call);
    case "polymer":
      return guaranteeOfPolymer(verification, call);
  }
}

function checkBridgeData(verification: Verification, call: BridgeCall): void {
  const { request, claim } = verification;
  const { bridge, swaps } = call;
  requireMatch(bridge.transactionId === claim.transactionId, "bridge.transactionId");
  requireMatch(bridge.bridge === claim.tool, "bridge.bridge");
  requireMatch(bridge.integrator === verification.integrator, "bridge.integrator");
  requireMatch(isAddressEqual(bridge.referrer, zeroAddress), "bridge.referrer");
  requireMatch(isAddressEqual(bridge.receiver, request.user), "bridge.receiver");
  requireMatch(bridge.destinationChainId === BigInt(request.toChainId), "bridge.destinationChainId");
  requireMatch(bridge.hasDestinationCall === (request.call !== null), "bridge.hasDestinationCall");
  requireMatch(bridge.hasSourceSwaps === (swaps !== null), "bridge.hasSourceSwaps");
  requireMatch(swaps === null || swaps.length > 0, "swaps.length");
  const end = checkSwaps(verification, swaps ?? []);
  requireMatch(isAddressEqual(bridge.sendingAssetId, end.token), "bridge.sendingAssetId");
  if (end.exact !== null) requireMatch(bridge.minAmount === end.exact, "bridge.minAmount");
}

/** Seconds for which LI.FI's quotes hold. Source: docs.li.fi. */
const VALID_SECONDS = 60;

/** The inputs of the verification of a LI.FI quote. */
export interface LifiVerifyInput {
  request: TransferRequest;
  quote: LifiQuote;
  deployments: LifiDeployments;
  /** Our integrator name, which the calldata must contain. */
  integrator: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Decodes a quote's transaction, compares every field with the request and returns the verified transfer, built only
 * from the request, the deployments in code and the calldata. Pure. Throws `upstream_rejected` with the differing
 * field in its cause.
 */
export function verifyLifiTransfer(input: LifiVerifyInput): VerifiedTransfer {
  const { request, quote } = input;
  const verification = toVerification(input);
  const call = decodeLifiCall(quote.transactionRequest.data);
  requireMatch(call !== null, "transactionRequest.data");
  const entry = entryPointOf(verification.source, call);
  const transaction = checkTransactionEnvelope(verification, { quote, entry });
  if (call.kind !== "stargate") requireMatch(verification.claim.feesOnTop === 0n, "feeCosts.included");
  const guaranteed = guaranteeOf(verification, call);
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
    validSeconds: VALID_SECONDS,
  };
}

function toVerification({ request, quote, deployments, integrator, now }: LifiVerifyInput): Verification {
  const source = deployments.get(request.fromChainId);
  const destination = deployments.get(request.toChainId);
  requireMatch(source !== undefined, "action.fromChainId");
  requireMatch(destination !== undefined, "action.toChainId");
  checkQuotedAction(request, quote);
  return { request, source, destination, integrator, now, claim: readQuoteClaim(request, quote) };
}

/** Returns the Executor and its proxy for a contract call on one chain, and the Diamond for every other call. */
function entryPointOf(source: LifiDeployment, call: LifiCall): EntryPoint {
  if (call.kind === "execute") return { target: source.executor, spender: source.erc20Proxy };
  return { target: source.diamond, spender: source.diamond };
}

function guaranteeOf(verification: Verification, call: LifiCall): bigint {
  if (call.kind === "swap") return guaranteeOfSwap(verification, call);
  if (call.kind === "execute") return guaranteeOfExecute(verification, call);
  return guaranteeOfBridge(verification, call);
}

/**
 * Checks the guaranteed output against the slippage limit; with a destination call its minimum was checked before.
 */
function checkFloor({ request, claim }: Verification, guaranteed: bigint): void {
  if (request.call !== null) return;
  requireMatch(guaranteed >= deductParts(claim.toAmount, request.slippage), "toAmountMin");
}

function executorOf({ request, destination }: Verification): Address | null {
  return request.call === null ? null : destination.executor;
}
