import { AppError, failure, failureFrom } from "../../errors.ts";
import { OutsideError } from "../../lib/bounded-fetch.ts";
import { retryAfterSeconds } from "./rate-memory.ts";
import { type RouteReason, routeReasons, toolReason } from "./reasons.ts";
import { LifiErrorBody } from "./schema.ts";

/** An answer that is not 200. */
export interface LifiRefusal {
  status: number;
  headers: Headers;
  text: string;
  /** Milliseconds since the epoch. */
  now: number;
}

type Meaning = RouteReason | "rate_limited" | "unavailable" | "timeout";

/** LI.FI's error codes. Source: docs.li.fi/api-reference/error-codes. */
const byCode: Readonly<Record<number, Meaning>> = {
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
const byStatus: Readonly<Record<number, Meaning>> = {
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
export function refusalToFailure(refusal: LifiRefusal): AppError {
  const body = parseBody(refusal.text);
  const meaning = meaningOf(refusal.status, body);
  const cause = new Error(`li.fi answered ${refusal.status}, code ${body?.code ?? "none"}`);
  if (meaning === "rate_limited") return rateLimited(retryAfterSeconds(refusal.headers, refusal.now));
  if (meaning === "timeout") return failureFrom("upstream_timeout", UNAVAILABLE, cause);
  if (meaning === "unavailable") return failureFrom("upstream_unavailable", UNAVAILABLE, cause);
  const tools = meaning === "no_quote" ? toolReasons(body?.errors) : [];
  return noRoute(tools.length > 0 ? tools : [meaning], cause);
}

function meaningOf(status: number, body: LifiErrorBody | null): Meaning {
  if (status === 429) return "rate_limited";
  return byCode[body?.code ?? 0] ?? byStatus[status] ?? "unavailable";
}

/** The distinct reasons of tools that had no quote, from either shape of `errors`. */
export function toolReasons(errors: LifiErrorBody["errors"]): RouteReason[] {
  if (errors === null || errors === undefined) return [];
  const failed = Array.isArray(errors)
    ? errors
    : errors.failed.flatMap((path) => Object.values(path.subpaths).flat());
  return [...new Set(failed.map((error) => toolReason(error.code)))];
}

/** Too many requests: `retryAfter` in seconds. */
export function rateLimited(retryAfter: number): AppError {
  return failure("rate_limited", "the routing provider takes no more requests now", {
    retry_after: retryAfter,
  });
}

/** No route, each reason with a sentence of ours. */
export function noRoute(reasons: readonly RouteReason[], cause?: unknown): AppError {
  const [first = "no_quote"] = reasons;
  const members = { reasons: reasons.map((code) => ({ code, detail: routeReasons[code] })) };
  return new AppError("no_route", routeReasons[first], { members, cause });
}

/** An answer whose shape or content is not what was asked for; `field` goes to the log only. */
export function rejected(field: string): AppError {
  return failureFrom(
    "upstream_rejected",
    "the provider's answer differs from the request",
    new Error(`li.fi: ${field}`),
  );
}

/** A call that got no answer. */
export function outsideToFailure(error: unknown): AppError {
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
