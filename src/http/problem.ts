import { AppError, type ErrorCode, errorTable } from "../errors.ts";

/** Makes the problem document of a failure (RFC 9457). */
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

/** The code an error has in public: its own, or `internal` for what nobody foresaw. */
export function publicError(error: unknown): AppError {
  return error instanceof AppError
    ? error
    : new AppError("internal", "an unforeseen failure", { cause: error });
}

/** Codes that any route can give. */
export const commonErrors: readonly ErrorCode[] = ["internal"];
