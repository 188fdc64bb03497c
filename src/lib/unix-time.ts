import { SECOND_MS } from "./durations.ts";

/** Last second of the year 9999 in UNIX seconds, after which RFC 3339 has no times. */
const LAST_SECOND = 253_402_300_799;

/**
 * Returns true for UNIX seconds from 1970 to the end of the year 9999. Nodes and contracts may return any other number,
 * of which a `Date` may be invalid.
 */
export const isUnixTime = (seconds: number): boolean => seconds >= 0 && seconds <= LAST_SECOND;

/**
 * Formats a time in UNIX seconds as RFC 3339 text in UTC. Returns null for null and for a time that `isUnixTime`
 * rejects, because contracts use values such as the maximum uint256 to mean "never".
 */
export function formatUnixTime(seconds: number | null): string | null {
  return seconds === null || !isUnixTime(seconds) ? null : new Date(seconds * SECOND_MS).toISOString();
}
