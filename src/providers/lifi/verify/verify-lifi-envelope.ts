import { type Address, type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative, sameAddress } from "../../../lib/address.ts";
import type { TransferRequest } from "../../provider.ts";
import type { LifiQuote, LifiStep } from "../api/lifi-schemas.ts";
import { type QuoteClaim, requireMatch, type Verification } from "./lifi-verification.ts";

/** Compares a quote's summary with the request: chains, tokens, amount, sender. Throws `upstream_rejected`. */
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
  if (action.fromAddress !== undefined)
    requireMatch(sameAddress(action.fromAddress, request.user), "action.fromAddress");
}

/** Reads a quote's claims about amounts and fees. Throws `upstream_rejected` when they contradict each other. */
export function readQuoteClaim(request: TransferRequest, quote: LifiQuote): QuoteClaim {
  const delivered = deliveredEstimate(request, quote);
  requireMatch(delivered.toAmountMin > 0n, "toAmountMin");
  requireMatch(delivered.toAmountMin <= delivered.toAmount, "toAmount");
  const fees = quote.estimate.feeCosts ?? [];
  const taken = fees.filter((fee) => fee.included && fee.feeSplit !== undefined);
  const onTop = fees.filter((fee) => !fee.included);
  for (const fee of onTop) {
    requireMatch(sameAddress(fee.token.address, zeroAddress), "feeCosts.token");
    requireMatch(fee.token.chainId === request.fromChainId, "feeCosts.token.chainId");
  }
  for (const fee of taken) requireMatch(sameAddress(fee.token.address, request.fromToken), "feeCosts.token");
  const sum = (costs: typeof fees): bigint => costs.reduce((total, fee) => total + fee.amount, 0n);
  return {
    tool: quote.tool,
    transactionId: quote.transactionId,
    toAmount: delivered.toAmount,
    toAmountMin: delivered.toAmountMin,
    takenFees: taken.length > 0 ? sum(taken) : null,
    feesOnTop: sum(onTop),
  };
}

/**
 * Returns the delivered amounts. With a destination call the top-level amounts are the call's output, so the step
 * before it counts.
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

/** The contract that a transaction must call, and the spender that the user approves for it. */
export interface EntryPoint {
  target: Address;
  spender: Address;
}

/** Compares target, sender, chain and value of the transaction with the request. Throws `upstream_rejected`. */
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
  requireMatch(claim.feesOnTop <= verification.source.maxNativeFee, "feeCosts.amount");
  const value = (native ? request.amount : 0n) + claim.feesOnTop;
  requireMatch(transactionRequest.value === value, "transactionRequest.value");
  requireMatch(
    native || isAddressEqual(estimate.approvalAddress, answer.entry.spender),
    "estimate.approvalAddress",
  );
  if (request.call === null && action.toAddress !== undefined) {
    requireMatch(sameAddress(action.toAddress, request.user), "action.toAddress");
  }
  return { to: answer.entry.target, data: transactionRequest.data, value };
}
