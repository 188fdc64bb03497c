import { SECOND_MS } from "./durations.ts";

/** Last second of the year 9999, after which RFC 3339 has no times. */
const LAST_SECOND = 253_402_300_799;

/**
 * Formats a time in UNIX seconds as RFC 3339 text in UTC. Returns null for null and for a time after the year 9999,
 * because contracts use values such as the maximum uint256 to mean "never".
 */
export function formatUnixTime(seconds: number | null): string | null {
  return seconds === null || seconds > LAST_SECOND ? null : new Date(seconds * SECOND_MS).toISOString();
}
