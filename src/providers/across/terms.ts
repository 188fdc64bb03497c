import type { Address } from "viem";
import { type AppError, failureFrom } from "../../errors.ts";
import { lessParts } from "../../lib/amount.ts";
import type { MoveRequest } from "../provider.ts";
import { type Asked, equivalentOf, findLie } from "./lies.ts";
import { noRoute } from "./route.ts";
import type { SuggestedFees } from "./schema.ts";

/** The figures of a transfer that the bridge decides, within our bounds. Times in unix seconds. */
export interface Terms {
  /** Exactly what is delivered, smallest unit of the output token. */
  outputAmount: bigint;
  quoteTimestamp: number;
  fillDeadline: number;
  /** Who alone may deliver at first; the zero address: anyone. */
  exclusiveRelayer: Address;
  /** Seconds from the deposit when at most a year, else unix seconds; 0: none. */
  exclusivityParameter: number;
  estimatedSeconds: number;
}

/**
 * Judges a price. Throws `upstream_rejected` when it speaks of other contracts, tokens or times than it may,
 * or promises more than was paid; `no_route` when it is honest but not good enough. Source: SpokePool.sol.
 */
export function acceptTerms(fees: SuggestedFees, asked: Asked): Terms {
  const lie = findLie(fees, asked);
  if (lie !== null) throw rejected(lie);
  refuseLimits(fees, asked.request);
  refuseLoss(fees, asked);
  return {
    outputAmount: fees.outputAmount,
    quoteTimestamp: fees.timestamp,
    fillDeadline: fees.fillDeadline,
    exclusiveRelayer: fees.exclusiveRelayer,
    exclusivityParameter: fees.exclusivityDeadline,
    estimatedSeconds: Math.ceil(fees.estimatedFillTimeSec),
  };
}

/** The failure for an answer that was understood and differs from what was asked; `why` is for the log. */
export function rejected(why: string): AppError {
  return failureFrom("upstream_rejected", "the bridge's answer was refused", new Error(why));
}

function refuseLimits(fees: SuggestedFees, { amount }: MoveRequest): void {
  if (fees.isAmountTooLow || amount < fees.limits.minDeposit)
    throw noRoute("amount_too_low", "the amount does not cover the bridge's fees");
  if (amount > fees.limits.maxDeposit)
    throw noRoute("amount_too_high", "the amount is more than the bridge can move now");
}

function refuseLoss(fees: SuggestedFees, asked: Asked): void {
  const { request } = asked;
  const floor = lessParts(equivalentOf(asked), request.slippage);
  const least = request.call === null || request.call.minIn < floor ? floor : request.call.minIn;
  if (fees.outputAmount === 0n || fees.outputAmount < least)
    throw noRoute("slippage", "the bridge delivers less than the slippage allows");
}
