/**
 * Parses a `Retry-After` header (seconds or an HTTP date) to whole seconds from `nowMs` (milliseconds since the epoch),
 * rounded up; at most 0 for past dates. Null if it is missing or unreadable. Source: RFC 9110, 10.2.3.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const seconds = parseSeconds(header);
  if (seconds !== null || header === null) return seconds;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.ceil((date - nowMs) / 1000);
}

/** Parses a header that holds whole seconds (at most 15 digits), or returns null if it is missing or malformed. */
export function parseSeconds(header: string | null): number | null {
  return header !== null && /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
}
