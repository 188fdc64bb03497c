import { type AppError, type ErrorCode, failure, failureFrom } from "../errors.ts";

/** Why something was not possible, for people and programs. */
export interface Reason {
  code: string;
  detail: string;
}

/** A refusal of the vault's own or of the request says more than one of a provider. */
const OF_PROVIDERS: ReadonlySet<ErrorCode> = new Set([
  "no_route",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
  "would_revert",
  "simulation_unavailable",
]);
/** Reasons that another amount or more patience with the price would remove. */
const ACTIONABLE: ReadonlySet<string> = new Set([
  "amount_too_low",
  "amount_too_high",
  "fees_exceed_amount",
  "insufficient_liquidity",
  "slippage",
  "slippage_exceeded",
]);
/** What a provider never does, whatever is asked: it tells little of this wish. */
const GENERAL: ReadonlySet<string> = new Set(["same_chain", "asset_unsupported", "bridge_excluded"]);
/** What is told first among the failures of providers, when no reason is actionable. */
const ORDER: readonly ErrorCode[] = [
  "would_revert",
  "simulation_unavailable",
  "upstream_rejected",
  "upstream_timeout",
  "upstream_unavailable",
  "rate_limited",
];

const NOBODY: Reason = { code: "bridge_unavailable", detail: "nobody moves this token to the vault" };

/** Whether a failure comes from the way to the vault, so that another way may do. */
export function isOfProvider(error: AppError): boolean {
  return OF_PROVIDERS.has(error.code);
}

/** The distinct reasons behind failures, in their order. */
export function reasonsOf(failures: readonly AppError[]): Reason[] {
  const reasons = failures.flatMap((error) => ownReasons(error));
  return reasons.filter(
    ({ code }, index) => code !== "" && reasons.findIndex((other) => other.code === code) === index,
  );
}

/**
 * The one failure to tell when every way failed: what the vault itself says, of its own asset before its other
 * tokens, which are tried first; then what another amount would change, then what may pass when the request is sent
 * again, then that there is no route. Pure.
 */
export function mostUseful(failures: readonly AppError[]): AppError {
  const own = failures.findLast((error) => !isOfProvider(error));
  if (own !== undefined) return own;
  const reasons = reasonsOf(failures);
  const actionable = reasons.find(({ code }) => ACTIONABLE.has(code));
  const passing = ORDER.flatMap((code) => failures.find((error) => error.code === code) ?? [])[0];
  if (actionable === undefined && passing !== undefined) return asOurs(passing);
  const telling = reasons.find(({ code }) => !GENERAL.has(code));
  const first = actionable ?? telling ?? reasons[0] ?? NOBODY;
  const rest = reasons.filter((reason) => reason !== first);
  return failure("no_route", first.detail, { reasons: [first, ...rest] });
}

/** That a provider limits us is not the caller's doing. */
function asOurs(error: AppError): AppError {
  if (error.code !== "rate_limited") return error;
  return failureFrom("upstream_unavailable", "the providers take no more requests now", error);
}

function ownReasons(error: AppError): Reason[] {
  const { reasons } = error.members;
  if (error.code === "no_route" && Array.isArray(reasons)) return reasons as Reason[];
  return [{ code: error.code, detail: error.message }];
}
