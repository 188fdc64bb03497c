import { type Address, isAddressEqual, zeroAddress } from "viem";
import { isNative } from "../../../lib/address.ts";
import { deductParts } from "../../../lib/amount.ts";
import type { TransferRequest, VerifiedTransfer } from "../../provider.ts";
import type { LifiQuote } from "../api/lifi-schemas.ts";
import { type BridgeCall, decodeLifiCall, type LifiCall } from "../decode/decode-call.ts";
import type { LifiDeployment, LifiDeployments } from "../deployments.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import { quoteFromStep } from "../quote-from-step.ts";
import { requireMatch, type Verification } from "./verification.ts";
import { guaranteeOfAcross } from "./verify-across.ts";
import { guaranteeOfCeler, guaranteeOfPolymer } from "./verify-cctp.ts";
import {
  checkQuotedAction,
  checkTransactionEnvelope,
  type EntryPoint,
  readQuoteClaim,
} from "./verify-envelope.ts";
import { guaranteeOfStargate } from "./verify-stargate.ts";
import { checkSwaps, guaranteeOfExecute, guaranteeOfSwap } from "./verify-swaps.ts";

/**
 * Checks a bridging and gives the least that it delivers, smallest unit of the token asked for.
 * Throws `upstream_rejected`.
 */
function guaranteeOfBridge(subject: Verification, call: BridgeCall): bigint {
  const { request, claim } = subject;
  requireMatch(request.fromChainId !== request.toChainId, "selector");
  // Receiver, token and amount of Relay's order are kept off chain; see decode/relay.ts.
  requireMatch(call.kind !== "relay", "relay.orderId");
  const tool = bridgeOfTool(claim.tool);
  requireMatch(tool?.facet === call.kind, "tool");
  requireMatch(subject.source.bridges.includes(tool.facet), "tool");
  if (request.bridges !== null) requireMatch(request.bridges.includes(tool.bridge.key), "tool");
  checkBridgeData(subject, call);
  switch (call.kind) {
    case "across":
      return guaranteeOfAcross(subject, call);
    case "stargate":
      return guaranteeOfStargate(subject, call);
    case "celer":
      return guaranteeOfCeler(subject, call);
    case "polymer":
      return guaranteeOfPolymer(subject, call);
  }
}

function checkBridgeData(subject: Verification, call: BridgeCall): void {
  const { request, claim } = subject;
  const { bridge, swaps } = call;
  requireMatch(bridge.transactionId === claim.transactionId, "bridge.transactionId");
  requireMatch(bridge.bridge === claim.tool, "bridge.bridge");
  requireMatch(bridge.integrator === subject.integrator, "bridge.integrator");
  requireMatch(isAddressEqual(bridge.referrer, zeroAddress), "bridge.referrer");
  requireMatch(isAddressEqual(bridge.receiver, request.user), "bridge.receiver");
  requireMatch(bridge.destinationChainId === BigInt(request.toChainId), "bridge.destinationChainId");
  requireMatch(bridge.hasDestinationCall === (request.call !== null), "bridge.hasDestinationCall");
  requireMatch(bridge.hasSourceSwaps === (swaps !== null), "bridge.hasSourceSwaps");
  requireMatch(swaps === null || swaps.length > 0, "swaps.length");
  const end = checkSwaps(subject, swaps ?? []);
  requireMatch(isAddressEqual(bridge.sendingAssetId, end.token), "bridge.sendingAssetId");
  if (end.exact !== null) requireMatch(bridge.minAmount === end.exact, "bridge.minAmount");
}

/** How long LI.FI says its quotes hold. Source: docs.li.fi. */
const VALID_SECONDS = 60;

export interface LifiVerifyInput {
  request: TransferRequest;
  quote: LifiQuote;
  deployments: LifiDeployments;
  /** The name our calls are written for. */
  integrator: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Decodes a quote's transaction and compares it, field by field, with what was asked for; what it returns is
 * built from the request, from the tables in code and from the calldata. Pure.
 * Throws `upstream_rejected`, with the field in its cause.
 */
export function verifyLifiTransfer(input: LifiVerifyInput): VerifiedTransfer {
  const { request, quote } = input;
  const subject = toVerification(input);
  const call = decodeLifiCall(quote.transactionRequest.data);
  requireMatch(call !== null, "transactionRequest.data");
  const entry = entryPointOf(subject.source, call);
  const transaction = checkTransactionEnvelope(subject, { quote, entry });
  if (call.kind !== "stargate") requireMatch(subject.claim.feesOnTop === 0n, "feeCosts.included");
  const guaranteed = guaranteeOf(subject, call);
  checkFloor(subject, guaranteed);
  const native = isNative(request.fromToken);
  const toAmount = subject.claim.toAmount > guaranteed ? subject.claim.toAmount : guaranteed;
  return {
    ...quoteFromStep(quote, {
      toAmount,
      toAmountMin: guaranteed,
      callable: request.call !== null,
      plain: request.call === null,
    }),
    transaction,
    spender: native ? null : entry.spender,
    executor: executorOf(subject),
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

/** Contract calls on one chain enter by the Executor, which pulls through its proxy; all else by the Diamond. */
function entryPointOf(source: LifiDeployment, call: LifiCall): EntryPoint {
  if (call.kind === "execute") return { target: source.executor, spender: source.erc20Proxy };
  return { target: source.diamond, spender: source.diamond };
}

function guaranteeOf(subject: Verification, call: LifiCall): bigint {
  if (call.kind === "swap") return guaranteeOfSwap(subject, call);
  if (call.kind === "execute") return guaranteeOfExecute(subject, call);
  return guaranteeOfBridge(subject, call);
}

/** The loss that was allowed bounds what reaches the user; a call's own minimum was compared with its check. */
function checkFloor({ request, claim }: Verification, guaranteed: bigint): void {
  if (request.call !== null) return;
  requireMatch(guaranteed >= deductParts(claim.toAmount, request.slippage), "toAmountMin");
}

function executorOf({ request, destination }: Verification): Address | null {
  return request.call === null ? null : destination.executor;
}
