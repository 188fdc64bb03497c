import { AppError, type ErrorCode, errorTable } from "../errors.ts";

/** Makes the problem document of an error (RFC 9457). */
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
    "cache-control": "no-store",
  };
  const retryAfter = error.members["retry_after"];
  if (typeof retryAfter === "number") headers["retry-after"] = String(retryAfter);
  return new Response(JSON.stringify(body), { status, headers });
}

/** Returns the error to show: itself when it has a public code, otherwise `internal` with the error as cause. */
export function publicError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError("internal", "an unexpected error occurred", { cause: error });
}

/** Error codes of every route. */
export const commonErrors: readonly ErrorCode[] = ["internal"];
