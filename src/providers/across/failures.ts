import { type AppError, failure, failureFrom } from "../../errors.ts";
import { type BoundedResponse, OutsideError } from "../../lib/bounded-fetch.ts";
import { noRoute } from "./route.ts";
import { ErrorBody } from "./schema.ts";

/** Refusals that mean this transfer has no route, with our words for them. */
const REASONS: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  AMOUNT_TOO_LOW: ["amount_too_low", "the amount does not cover the bridge's fees"],
  AMOUNT_TOO_HIGH: ["amount_too_high", "the amount is more than the bridge can move now"],
  ROUTE_NOT_ENABLED: ["route_not_enabled", "the bridge does not move this token between these chains"],
  INVALID_PARAM: ["route_not_enabled", "the bridge does not know this token or chain"],
  SIMULATION_ERROR: ["destination_call_failed", "the call on the destination chain would fail"],
};

const DEFAULT_RETRY_SECONDS = 60;
const MAX_RETRY_SECONDS = 3_600;

/**
 * The failure that an answer other than 200 stands for: `no_route` with a reason where the bridge declines
 * the transfer, `rate_limited` on 429, otherwise `upstream_unavailable`; 504 is `upstream_timeout`.
 */
export function failureOfAnswer(response: BoundedResponse, now: number): AppError {
  const { status } = response;
  if (status === 429) {
    const retryAfter = retrySeconds(response.headers.get("retry-after"), now);
    return failure("rate_limited", "the bridge takes no more requests for now", { retry_after: retryAfter });
  }
  const cause = new OutsideError("status", `the bridge answered ${status}`, { status });
  if (status === 504) return failureFrom("upstream_timeout", "the bridge did not answer in time", cause);
  const body = errorBody(response.text);
  const reason = status === 400 && body?.code !== undefined ? REASONS[body.code] : undefined;
  if (reason !== undefined) return noRoute(...reason);
  if (status === 404 && body !== null)
    return noRoute("route_not_enabled", "the bridge does not know this token");
  return failureFrom("upstream_unavailable", "the bridge cannot be used now", cause);
}

/** The failure that a broken, slow or oversized exchange stands for. */
export function failureOfExchange(error: unknown): AppError {
  return error instanceof OutsideError && error.kind === "timeout"
    ? failureFrom("upstream_timeout", "the bridge did not answer in time", error)
    : failureFrom("upstream_unavailable", "the bridge cannot be used now", error);
}

/** Whether the answer is the indexer's own "no such deposit", not some page's 404. */
export function isDepositUnknown(response: BoundedResponse): boolean {
  return response.status === 404 && errorBody(response.text)?.error === "DepositNotFoundException";
}

function errorBody(text: string) {
  try {
    const parsed = ErrorBody.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** `Retry-After` in seconds, from seconds or a date, kept within reason. Source: RFC 9110 10.2.3. */
function retrySeconds(header: string | null, now: number): number {
  if (header === null || header.trim() === "") return DEFAULT_RETRY_SECONDS;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000);
  if (Number.isNaN(seconds)) return DEFAULT_RETRY_SECONDS;
  return Math.min(Math.max(seconds, 1), MAX_RETRY_SECONDS);
}
