import { type Address, isAddressEqual, zeroAddress } from "viem";
import { type AppError, failureFrom } from "../../errors.ts";
import { mulDivDown } from "../../lib/amount.ts";
import type { TransferRequest } from "../provider.ts";
import { type AcrossRoute, noAcrossRoute } from "./across-route.ts";
import type { SuggestedFees } from "./across-schemas.ts";

/**
 * Maximum age of an Across quote, in seconds. The SpokePool accepts one hour; the difference leaves the user
 * time to sign.
 */
const MAX_QUOTE_AGE = 1_800;
/**
 * Minimum time until a quote's fill deadline (unfilled deposits are refunded after it), in seconds. An
 * earlier deadline could pass before a slow user signs.
 */
const MIN_FILL_WINDOW = 600;
/**
 * Number of seconds for which an Across quote is treated as valid: 300, half of the shortest time to the fill deadline
 * that is accepted. Relayers have the other half to fill the deposit.
 */
export const ACROSS_VALID_SECONDS = MIN_FILL_WINDOW / 2;
/** Maximum time until a quote's fill deadline, in seconds. The SpokePool rejects later deadlines. */
const MAX_FILL_WINDOW = 21_600;
/**
 * Maximum exclusivity period (in which only one relayer may fill), in seconds. During a longer one, that relayer could
 * delay the delivery.
 */
const MAX_EXCLUSIVITY = 900;
/**
 * Largest exclusivity parameter, in seconds, that the SpokePool interprets as a period from the deposit on
 * (one year). It interprets a larger value as a unix timestamp.
 */
const MAX_EXCLUSIVITY_OFFSET = 31_536_000;

/** Request, route and current time against which an Across quote is checked. */
interface QuoteCheckInput {
  request: TransferRequest;
  route: AcrossRoute;
  /** Current time in unix seconds. */
  now: number;
}

/**
 * Returns the first fault of an Across quote, for logs only, or null: a contract or token that is not the route's, an
 * output above the amount paid, or an invalid time or exclusivity. Source: SpokePool.sol for its own bounds.
 */
export function findQuoteFault(fees: SuggestedFees, asked: QuoteCheckInput): string | null {
  const { route, request } = asked;
  if (!isAddressEqual(fees.spokePoolAddress, route.origin.spokePool))
    return "another SpokePool on the source chain";
  if (!isAddressEqual(fees.destinationSpokePoolAddress, route.destination.spokePool))
    return "another SpokePool on the destination chain";
  if (!isSameToken(fees.inputToken, { ...route.input, chainId: request.fromChainId }))
    return "another input token";
  if (!isSameToken(fees.outputToken, { ...route.output, chainId: request.toChainId }))
    return "another output token";
  if (fees.outputAmount > toOutputUnits(asked)) return "an output above the amount paid";
  return findTimingFault(fees, asked.now);
}

type QuotedToken = SuggestedFees["inputToken"];

function isSameToken(quoted: QuotedToken, expected: QuotedToken): boolean {
  const sameUnit = quoted.chainId === expected.chainId && quoted.decimals === expected.decimals;
  return sameUnit && isAddressEqual(quoted.address, expected.address);
}

function findTimingFault(fees: SuggestedFees, now: number): string | null {
  const { timestamp, fillDeadline, exclusivityDeadline, exclusiveRelayer } = fees;
  if (timestamp > now) return "a quote from the future";
  if (now - timestamp > MAX_QUOTE_AGE) return "an old quote";
  if (fillDeadline < now + MIN_FILL_WINDOW) return "a fill deadline too early";
  if (fillDeadline > now + MAX_FILL_WINDOW) return "a fill deadline too late";
  if (exclusivityDeadline === 0) return null;
  if (isAddressEqual(exclusiveRelayer, zeroAddress)) return "an exclusivity without a relayer";
  const isOffset = exclusivityDeadline <= MAX_EXCLUSIVITY_OFFSET;
  const seconds = isOffset ? exclusivityDeadline : exclusivityDeadline - now;
  if (seconds > MAX_EXCLUSIVITY) return "an exclusivity too long";
  // A period starts with the deposit, at the latest when the quote expires.
  const end = isOffset ? now + ACROSS_VALID_SECONDS + seconds : exclusivityDeadline;
  return end >= fillDeadline ? "an exclusivity until the fill deadline" : null;
}

/**
 * Converts the amount of a transfer request from the input token's to the output token's smallest unit, rounded down.
 */
export function toOutputUnits({ request, route }: Omit<QuoteCheckInput, "now">): bigint {
  return mulDivDown(
    request.amount,
    10n ** BigInt(route.output.decimals),
    10n ** BigInt(route.input.decimals),
  );
}

/** The parameters of an Across deposit that come from a checked quote. Timestamps are in UNIX seconds. */
export interface AcrossTerms {
  /** Amount delivered, in the smallest unit of the output token. */
  outputAmount: bigint;
  quoteTimestamp: number;
  fillDeadline: number;
  /** The only relayer that may fill during the exclusivity period; the zero address allows every relayer. */
  exclusiveRelayer: Address;
  /**
   * End of the exclusivity period: seconds from the deposit on if at most one year, otherwise a UNIX time; 0 for no
   * exclusivity.
   */
  exclusivityParameter: number;
  /** Expected time until the fill, in seconds, rounded up. */
  estimatedSeconds: number;
}

/**
 * Checks an Across quote and returns its deposit parameters. Throws `upstream_rejected` if it has a fault, and
 * `no_route` if the bridge's limits or the call's minimum exclude the amount or nothing would arrive. Fairness is not
 * checked.
 */
export function acceptTerms(fees: SuggestedFees, asked: QuoteCheckInput): AcrossTerms {
  const fault = findQuoteFault(fees, asked);
  if (fault !== null) throw acrossRejection(fault);
  checkLimits(fees, asked.request);
  checkOutput(fees, asked);
  return {
    outputAmount: fees.outputAmount,
    quoteTimestamp: fees.timestamp,
    fillDeadline: fees.fillDeadline,
    exclusiveRelayer: fees.exclusiveRelayer,
    exclusivityParameter: fees.exclusivityDeadline,
    estimatedSeconds: Math.ceil(fees.estimatedFillTimeSec),
  };
}

/**
 * Creates the `upstream_rejected` error for an Across quote or transaction that does not match the request. `why` is
 * for logs only.
 */
export function acrossRejection(why: string): AppError {
  return failureFrom("upstream_rejected", "the bridge's response does not match the request", new Error(why));
}

function checkLimits(fees: SuggestedFees, { amount }: TransferRequest): void {
  if (fees.isAmountTooLow || amount < fees.limits.minDeposit)
    throw noAcrossRoute("amount_too_low", "the amount does not cover the bridge's fees");
  if (amount > fees.limits.maxDeposit)
    throw noAcrossRoute("amount_too_high", "the amount exceeds the bridge's current limit");
}

function checkOutput(fees: SuggestedFees, { request }: QuoteCheckInput): void {
  if (fees.outputAmount === 0n || fees.outputAmount < (request.call?.minIn ?? 0n))
    throw noAcrossRoute("slippage", "the bridge would deliver less than the slippage limit allows");
}
