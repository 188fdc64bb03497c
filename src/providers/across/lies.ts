import { isAddressEqual, zeroAddress } from "viem";
import { mulDivDown } from "../../lib/amount.ts";
import type { MoveRequest } from "../provider.ts";
import type { Route } from "./route.ts";
import type { SuggestedFees } from "./schema.ts";

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
export interface Asked {
  request: MoveRequest;
  route: Route;
  /** Unix seconds. */
  now: number;
}

/**
 * Says in what a price speaks of other contracts, tokens or times than it may, or promises more than was
 * paid; null: in nothing. For the log only. Source: SpokePool.sol for the bounds of times.
 */
export function findLie(fees: SuggestedFees, asked: Asked): string | null {
  const { route, request } = asked;
  if (!isAddressEqual(fees.spokePoolAddress, route.origin.spokePool)) return "another SpokePool";
  if (!isAddressEqual(fees.destinationSpokePoolAddress, route.destination.spokePool))
    return "another SpokePool on the destination chain";
  if (!isToken(fees.inputToken, { ...route.input, chainId: request.fromChainId }))
    return "another input token";
  if (!isToken(fees.outputToken, { ...route.output, chainId: request.toChainId }))
    return "another output token";
  if (fees.outputAmount > equivalentOf(asked)) return "more is delivered than paid";
  return findBadTime(fees, asked.now);
}

type Token = SuggestedFees["inputToken"];

function isToken(said: Token, ours: Token): boolean {
  const sameUnit = said.chainId === ours.chainId && said.decimals === ours.decimals;
  return sameUnit && isAddressEqual(said.address, ours.address);
}

function findBadTime(fees: SuggestedFees, now: number): string | null {
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
export function equivalentOf({ request, route }: Omit<Asked, "now">): bigint {
  return mulDivDown(
    request.amount,
    10n ** BigInt(route.output.decimals),
    10n ** BigInt(route.input.decimals),
  );
}
