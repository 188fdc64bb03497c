import { AppError, failure, failureFrom } from "../../../errors.ts";
import { OutsideError } from "../../../lib/bounded-fetch.ts";
import { retryAfterSeconds } from "./lifi-rate-limits.ts";
import { LifiErrorBody } from "./lifi-schemas.ts";

/** Codes of LI.FI's `no_route` reasons, each with the text shown to customers. */
const lifiReasonDetails = {
  bridge_unavailable: "no bridge with verifiable transactions supports this transfer",
  token_unknown: "the provider does not support this token or chain: use another token",
  request_refused: "the provider rejects this transfer request",
  no_quote: "the provider has no quote for this transfer",
  transaction_not_built:
    "the provider could not build the transaction; check the balance of the paying account",
  not_processable: "the provider cannot process this transfer",
  slippage_exceeded: "the price moved by more than the slippage limit allows",
  insufficient_liquidity: "the liquidity is not sufficient for this amount",
  amount_too_low: "the amount is too low: send a larger one",
  amount_too_high: "the amount is too high: send a smaller one",
  fees_exceed_amount: "the fees are higher than the amount",
  recipient_unsupported: "the bridge cannot deliver to this recipient",
  minimum_not_guaranteed: "the bridge cannot guarantee a minimum amount",
  tool_unavailable: "the bridge or exchange did not respond",
} as const;

type LifiReason = keyof typeof lifiReasonDetails;

/**
 * The `no_route` reason for each error code of a LI.FI tool (bridge or exchange). LI.FI used the misspelled
 * code until 2024. Source: docs.li.fi, error codes.
 */
const reasonByToolCode: Readonly<Record<string, LifiReason>> = {
  NO_POSSIBLE_ROUTE: "no_quote",
  INSUFFICIENT_LIQUIDITY: "insufficient_liquidity",
  TOOL_TIMEOUT: "tool_unavailable",
  UNKNOWN_ERROR: "tool_unavailable",
  RPC_ERROR: "tool_unavailable",
  RATE_LIMIT_EXCEEDED: "tool_unavailable",
  AMOUNT_TOO_LOW: "amount_too_low",
  AMOUNT_TOO_HIGH: "amount_too_high",
  FEES_HIGHER_THAN_AMOUNT: "fees_exceed_amount",
  FEES_HGHER_THAN_AMOUNT: "fees_exceed_amount",
  DIFFERENT_RECIPIENT_NOT_SUPPORTED: "recipient_unsupported",
  TOOL_SPECIFIC_ERROR: "no_quote",
  CANNOT_GUARANTEE_MIN_AMOUNT: "minimum_not_guaranteed",
};

/** Returns the `no_route` reason for the error code of a LI.FI tool, or `no_quote` for an unknown code. */
export function reasonOfToolCode(code: string): LifiReason {
  return (Object.hasOwn(reasonByToolCode, code) ? reasonByToolCode[code] : undefined) ?? "no_quote";
}

/** A LI.FI response with a status other than 200. */
export interface LifiErrorResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Current time in milliseconds since the epoch. */
  now: number;
}

/** The meaning of a LI.FI error response: a `no_route` reason, a rate limit, an outage or a timeout. */
type ErrorMeaning = LifiReason | "rate_limited" | "unavailable" | "timeout";

/**
 * Meaning of each error code in the body of a LI.FI error response. Source:
 * docs.li.fi/api-reference/error-codes.
 */
const meaningByCode: Readonly<Record<number, ErrorMeaning>> = {
  1000: "unavailable",
  1001: "transaction_not_built",
  1002: "no_quote",
  1003: "token_unknown",
  1004: "not_processable",
  1005: "rate_limited",
  1006: "unavailable",
  1007: "slippage_exceeded",
  1008: "unavailable",
  1009: "timeout",
  1010: "unavailable",
  1011: "request_refused",
  1012: "unavailable",
  1013: "request_refused",
};

/** Meaning of an HTTP status of LI.FI, for error responses whose body has no known error code. */
const meaningByStatus: Readonly<Record<number, ErrorMeaning>> = {
  400: "request_refused",
  404: "no_quote",
  408: "timeout",
  409: "slippage_exceeded",
  422: "request_refused",
  429: "rate_limited",
  504: "timeout",
};

const UNAVAILABLE = "the routing provider is unavailable; try again later";

/**
 * Converts an error response of LI.FI to an AppError: `rate_limited`, `upstream_timeout`, `no_route` with its reasons,
 * otherwise `upstream_unavailable`. Source: docs.li.fi, error codes.
 */
export function failureFromLifiResponse(response: LifiErrorResponse): AppError {
  const body = parseBody(response.text);
  const meaning = meaningOf(response.status, body);
  const cause = new Error(`li.fi answered ${response.status}, code ${body?.code ?? "none"}`);
  if (meaning === "rate_limited") return lifiRateLimited(retryAfterSeconds(response.headers, response.now));
  if (meaning === "timeout") return failureFrom("upstream_timeout", UNAVAILABLE, cause);
  if (meaning === "unavailable") return failureFrom("upstream_unavailable", UNAVAILABLE, cause);
  const tools = meaning === "no_quote" ? toolErrorReasons(body?.errors) : [];
  return noLifiRoute(tools.length > 0 ? tools : [meaning], cause);
}

function meaningOf(status: number, body: LifiErrorBody | null): ErrorMeaning {
  if (status === 429) return "rate_limited";
  return meaningByCode[body?.code ?? 0] ?? meaningByStatus[status] ?? "unavailable";
}

/**
 * Returns the distinct `no_route` reasons of the LI.FI tools that gave no quote, in LI.FI's order, or an empty list if
 * `errors` is missing. `LifiErrorBody` describes the two shapes of `errors`.
 */
export function toolErrorReasons(errors: LifiErrorBody["errors"]): LifiReason[] {
  if (errors === null || errors === undefined) return [];
  const failed = Array.isArray(errors)
    ? errors
    : errors.failed.flatMap((path) => Object.values(path.subpaths).flat());
  return [...new Set(failed.map((error) => reasonOfToolCode(error.code)))];
}

/** Creates the `rate_limited` error for LI.FI's rate limit. `retryAfter` is in seconds. */
export function lifiRateLimited(retryAfter: number): AppError {
  return failure("rate_limited", "the routing provider's rate limit is exceeded; try again later", {
    retry_after: retryAfter,
  });
}

/**
 * Creates a `no_route` error with the given reasons and their texts. The text of the first reason is the error's
 * message. The caller of the API does not see `cause`.
 */
export function noLifiRoute(reasons: readonly LifiReason[], cause?: unknown): AppError {
  const [first = "no_quote"] = reasons;
  const members = { reasons: reasons.map((code) => ({ code, detail: lifiReasonDetails[code] })) };
  return new AppError("no_route", lifiReasonDetails[first], { members, cause });
}

/**
 * Creates the `upstream_rejected` error for a LI.FI response that does not match the request. `field` is for logs only.
 */
export function lifiRejection(field: string): AppError {
  return failureFrom(
    "upstream_rejected",
    "the provider's response does not match the request",
    new Error(`li.fi: ${field}`),
  );
}

/**
 * Converts an error of a request to LI.FI to an AppError: `upstream_timeout` for a timeout or an open circuit breaker,
 * otherwise `upstream_unavailable`. An AppError is returned unchanged.
 */
export function failureFromLifiRequest(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const timedOut = error instanceof OutsideError && error.kind === "timeout";
  return failureFrom(timedOut ? "upstream_timeout" : "upstream_unavailable", UNAVAILABLE, error);
}

function parseBody(text: string): LifiErrorBody | null {
  try {
    const parsed = LifiErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
