import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../lib/durations.ts";

/** First and longest pause between two checks of a deposit while its tokens are in transit, in milliseconds. */
const IN_FLIGHT_MS = { first: 15 * SECOND_MS, most: HOUR_MS } as const;
/**
 * First and longest pause between two checks of a deposit while nothing was seen on-chain, or while the user or the
 * vault must act, in milliseconds.
 */
const IDLE_MS = { first: 60 * SECOND_MS, most: 6 * HOUR_MS } as const;
/**
 * Maximum age at which the poller still checks a deposit that was not sent, that failed, or that ended as `partial`
 * without shares, in milliseconds.
 */
const UNSEEN_TTL_MS = 3 * DAY_MS;
/** Maximum age at which the poller still checks a deposit that waits for its user or its vault, in milliseconds. */
const USER_STEP_TTL_MS = 30 * DAY_MS;
const MAX_DOUBLINGS = 20;

/**
 * Returns the time of a deposit's next check by the poller, or null if the poller stops checking it. `now` is in unix
 * milliseconds. The pause doubles with every check that finds no change. A deposit whose tokens are in transit is
 * checked indefinitely.
 */
export function nextCheck(
  row: Pick<DepositRow, "state" | "checks" | "createdAt" | "shares">,
  now: number,
): Date | null {
  const age = now - row.createdAt.getTime();
  switch (row.state) {
    case "submitted":
    case "bridging":
      return backoff(IN_FLIGHT_MS, { checks: row.checks, now });
    case "built":
    case "expired":
    case "abandoned":
    case "failed":
      return age > UNSEEN_TTL_MS ? null : backoff(IDLE_MS, { checks: row.checks, now });
    case "awaiting_deposit":
    case "requested":
    case "claimable":
      return age > USER_STEP_TTL_MS ? null : backoff(IDLE_MS, { checks: row.checks, now });
    case "partial":
      return row.shares !== null || age > UNSEEN_TTL_MS
        ? null
        : backoff(IDLE_MS, { checks: row.checks, now });
    case "completed":
    case "refunded":
      return null;
  }
}

function backoff(
  pause: { first: number; most: number },
  { checks, now }: { checks: number; now: number },
): Date {
  const doubled = pause.first * 2 ** Math.min(checks, MAX_DOUBLINGS);
  return new Date(now + Math.min(doubled, pause.most));
}
