import * as z from "zod";
import { AppError, type ErrorCode, failure, failureFrom } from "../errors.ts";

const NoRouteReason = z.object({ code: z.string(), detail: z.string() });
/** One reason of a `no_route` answer: a stable code for programs and a sentence for people. */
export type NoRouteReason = z.infer<typeof NoRouteReason>;
const NoRouteReasons = z.array(NoRouteReason);

/** Codes of failures that come from a provider; any other code comes from the vault or from the request. */
const PROVIDER_ERROR_CODES: ReadonlySet<ErrorCode> = new Set([
  "no_route",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
  "would_revert",
  "simulation_unavailable",
]);
/** Reasons that a different amount or a higher slippage limit would remove. */
const ACTIONABLE_REASONS: ReadonlySet<string> = new Set([
  "amount_too_low",
  "amount_too_high",
  "fees_exceed_amount",
  "insufficient_liquidity",
  "slippage",
  "slippage_exceeded",
]);
/** Limits of a provider that hold for every request; they explain little about this one. */
const GENERAL_REASONS: ReadonlySet<string> = new Set(["same_chain", "asset_unsupported", "bridge_excluded"]);
/** Codes in the order in which they are reported when no reason is actionable. */
const FAILURE_PRIORITY: readonly ErrorCode[] = [
  "would_revert",
  "simulation_unavailable",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
];

const NO_BRIDGE: NoRouteReason = {
  code: "bridge_unavailable",
  detail: "no bridge or exchange transfers this token to the vault",
};

/**
 * Returns an AppError unchanged and wraps any other error, which is a provider's defect, as `upstream_unavailable`.
 */
export function toProviderFailure(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the provider is unavailable; try again later", error);
}

/** Returns true when a failure comes from a provider, so that another route may succeed. */
export function isProviderFailure(error: AppError): boolean {
  return PROVIDER_ERROR_CODES.has(error.code);
}

/** Returns the reasons behind failures in their order, each code once. */
export function noRouteReasons(failures: readonly AppError[]): NoRouteReason[] {
  const reasons = failures.flatMap((error) => reasonsOfFailure(error));
  return reasons.filter(
    ({ code }, index) => code !== "" && reasons.findIndex((other) => other.code === code) === index,
  );
}

/**
 * Returns the one failure to report when every route failed. In this order: the last failure of the vault itself
 * (routes through its other tokens are tried before the one through its asset), `no_route` with a reason that the
 * user can act on, a temporary failure, `no_route` with the most specific reason. Pure.
 */
export function mostUsefulFailure(failures: readonly AppError[]): AppError {
  const own = failures.findLast((error) => !isProviderFailure(error));
  if (own !== undefined) return own;
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

/** Replaces `rate_limited`, which would blame the caller for a provider's limit on us. */
function hideRateLimit(error: AppError): AppError {
  if (error.code !== "rate_limited") return error;
  return failureFrom("upstream_unavailable", "the providers are busy; try again in a minute", error);
}

function reasonsOfFailure(error: AppError): NoRouteReason[] {
  const reasons = error.code === "no_route" ? NoRouteReasons.safeParse(error.members.reasons) : null;
  return reasons?.success ? reasons.data : [{ code: error.code, detail: error.message }];
}
