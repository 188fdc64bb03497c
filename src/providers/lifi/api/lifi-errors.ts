import { AppError, failure, failureFrom } from "../../../errors.ts";
import { OutsideError } from "../../../lib/bounded-fetch.ts";
import { LifiErrorBody } from "./lifi-schemas.ts";
import { retryAfterSeconds } from "./rate-limits.ts";

/** Why there is no route, in our words. */
const lifiReasonDetails = {
  bridge_unavailable: "no bridge that can be verified serves this transfer",
  token_unknown: "the provider does not know the token or the chain",
  request_refused: "the provider does not take this transfer",
  no_quote: "the provider has no quote for this transfer",
  transaction_not_built:
    "the provider could not build a transaction; the paying account may lack the balance",
  not_processable: "the provider cannot process this transfer",
  slippage_exceeded: "the price moves by more than the slippage allows",
  insufficient_liquidity: "there is not enough liquidity for this amount",
  amount_too_low: "the amount is too low",
  amount_too_high: "the amount is too high",
  fees_exceed_amount: "the fees are higher than the amount",
  recipient_unsupported: "the bridge does not deliver to this recipient",
  minimum_not_guaranteed: "the bridge cannot guarantee a minimum",
  tool_unavailable: "the bridge or exchange did not answer",
} as const;

type LifiReason = keyof typeof lifiReasonDetails;

/** Upstream tool codes; the misspelt one was used until 2024. Source: docs.li.fi, error codes. */
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

/** The reason behind a tool's code; an unknown one only says that it had no quote. */
export function reasonOfToolCode(code: string): LifiReason {
  return (Object.hasOwn(reasonByToolCode, code) ? reasonByToolCode[code] : undefined) ?? "no_quote";
}

/** An answer that is not 200. */
export interface LifiErrorResponse {
  status: number;
  headers: Headers;
  text: string;
  /** Milliseconds since the epoch. */
  now: number;
}

type ErrorMeaning = LifiReason | "rate_limited" | "unavailable" | "timeout";

/** LI.FI's error codes. Source: docs.li.fi/api-reference/error-codes. */
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

/** What a status means when the body gives no code we know. */
const meaningByStatus: Readonly<Record<number, ErrorMeaning>> = {
  400: "request_refused",
  404: "no_quote",
  408: "timeout",
  409: "slippage_exceeded",
  422: "request_refused",
  429: "rate_limited",
  504: "timeout",
};

const UNAVAILABLE = "the routing provider gave no usable answer";

/** Turns a refusal into our failure: `no_route`, `rate_limited`, `upstream_unavailable` or `upstream_timeout`. */
export function failureFromLifiResponse(refusal: LifiErrorResponse): AppError {
  const body = parseBody(refusal.text);
  const meaning = meaningOf(refusal.status, body);
  const cause = new Error(`li.fi answered ${refusal.status}, code ${body?.code ?? "none"}`);
  if (meaning === "rate_limited") return lifiRateLimited(retryAfterSeconds(refusal.headers, refusal.now));
  if (meaning === "timeout") return failureFrom("upstream_timeout", UNAVAILABLE, cause);
  if (meaning === "unavailable") return failureFrom("upstream_unavailable", UNAVAILABLE, cause);
  const tools = meaning === "no_quote" ? toolErrorReasons(body?.errors) : [];
  return noLifiRoute(tools.length > 0 ? tools : [meaning], cause);
}

function meaningOf(status: number, body: LifiErrorBody | null): ErrorMeaning {
  if (status === 429) return "rate_limited";
  return meaningByCode[body?.code ?? 0] ?? meaningByStatus[status] ?? "unavailable";
}

/** The distinct reasons of tools that had no quote, from either shape of `errors`. */
export function toolErrorReasons(errors: LifiErrorBody["errors"]): LifiReason[] {
  if (errors === null || errors === undefined) return [];
  const failed = Array.isArray(errors)
    ? errors
    : errors.failed.flatMap((path) => Object.values(path.subpaths).flat());
  return [...new Set(failed.map((error) => reasonOfToolCode(error.code)))];
}

/** Too many requests: `retryAfter` in seconds. */
export function lifiRateLimited(retryAfter: number): AppError {
  return failure("rate_limited", "the routing provider takes no more requests now", {
    retry_after: retryAfter,
  });
}

/** No route, each reason with a sentence of ours. */
export function noLifiRoute(reasons: readonly LifiReason[], cause?: unknown): AppError {
  const [first = "no_quote"] = reasons;
  const members = { reasons: reasons.map((code) => ({ code, detail: lifiReasonDetails[code] })) };
  return new AppError("no_route", lifiReasonDetails[first], { members, cause });
}

/** An answer whose shape or content is not what was asked for; `field` goes to the log only. */
export function lifiRejection(field: string): AppError {
  return failureFrom(
    "upstream_rejected",
    "the provider's answer differs from the request",
    new Error(`li.fi: ${field}`),
  );
}

/** A call that got no answer. */
export function failureFromLifiExchange(error: unknown): AppError {
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
