/** Length of a second, in milliseconds. */
export const SECOND_MS = 1_000;
/** Length of a minute, in milliseconds. */
export const MINUTE_MS = 60 * SECOND_MS;
/** Length of an hour, in milliseconds. */
export const HOUR_MS = 60 * MINUTE_MS;
/** Length of a day, in milliseconds. */
export const DAY_MS = 24 * HOUR_MS;
/** Length of a day, in seconds. */
export const DAY_S = DAY_MS / SECOND_MS;

/**
 * Deadline of quotes, builds, and claims and cancellations of redemption requests, in milliseconds after the request's
 * body has arrived. Builds also check it from the start of the HTTP request.
 */
export const BUILD_DEADLINE_MS = 7_300;
