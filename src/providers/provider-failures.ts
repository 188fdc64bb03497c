import * as z from "zod";
import { AppError, type ErrorCode, failure, failureFrom } from "../errors.ts";

const NoRouteReason = z.object({ code: z.string(), detail: z.string() });
/**
 * One reason why there is no route: a stable code for programs and a sentence for customers, as listed in the field
 * `reasons` of `no_route` errors.
 */
export type NoRouteReason = z.infer<typeof NoRouteReason>;
const NoRouteReasons = z.array(NoRouteReason);

/**
 * Codes of errors that are attributed to a provider or its route. All other errors are attributed to the vault or the
 * request, except `price_unsafe` about an offer.
 */
const PROVIDER_ERROR_CODES: ReadonlySet<ErrorCode> = new Set([
  "no_route",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
  "would_revert",
  "simulation_unavailable",
]);
/**
 * Codes of `no_route` reasons that the user can remove by choosing a different amount or a higher slippage
 * limit.
 */
const ACTIONABLE_REASONS: ReadonlySet<string> = new Set([
  "amount_too_low",
  "amount_too_high",
  "fees_exceed_amount",
  "insufficient_liquidity",
  "slippage",
  "slippage_exceeded",
]);
/**
 * Codes of `no_route` reasons that state a general limit of a provider, such as "transfers only between
 * different chains". Such a reason becomes the main one only if there is no other.
 */
const GENERAL_REASONS: ReadonlySet<string> = new Set(["same_chain", "asset_unsupported", "bridge_excluded"]);
/**
 * Codes of provider failures other than `no_route`, the most important one first. They take precedence over `no_route`,
 * unless the user can remove one of its reasons.
 */
const FAILURE_PRIORITY: readonly ErrorCode[] = [
  "would_revert",
  "simulation_unavailable",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
];

/** The `no_route` reason to report when the failures contain none. */
const NO_BRIDGE: NoRouteReason = {
  code: "bridge_unavailable",
  detail: "no bridge or exchange offers a route between these tokens",
};

/**
 * Converts any value thrown while a provider was asked or its route was built to an AppError. An AppError is returned
 * unchanged. Anything else becomes `upstream_unavailable`, with the value as its cause.
 */
export function toProviderFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the provider is unavailable; try again later", error);
}

/** Returns true if an error is attributed to a provider or its route, so that another route may succeed. */
export function isProviderFailure(error: AppError): boolean {
  return PROVIDER_ERROR_CODES.has(error.code) || isUnsafeRoute(error);
}

/**
 * Returns true if an error is `price_unsafe` about a provider's offer. False for all other errors, including
 * `price_unsafe` about a vault's share price.
 */
export function isUnsafeRoute({ code, members }: AppError): boolean {
  return code === "price_unsafe" && members["subject"] === "route";
}

/**
 * Returns the reasons why routes failed, the first of each code, in the order of the failures. A `no_route` error gives
 * the reasons that it lists with a code, any other error (or a `no_route` without a list) its own code and message.
 */
export function noRouteReasons(failures: readonly AppError[]): NoRouteReason[] {
  const reasons = failures.flatMap((error) => reasonsOfFailure(error));
  return reasons.filter(
    ({ code }, index) => code !== "" && reasons.findIndex((other) => other.code === code) === index,
  );
}

/**
 * Chooses the error to report if every route failed: one that is not about a route or its provider, else an unsafe
 * offer, else `no_route` if the user can remove a reason, else a provider's failure by `FAILURE_PRIORITY`, else
 * `no_route`. A `no_route` error lists all reasons, the main one first. The code is never `rate_limited`.
 */
export function mostUsefulFailure(failures: readonly AppError[]): AppError {
  const own = failures.findLast((error) => !isProviderFailure(error));
  if (own !== undefined) return own;
  const unsafe = failures.find(isUnsafeRoute);
  if (unsafe !== undefined) return unsafe;
  const reasons = noRouteReasons(failures);
  const actionable = reasons.find(({ code }) => ACTIONABLE_REASONS.has(code));
  const temporary = FAILURE_PRIORITY.flatMap(
    (code) => failures.find((error) => error.code === code) ?? [],
  )[0];
  if (actionable === undefined && temporary !== undefined) return hideRateLimit(temporary);
  const specific = reasons.find(({ code }) => !GENERAL_REASONS.has(code));
  const first = actionable ?? specific ?? reasons[0] ?? NO_BRIDGE;
  const rest = reasons.filter((reason) => reason !== first);
  return failure("no_route", first.detail, { reasons: [first, ...rest] });
}

/**
 * Replaces `rate_limited` with `upstream_unavailable`, because the provider limits this service and not the
 * caller.
 */
function hideRateLimit(error: AppError): AppError {
  if (error.code !== "rate_limited") return error;
  return failureFrom("upstream_unavailable", "the providers are busy; try again in a minute", error);
}

function reasonsOfFailure(error: AppError): NoRouteReason[] {
  const reasons = error.code === "no_route" ? NoRouteReasons.safeParse(error.members.reasons) : null;
  return reasons?.success ? reasons.data : [{ code: error.code, detail: error.message }];
}
