import { type AppError, type ErrorCode, failure, failureFrom } from "../errors.ts";

/** Why something was not possible, for people and programs. */
export interface NoRouteReason {
  code: string;
  detail: string;
}

/** A refusal of the vault's own or of the request says more than one of a provider. */
const PROVIDER_ERROR_CODES: ReadonlySet<ErrorCode> = new Set([
  "no_route",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
  "would_revert",
  "simulation_unavailable",
]);
/** Reasons that another amount or more patience with the price would remove. */
const ACTIONABLE_REASONS: ReadonlySet<string> = new Set([
  "amount_too_low",
  "amount_too_high",
  "fees_exceed_amount",
  "insufficient_liquidity",
  "slippage",
  "slippage_exceeded",
]);
/** What a provider never does, whatever is asked: it tells little of this wish. */
const GENERAL_REASONS: ReadonlySet<string> = new Set(["same_chain", "asset_unsupported", "bridge_excluded"]);
/** What is told first among the failures of providers, when no reason is actionable. */
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
  detail: "nobody moves this token to the vault",
};

/** Whether a failure comes from the way to the vault, so that another way may do. */
export function isProviderFailure(error: AppError): boolean {
  return PROVIDER_ERROR_CODES.has(error.code);
}

/** The distinct reasons behind failures, in their order. */
export function noRouteReasons(failures: readonly AppError[]): NoRouteReason[] {
  const reasons = failures.flatMap((error) => reasonsOfFailure(error));
  return reasons.filter(
    ({ code }, index) => code !== "" && reasons.findIndex((other) => other.code === code) === index,
  );
}

/**
 * The one failure to tell when every way failed: what the vault itself says, of its own asset before its other
 * tokens, which are tried first; then what another amount would change, then what may pass when the request is sent
 * again, then that there is no route. Pure.
 */
export function mostUsefulFailure(failures: readonly AppError[]): AppError {
  const own = failures.findLast((error) => !isProviderFailure(error));
  if (own !== undefined) return own;
  const reasons = noRouteReasons(failures);
  const actionable = reasons.find(({ code }) => ACTIONABLE_REASONS.has(code));
  const passing = FAILURE_PRIORITY.flatMap((code) => failures.find((error) => error.code === code) ?? [])[0];
  if (actionable === undefined && passing !== undefined) return hideRateLimit(passing);
  const telling = reasons.find(({ code }) => !GENERAL_REASONS.has(code));
  const first = actionable ?? telling ?? reasons[0] ?? NO_BRIDGE;
  const rest = reasons.filter((reason) => reason !== first);
  return failure("no_route", first.detail, { reasons: [first, ...rest] });
}

/** That a provider limits us is not the caller's doing. */
function hideRateLimit(error: AppError): AppError {
  if (error.code !== "rate_limited") return error;
  return failureFrom("upstream_unavailable", "the providers take no more requests now", error);
}

function reasonsOfFailure(error: AppError): NoRouteReason[] {
  const { reasons } = error.members;
  if (error.code === "no_route" && Array.isArray(reasons)) return reasons as NoRouteReason[];
  return [{ code: error.code, detail: error.message }];
}
