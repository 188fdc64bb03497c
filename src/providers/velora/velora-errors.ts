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
import { VeloraErrorBody } from "./velora-schemas.ts";

/**
 * The `no_route` reason for each error text of Velora's API, which has no codes; the first that matches counts. Source:
 * Velora API, troubleshooting guide, and reports of integrators; not verified live.
 */
const reasonByText: readonly (readonly [RegExp, ExchangeReason])[] = [
  [/no routes? found|not enough liquidity|max[_ ]impact/i, "insufficient_liquidity"],
  [/unsupported (chain|network)|invalid network/i, "exchange_unavailable"],
  [/invalid (src|dest)?_?tokens?|token.{0,80}not found/i, "token_unknown"],
  [/validation failed|invalid (amount|slippage)/i, "request_refused"],
];

/** Statuses with which Velora refuses a request, so that the fault is not Velora's. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * Converts an error response of Velora's API to an AppError: `rate_limited`, `upstream_timeout`, `no_route` if Velora
 * refuses the swap, otherwise `upstream_unavailable`. `now` is in milliseconds since the epoch.
 */
export function failureFromVeloraResponse(response: BoundedResponse, now: number): AppError {
  const { status } = response;
  if (status === 429) return exchangeRateLimited(exchangeWaitSeconds(response.headers, now));
  const cause = new OutsideError("status", `velora answered ${status}`, { status });
  if (!REFUSALS.has(status)) return exchangeStatusFailure(status, cause);
  const text = errorTextOf(response.text);
  const known = text === null ? undefined : reasonByText.find(([pattern]) => pattern.test(text));
  return noExchangeRoute(known?.[1] ?? "no_quote", cause);
}

/**
 * Creates the `upstream_rejected` error for a Velora response that does not match the request. `field` is for logs
 * only.
 */
export const veloraRejection = (field: string): AppError => exchangeRejection(`velora: ${field}`);

function errorTextOf(text: string): string | null {
  try {
    const parsed = VeloraErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.error : null;
  } catch {
    return null;
  }
}
