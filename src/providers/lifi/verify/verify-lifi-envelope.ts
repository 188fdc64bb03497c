import { type Address, type Hex, isAddressEqual } from "viem";
import { isNative, sameAddress } from "../../../lib/address.ts";
import type { TransferRequest } from "../../provider.ts";
import type { LifiQuote, LifiStep } from "../api/lifi-schemas.ts";
import { type QuoteClaim, requireMatch, type Verification } from "./lifi-verification.ts";

/**
 * Checks that the JSON of a LI.FI step names the requested chains, tokens and amount and, if it names a sender, the
 * user. Throws `upstream_rejected` if it does not.
 */
export function checkQuotedAction(request: TransferRequest, step: LifiStep): void {
  const { action, estimate } = step;
  requireMatch(action.fromChainId === request.fromChainId, "action.fromChainId");
  requireMatch(action.toChainId === request.toChainId, "action.toChainId");
  requireMatch(action.fromToken.chainId === request.fromChainId, "action.fromToken.chainId");
  requireMatch(sameAddress(action.fromToken.address, request.fromToken), "action.fromToken.address");
  requireMatch(action.toToken.chainId === request.toChainId, "action.toToken.chainId");
  requireMatch(sameAddress(action.toToken.address, request.toToken), "action.toToken.address");
  requireMatch(action.fromAmount === request.amount, "action.fromAmount");
  requireMatch(estimate.fromAmount === request.amount, "estimate.fromAmount");
  if (action.fromAddress != null)
    requireMatch(sameAddress(action.fromAddress, request.user), "action.fromAddress");
}

/**
 * Returns what a LI.FI quote's JSON states about the delivery (before any destination call), and the native fee that
 * the transaction's value adds to the amount. Throws `upstream_rejected` if they are missing or contradictory.
 */
export function readQuoteClaim(request: TransferRequest, quote: LifiQuote): QuoteClaim {
  const delivered = deliveredEstimate(request, quote);
  requireMatch(delivered.toAmountMin > 0n, "toAmountMin");
  requireMatch(delivered.toAmountMin <= delivered.toAmount, "toAmount");
  const feesOnTop = quote.transactionRequest.value - (isNative(request.fromToken) ? request.amount : 0n);
  requireMatch(feesOnTop >= 0n, "transactionRequest.value");
  return {
    tool: quote.tool,
    transactionId: quote.transactionId,
    toAmount: delivered.toAmount,
    toAmountMin: delivered.toAmountMin,
    feesOnTop,
  };
}

/**
 * Returns the expected and the minimum amount delivered, as stated in a LI.FI quote's JSON. With a destination call,
 * they are those of the step before it, because the quote's own amounts are the call's output. Without such a step, the
 * call spends the amount paid.
 */
function deliveredEstimate(
  request: TransferRequest,
  quote: LifiQuote,
): { toAmount: bigint; toAmountMin: bigint } {
  if (request.call === null) return quote.estimate;
  const before = quote.includedSteps.filter((step) => step.type !== "custom").at(-1);
  if (before?.estimate !== undefined) return before.estimate;
  requireMatch(sameAddress(request.fromToken, request.toToken), "includedSteps");
  return { toAmount: request.amount, toAmountMin: request.amount };
}

/** The contract that a LI.FI transaction must call, and the spender that the user approves for it. */
export interface EntryPoint {
  target: Address;
  spender: Address;
}

/**
 * Checks a LI.FI transaction's target, sender, chain, value and spender against the request and the deployment. Returns
 * the transaction, with its value in wei. Throws `upstream_rejected` if a check fails.
 */
export function checkTransactionEnvelope(
  verification: Verification,
  answer: { quote: LifiQuote; entry: EntryPoint },
): { to: Address; data: Hex; value: bigint } {
  const { request, claim } = verification;
  const { transactionRequest, action, estimate } = answer.quote;
  const native = isNative(request.fromToken);
  requireMatch(isAddressEqual(transactionRequest.to, answer.entry.target), "transactionRequest.to");
  requireMatch(isAddressEqual(transactionRequest.from, request.user), "transactionRequest.from");
  requireMatch(transactionRequest.chainId === request.fromChainId, "transactionRequest.chainId");
  requireMatch(claim.feesOnTop <= verification.source.maxNativeFee, "transactionRequest.value");
  requireMatch(
    native || isAddressEqual(estimate.approvalAddress, answer.entry.spender),
    "estimate.approvalAddress",
  );
  if (request.call === null && action.toAddress != null) {
    requireMatch(sameAddress(action.toAddress, request.user), "action.toAddress");
  }
  return { to: answer.entry.target, data: transactionRequest.data, value: transactionRequest.value };
}
