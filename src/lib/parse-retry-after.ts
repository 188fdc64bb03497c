/**
 * Parses a `Retry-After` header (seconds or an HTTP date) to whole seconds from `nowMs` (milliseconds since the epoch),
 * rounded up; at most 0 for past dates. Null if it is missing or unreadable, or a date in the form of C's
 * `asctime`. Source: RFC 9110, 10.2.3 and 5.6.7.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | null {
  const seconds = parseSeconds(header);
  if (seconds !== null || header === null) return seconds;
  const date = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.ceil((date - nowMs) / 1000);
}

/** `Date.parse` itself takes almost any text with a number in it for a date. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** Parses a header that holds whole seconds (at most 15 digits), or returns null if it is missing or malformed. */
export function parseSeconds(header: string | null): number | null {
  return header !== null && /^[0-9]{1,15}$/.test(header) ? Number(header) : null;
}
