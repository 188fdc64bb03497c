import type { AppError } from "../../errors.ts";
import { type BoundedResponse, OutsideError } from "../../lib/bounded-fetch.ts";
import {
  type ExchangeReason,
  exchangeRateLimited,
  exchangeRejection,
  exchangeStatusFailure,
  exchangeWaitSeconds,
  noExchangeRoute,
} from "../swap-provider-failures.ts";
import { KyberErrorBody } from "./kyber-schemas.ts";

/**
 * The `no_route` reason for each error code of KyberSwap's API. Source: docs.kyberswap.com, aggregator API, error
 * codes.
 */
const reasonByCode: Readonly<Record<number, ExchangeReason>> = {
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

/**
 * Converts an error response of KyberSwap's API to an AppError: `rate_limited`, `upstream_timeout`, `no_route` if
 * KyberSwap refuses the swap, otherwise `upstream_unavailable`. `now` is in milliseconds since the epoch.
 */
export function failureFromKyberResponse(response: BoundedResponse, now: number): AppError {
  const { status } = response;
  if (status === 429) return exchangeRateLimited(exchangeWaitSeconds(response.headers, now));
  const cause = new OutsideError("status", `kyberswap answered ${status}`, { status });
  if (status === 408 || status === 504) return exchangeStatusFailure(status, cause);
  const code = codeOf(response.text);
  const reason = code === null || status >= 500 ? undefined : reasonByCode[code];
  if (reason !== undefined) return noExchangeRoute(reason, cause);
  if (status === 400 || status === 422) return noExchangeRoute("no_quote", cause);
  if (status === 404) return noExchangeRoute("exchange_unavailable", cause);
  return exchangeStatusFailure(status, cause);
}

/**
 * Creates the `upstream_rejected` error for a KyberSwap response that does not match the request. `field` is for logs
 * only.
 */
export const kyberRejection = (field: string): AppError => exchangeRejection(`kyberswap: ${field}`);

function codeOf(text: string): number | null {
  try {
    const parsed = KyberErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.code : null;
  } catch {
    return null;
  }
}
