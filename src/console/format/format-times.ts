import { plural } from "./format-text.ts";

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400];

/**
 * Formats a duration in seconds as text: `45 seconds`, `3 minutes`, `2 days`. Rounds up to the unit shown; less than a
 * second is shown as one.
 */
export function formatDuration(seconds: number): string {
  if (seconds < MINUTE) return plural(Math.max(1, Math.ceil(seconds)), "second");
  if (seconds < HOUR) return plural(Math.ceil(seconds / MINUTE), "minute");
  if (seconds < 2 * DAY) return plural(Math.ceil(seconds / HOUR), "hour");
  return plural(Math.ceil(seconds / DAY), "day");
}

/**
 * Formats the time elapsed since an ISO 8601 time: `just now`, `5 min ago`, `3 h ago`, `2 d ago`. Rounds down, but to
 * at least a minute from 30 seconds on. `now` is in milliseconds since the epoch.
 */
export function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1_000));
  if (seconds < 30) return "just now";
  if (seconds < HOUR) return `${Math.max(1, Math.floor(seconds / MINUTE))} min ago`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  return `${Math.floor(seconds / DAY)} d ago`;
}

/** Formats an ISO 8601 time in the browser's time zone: `22 Nov 2026, 19:04`. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}
