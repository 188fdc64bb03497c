import { AppError, failure, failureFrom } from "../../errors.ts";
import { type BoundedResponse, OutsideError } from "../../lib/bounded-fetch.ts";
import { parseRetryAfter, parseSeconds } from "../../lib/retry-after.ts";
import { KyberErrorBody } from "./kyber-schemas.ts";

/** Codes of KyberSwap's `no_route` reasons, each with the text shown to customers. */
const reasonDetails = {
  exchange_unavailable: "the exchange does not swap on this chain",
  token_unknown: "the exchange does not support this token",
  request_refused: "the exchange rejects this swap request",
  no_quote: "the exchange has no quote for this swap",
  amount_too_high: "the amount exceeds the exchange's limit",
  insufficient_liquidity: "the liquidity is not sufficient for this amount",
  slippage_exceeded: "the price moved by more than the slippage limit allows",
} as const;

type KyberReason = keyof typeof reasonDetails;

/**
 * The `no_route` reason for each error code of KyberSwap's API. Source: docs.kyberswap.com, aggregator API, error
 * codes.
 */
const reasonByCode: Readonly<Record<number, KyberReason>> = {
  4000: "request_refused",
  4001: "request_refused",
  4002: "request_refused",
  4003: "request_refused",
  4004: "request_refused",
  4005: "request_refused",
  4007: "request_refused",
  4008: "no_quote",
  4009: "amount_too_high",
  4010: "no_quote",
  4011: "token_unknown",
  4221: "token_unknown",
  4222: "slippage_exceeded",
  4225: "insufficient_liquidity",
  4227: "no_quote",
  40010: "request_refused",
  40011: "no_quote",
  40012: "no_quote",
  40013: "no_quote",
  40014: "token_unknown",
};

const UNAVAILABLE = "the exchange is unavailable; try again later";
/** Seconds to wait after a rate limit response that does not state a time. */
const DEFAULT_WAIT_S = 5;
/** Maximum number of seconds to wait after a rate limit response, whatever it states. */
const MAX_WAIT_S = 60;

/**
 * Converts an error response of KyberSwap's API to an AppError: `rate_limited` for status 429, `upstream_timeout` for
 * 408 and 504, `no_route` with a reason if KyberSwap declines the swap, otherwise `upstream_unavailable`. `now` is in
 * milliseconds since the epoch.
 */
export function failureFromKyberResponse(response: BoundedResponse, now: number): AppError {
  const { status } = response;
  if (status === 429) return kyberRateLimited(retryAfterSeconds(response.headers, now));
  const cause = new OutsideError("status", `kyberswap answered ${status}`, { status });
  if (status === 408 || status === 504) return failureFrom("upstream_timeout", UNAVAILABLE, cause);
  const code = codeOf(response.text);
  const reason = code === null || status >= 500 ? undefined : reasonByCode[code];
  if (reason !== undefined) return noKyberRoute(reason, cause);
  if (status === 400 || status === 422) return noKyberRoute("no_quote", cause);
  if (status === 404) return noKyberRoute("exchange_unavailable", cause);
  return failureFrom("upstream_unavailable", UNAVAILABLE, cause);
}

/**
 * Converts an error of a request to KyberSwap (no response, or an oversized one) to an AppError: `upstream_timeout` for
 * a timeout, otherwise `upstream_unavailable`.
 */
export function failureFromKyberExchange(error: unknown): AppError {
  const timedOut = error instanceof OutsideError && error.kind === "timeout";
  return failureFrom(timedOut ? "upstream_timeout" : "upstream_unavailable", UNAVAILABLE, error);
}

/** Creates a `rate_limited` error for KyberSwap's rate limit. `retryAfter` is in seconds. */
export function kyberRateLimited(retryAfter: number): AppError {
  return failure("rate_limited", "the exchange's rate limit is exceeded; try again later", {
    retry_after: retryAfter,
  });
}

/** Creates a `no_route` error with one reason and its text. */
export function noKyberRoute(code: KyberReason, cause?: unknown): AppError {
  const detail = reasonDetails[code];
  return new AppError("no_route", detail, { members: { reasons: [{ code, detail }] }, cause });
}

/**
 * Creates an `upstream_rejected` error for a KyberSwap response that does not match the request. `field` is for logs
 * only.
 */
export function kyberRejection(field: string): AppError {
  return failureFrom(
    "upstream_rejected",
    "the exchange's response does not match the request",
    new Error(`kyberswap: ${field}`),
  );
}

/**
 * Returns the waiting time of a rate limit in seconds, between 1 and 60. KyberSwap sends `x-ratelimit-reset-after`;
 * gateways send `Retry-After`.
 */
function retryAfterSeconds(headers: Headers, now: number): number {
  const seconds =
    parseRetryAfter(headers.get("retry-after"), now) ?? parseSeconds(headers.get("x-ratelimit-reset-after"));
  return Math.min(Math.max(seconds ?? DEFAULT_WAIT_S, 1), MAX_WAIT_S);
}

function codeOf(text: string): number | null {
  try {
    const parsed = KyberErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.code : null;
  } catch {
    return null;
  }
}
