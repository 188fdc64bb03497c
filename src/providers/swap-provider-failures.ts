import { AppError, failure, failureFrom } from "../errors.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { parseRetryAfter, parseSeconds } from "../lib/parse-retry-after.ts";

/** Codes of an exchange's `no_route` reasons, each with the text shown to customers. */
const reasonDetails = {
  exchange_unavailable: "the exchange does not swap on this chain",
  token_unknown: "the exchange does not support this token",
  request_refused: "the exchange rejects this swap request",
  no_quote: "the exchange has no quote for this swap",
  amount_too_high: "the amount exceeds the exchange's limit",
  insufficient_liquidity: "the liquidity is not sufficient for this amount",
  slippage_exceeded: "the price moved by more than the slippage limit allows",
} as const;

/** Code of the reason why an exchange has no route, as `no_route` errors show it to customers. */
export type ExchangeReason = keyof typeof reasonDetails;

const UNAVAILABLE = "the exchange is unavailable; try again later";
/** Waiting time after a rate limit that does not state one, in seconds. */
const DEFAULT_WAIT_S = 5;
/** Maximum waiting time that is accepted from a rate limit, in seconds. */
const MAX_WAIT_S = 60;

/** Creates a `no_route` error with one reason and its text. The caller of the API does not see `cause`. */
export function noExchangeRoute(code: ExchangeReason, cause?: unknown): AppError {
  const detail = reasonDetails[code];
  return new AppError("no_route", detail, { members: { reasons: [{ code, detail }] }, cause });
}

/** Creates the `rate_limited` error for an exchange's rate limit. `retryAfter` is in seconds. */
export function exchangeRateLimited(retryAfter: number): AppError {
  return failure("rate_limited", "the exchange's rate limit is exceeded; try again later", {
    retry_after: retryAfter,
  });
}

/**
 * Returns the waiting time that a 429 response asks for (`Retry-After`, or KyberSwap's `x-ratelimit-reset-after`), in
 * seconds, clamped to 1–60; 5 if it states none. `now` is in milliseconds since the epoch.
 */
export function exchangeWaitSeconds(headers: Headers, now: number): number {
  const seconds =
    parseRetryAfter(headers.get("retry-after"), now) ?? parseSeconds(headers.get("x-ratelimit-reset-after"));
  return Math.min(Math.max(seconds ?? DEFAULT_WAIT_S, 1), MAX_WAIT_S);
}

/**
 * Converts an HTTP error status without a known reason to an AppError: `upstream_timeout` for 408 and 504, otherwise
 * `upstream_unavailable`. The caller of the API does not see `cause`.
 */
export function exchangeStatusFailure(status: number, cause: unknown): AppError {
  const timedOut = status === 408 || status === 504;
  return failureFrom(timedOut ? "upstream_timeout" : "upstream_unavailable", UNAVAILABLE, cause);
}

/**
 * Converts an error of a request to an exchange to an AppError: `upstream_timeout` for a timeout or an open circuit
 * breaker, otherwise `upstream_unavailable`. The caller of the API does not see the cause.
 */
export function exchangeRequestFailure(error: unknown): AppError {
  const timedOut = error instanceof OutsideError && error.kind === "timeout";
  return failureFrom(timedOut ? "upstream_timeout" : "upstream_unavailable", UNAVAILABLE, error);
}

/**
 * Creates the `upstream_rejected` error for an exchange's response that does not match the request. `where` names the
 * exchange and the field, for logs only.
 */
export function exchangeRejection(where: string): AppError {
  return failureFrom(
    "upstream_rejected",
    "the exchange's response does not match the request",
    new Error(where),
  );
}
