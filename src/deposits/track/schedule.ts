import type { DepositRow } from "../../db/queries/deposits.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../lib/durations.ts";

/** While money is on its way: soon at first, then ever more seldom. */
const IN_FLIGHT_MS = { first: 15 * SECOND_MS, most: HOUR_MS } as const;
/** While nothing was seen, or the user is to act: less is at stake. */
const IDLE_MS = { first: 60 * SECOND_MS, most: 6 * HOUR_MS } as const;
/** How long after it was built somebody looks for a deposit that nobody was seen to send. */
const UNSEEN_TTL_MS = 3 * DAY_MS;
/** How long after that a user's own step is looked for. */
const USER_STEP_TTL_MS = 30 * DAY_MS;
const MAX_DOUBLINGS = 20;

/**
 * When a deposit is to be looked at again, by the clock `now` (milliseconds); null: not by itself any more. The
 * pause doubles with each look that changed nothing. Money on its way is never given up.
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
