import { type Address, isAddressEqual, zeroAddress } from "viem";
import { type AppError, failureFrom } from "../../errors.ts";
import { deductParts, mulDivDown } from "../../lib/amount.ts";
import type { TransferRequest } from "../provider.ts";
import type { SuggestedFees } from "./across-schemas.ts";
import { type AcrossRoute, noAcrossRoute } from "./route.ts";

/** The SpokePool takes an hour; the rest is the user's to sign in. */
const MAX_QUOTE_AGE = 1_800;
/** Below, a slow user loses the transfer to a refund; above, the SpokePool refuses it. */
const MIN_FILL_WINDOW = 600;
const MAX_FILL_WINDOW = 21_600;
/** How long a relayer may keep others from delivering: more would be a way to hold the money back. */
const MAX_EXCLUSIVITY = 900;
/** Up to here the SpokePool reads the exclusivity as an offset. */
const MAX_OFFSET = 31_536_000;

/** What a price is judged by. */
interface QuoteCheckInput {
  request: TransferRequest;
  route: AcrossRoute;
  /** Unix seconds. */
  now: number;
}

/**
 * Says in what a price speaks of other contracts, tokens or times than it may, or promises more than was
 * paid; null: in nothing. For the log only. Source: SpokePool.sol for the bounds of times.
 */
export function findQuoteFault(fees: SuggestedFees, asked: QuoteCheckInput): string | null {
  const { route, request } = asked;
  if (!isAddressEqual(fees.spokePoolAddress, route.origin.spokePool)) return "another SpokePool";
  if (!isAddressEqual(fees.destinationSpokePoolAddress, route.destination.spokePool))
    return "another SpokePool on the destination chain";
  if (!isSameToken(fees.inputToken, { ...route.input, chainId: request.fromChainId }))
    return "another input token";
  if (!isSameToken(fees.outputToken, { ...route.output, chainId: request.toChainId }))
    return "another output token";
  if (fees.outputAmount > inOutputUnits(asked)) return "more is delivered than paid";
  return findTimingFault(fees, asked.now);
}

type QuotedToken = SuggestedFees["inputToken"];

function isSameToken(said: QuotedToken, ours: QuotedToken): boolean {
  const sameUnit = said.chainId === ours.chainId && said.decimals === ours.decimals;
  return sameUnit && isAddressEqual(said.address, ours.address);
}

function findTimingFault(fees: SuggestedFees, now: number): string | null {
  const { timestamp, fillDeadline, exclusivityDeadline, exclusiveRelayer } = fees;
  if (timestamp > now) return "a quote from the future";
  if (now - timestamp > MAX_QUOTE_AGE) return "an old quote";
  if (fillDeadline < now + MIN_FILL_WINDOW) return "a fill deadline too near";
  if (fillDeadline > now + MAX_FILL_WINDOW) return "a fill deadline too far";
  if (exclusivityDeadline === 0) return null;
  if (isAddressEqual(exclusiveRelayer, zeroAddress)) return "an exclusivity for nobody";
  const seconds = exclusivityDeadline <= MAX_OFFSET ? exclusivityDeadline : exclusivityDeadline - now;
  return seconds > MAX_EXCLUSIVITY ? "an exclusivity too long" : null;
}

/** The request's amount in units of the output token, rounded down. */
export function inOutputUnits({ request, route }: Omit<QuoteCheckInput, "now">): bigint {
  return mulDivDown(
    request.amount,
    10n ** BigInt(route.output.decimals),
    10n ** BigInt(route.input.decimals),
  );
}

/** The figures of a transfer that the bridge decides, within our bounds. Times in unix seconds. */
export interface AcrossTerms {
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
export function acceptTerms(fees: SuggestedFees, asked: QuoteCheckInput): AcrossTerms {
  const lie = findQuoteFault(fees, asked);
  if (lie !== null) throw acrossRejection(lie);
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
export function acrossRejection(why: string): AppError {
  return failureFrom("upstream_rejected", "the bridge's answer was refused", new Error(why));
}

function refuseLimits(fees: SuggestedFees, { amount }: TransferRequest): void {
  if (fees.isAmountTooLow || amount < fees.limits.minDeposit)
    throw noAcrossRoute("amount_too_low", "the amount does not cover the bridge's fees");
  if (amount > fees.limits.maxDeposit)
    throw noAcrossRoute("amount_too_high", "the amount is more than the bridge can move now");
}

function refuseLoss(fees: SuggestedFees, asked: QuoteCheckInput): void {
  const { request } = asked;
  const floor = deductParts(inOutputUnits(asked), request.slippage);
  const least = request.call === null || request.call.minIn < floor ? floor : request.call.minIn;
  if (fees.outputAmount === 0n || fees.outputAmount < least)
    throw noAcrossRoute("slippage", "the bridge delivers less than the slippage allows");
}
