import type { AppError } from "../errors.ts";
import { type BoundedResponse, boundedFetch } from "../lib/bounded-fetch.ts";
import { providerPolicy } from "../lib/circuit-breaker.ts";
import { outcomeOfOutsideError, throughBreaker } from "../lib/circuit-breaker-call.ts";
import type { ProviderScope } from "./provider.ts";
import { exchangeRateLimited, exchangeRequestFailure } from "./swap-provider-failures.ts";

/** Timeout of one request to an exchange's API, in milliseconds; the caller's deadline may shorten it. */
const TIMEOUT_MS = 2_000;
/** Maximum size of an exchange's response, in bytes. A route over many pools has a few hundred kilobytes. */
const MAX_BYTES = 1024 * 1024;

/**
 * An exchange's API: the name of its circuit breaker, and the error for a response without status 200. `now` is in
 * milliseconds since the epoch.
 */
export interface ExchangeApi {
  name: string;
  failureFrom(response: BoundedResponse, now: number): AppError;
}

/** Sends one request to an exchange's API and returns a response with status 200. */
export type ExchangeSender = (
  scope: ProviderScope,
  request: { url: string; init: RequestInit },
) => Promise<BoundedResponse>;

/**
 * Creates the sender of requests to an exchange's API, without retries. While a rate limit lasts, it throws
 * `rate_limited` without sending. Throws what `failureFrom` returns, `upstream_unavailable` or `upstream_timeout`.
 */
export function createExchangeSender({ name, failureFrom }: ExchangeApi): ExchangeSender {
  let limitedUntil = 0;
  return async (scope, request) => {
    const now = scope.now();
    if (limitedUntil > now) throw exchangeRateLimited(Math.ceil((limitedUntil - now) / 1000));
    const response = await sendOnce(scope, { ...request, name });
    if (response.status === 200) return response;
    const refused = failureFrom(response, scope.now());
    // A response to another request may have asked for a longer wait meanwhile.
    if (refused.code === "rate_limited")
      limitedUntil = Math.max(limitedUntil, scope.now() + Number(refused.members.retry_after) * 1000);
    throw refused;
  };
}

async function sendOnce(
  scope: ProviderScope,
  { url, init, name }: { url: string; init: RequestInit; name: string },
): Promise<BoundedResponse> {
  const left = (scope.deadline ?? Number.POSITIVE_INFINITY) - scope.now();
  const bounds = { timeoutMs: Math.floor(Math.max(1, Math.min(TIMEOUT_MS, left))), maxBytes: MAX_BYTES };
  const work = () => scope.timing.track("provider", () => boundedFetch(scope.fetch, { url, init, bounds }));
  const breaker = scope.breakers?.of(name, providerPolicy);
  try {
    return await throughBreaker(breaker, { work, outcomeOf: outcomeOfOutsideError });
  } catch (error) {
    throw exchangeRequestFailure(error);
  }
}
