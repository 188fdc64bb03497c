import { AppError, type ErrorCode, errorTable } from "../errors.ts";
import { NO_STORE } from "./respond.ts";

/**
 * Default of `Retry-After` by HTTP status, in seconds: a whole rate limit window, or about the time for which a failed
 * dependency is not called.
 */
const RETRY_AFTER_S: Readonly<Partial<Record<number, number>>> = { 429: 60, 503: 5, 504: 5 };

/**
 * Returns the response for an error: its problem document (RFC 9457) with the HTTP status of its code, never cacheable.
 * `Retry-After`, in seconds, is the error's `retry_after` or a default for 429, 503 and 504. A 401 has
 * `WWW-Authenticate`.
 */
export function problemResponse(error: AppError, requestId: string): Response {
  const { status, title } = errorTable[error.code];
  const body = {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...error.members,
  };
  const headers: Record<string, string> = {
    "content-type": "application/problem+json",
    "cache-control": NO_STORE,
  };
  const retryAfter = error.members["retry_after"] ?? RETRY_AFTER_S[status];
  // RFC 9110, section 15.5.2. An API key with its secret is no HTTP authentication scheme, so that it has no challenge.
  if (status === 401) headers["www-authenticate"] = 'Bearer realm="causeway"';
  if (typeof retryAfter === "number") headers["retry-after"] = String(retryAfter);
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * Returns the error that the caller sees: the error itself if it is an AppError, otherwise `internal` with the error as
 * its cause.
 */
export function publicError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError("internal", "an unexpected error occurred", { cause: error });
}

/** Error codes that are documented for every route. */
export const commonErrors: readonly ErrorCode[] = ["internal"];
