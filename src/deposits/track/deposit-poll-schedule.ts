import type { DepositRow } from "../../db/queries/deposit-queries.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../lib/durations.ts";

/** Pauses while money is in transit: short at first, then doubling. */
const IN_FLIGHT_MS = { first: 15 * SECOND_MS, most: HOUR_MS } as const;
/** Longer pauses while nothing was seen on chain or the user must act. */
const IDLE_MS = { first: 60 * SECOND_MS, most: 6 * HOUR_MS } as const;
/** Age up to which an unsent deposit is checked. */
const UNSEEN_TTL_MS = 3 * DAY_MS;
/** Age up to which a deposit is checked that waits for its user or vault. */
const USER_STEP_TTL_MS = 30 * DAY_MS;
const MAX_DOUBLINGS = 20;

/**
 * Returns when to check a deposit next, at `now` in unix milliseconds; null when the poller stops. The pause
 * doubles with every check without a change. Money in transit is checked without an end.
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
