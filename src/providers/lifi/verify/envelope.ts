import { type Address, type Hex, isAddressEqual, zeroAddress } from "viem";
import { isNative, sameAddress } from "../../../lib/address.ts";
import type { MoveRequest } from "../../provider.ts";
import type { LifiQuote, LifiStep } from "../schema.ts";
import { type Claim, must, type Subject } from "./subject.ts";

/** Compares an answer's summary with the request: chains, tokens, amount, sender. Throws `upstream_rejected`. */
export function checkAction(request: MoveRequest, step: LifiStep): void {
  const { action, estimate } = step;
  must(action.fromChainId === request.fromChainId, "action.fromChainId");
  must(action.toChainId === request.toChainId, "action.toChainId");
  must(action.fromToken.chainId === request.fromChainId, "action.fromToken.chainId");
  must(sameAddress(action.fromToken.address, request.fromToken), "action.fromToken.address");
  must(action.toToken.chainId === request.toChainId, "action.toToken.chainId");
  must(sameAddress(action.toToken.address, request.toToken), "action.toToken.address");
  must(action.fromAmount === request.amount, "action.fromAmount");
  must(estimate.fromAmount === request.amount, "estimate.fromAmount");
  if (action.fromAddress !== undefined)
    must(sameAddress(action.fromAddress, request.user), "action.fromAddress");
}

/** Reads what an answer claims about amounts and fees. Throws `upstream_rejected` when it contradicts itself. */
export function readClaim(request: MoveRequest, quote: LifiQuote): Claim {
  const delivered = deliveredEstimate(request, quote);
  must(delivered.toAmountMin > 0n, "toAmountMin");
  must(delivered.toAmountMin <= delivered.toAmount, "toAmount");
  const fees = quote.estimate.feeCosts ?? [];
  const taken = fees.filter((fee) => fee.included && fee.feeSplit !== undefined);
  const onTop = fees.filter((fee) => !fee.included);
  for (const fee of onTop) {
    must(sameAddress(fee.token.address, zeroAddress), "feeCosts.token");
    must(fee.token.chainId === request.fromChainId, "feeCosts.token.chainId");
  }
  for (const fee of taken) must(sameAddress(fee.token.address, request.fromToken), "feeCosts.token");
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

/** With a call at the end, the top-level amounts are the call's output; what is delivered is the step before. */
function deliveredEstimate(
  request: MoveRequest,
  quote: LifiQuote,
): { toAmount: bigint; toAmountMin: bigint } {
  if (request.call === null) return quote.estimate;
  const before = quote.includedSteps.filter((step) => step.type !== "custom").at(-1);
  if (before?.estimate !== undefined) return before.estimate;
  must(sameAddress(request.fromToken, request.toToken), "includedSteps");
  return { toAmount: request.amount, toAmountMin: request.amount };
}

/** Where a transaction must go, and whom the user approves for it. */
export interface Entry {
  target: Address;
  spender: Address;
}

/** Compares the transaction's envelope with the request; its calldata is for others. Throws `upstream_rejected`. */
export function checkTransaction(
  subject: Subject,
  answer: { quote: LifiQuote; entry: Entry },
): { to: Address; data: Hex; value: bigint } {
  const { request, claim } = subject;
  const { transactionRequest, action, estimate } = answer.quote;
  const native = isNative(request.fromToken);
  must(isAddressEqual(transactionRequest.to, answer.entry.target), "transactionRequest.to");
  must(isAddressEqual(transactionRequest.from, request.user), "transactionRequest.from");
  must(transactionRequest.chainId === request.fromChainId, "transactionRequest.chainId");
  must(claim.feesOnTop <= subject.source.maxNativeFee, "feeCosts.amount");
  const value = (native ? request.amount : 0n) + claim.feesOnTop;
  must(transactionRequest.value === value, "transactionRequest.value");
  must(native || isAddressEqual(estimate.approvalAddress, answer.entry.spender), "estimate.approvalAddress");
  if (request.call === null && action.toAddress !== undefined) {
    must(sameAddress(action.toAddress, request.user), "action.toAddress");
  }
  return { to: answer.entry.target, data: transactionRequest.data, value };
}
