import type { TrackedRow } from "../../db/queries/deposit-queries.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../lib/durations.ts";
import type { EvidenceStatus } from "./deposit-evidence.ts";
import { isClaimed } from "./deposit-state-machine.ts";
import { isRejected } from "./track-deposit-request.ts";

/** First and maximum pause between two checks while the source transaction is unconfirmed, in milliseconds. */
const SENT_MS = { first: 5 * SECOND_MS, most: HOUR_MS } as const;
/** First and maximum pause between two checks while the tokens are in transit, in milliseconds. */
const IN_FLIGHT_MS = { first: 15 * SECOND_MS, most: HOUR_MS } as const;
/**
 * First and maximum pause between two checks while the user or the vault must act, in milliseconds. A related event
 * makes the deposit due earlier.
 */
const IDLE_MS = { first: MINUTE_MS, most: 6 * HOUR_MS } as const;
/** Pause between two checks of a deposit that has ended, until its evidence is final, in milliseconds. */
const ENDED_MS = 10 * MINUTE_MS;
/** Time for which a partial deposit is checked for its second step, in milliseconds. */
const PARTIAL_TTL_MS = 3 * DAY_MS;
/**
 * Time for which a row is checked while its user or its vault must act, in milliseconds: also a deposit whose request
 * was rejected, until the vault's refund is found.
 */
const WAITING_TTL_MS = 30 * DAY_MS;
/**
 * Number of checks, about a day's, that a row gets after that time since something made it due, if they find that nodes
 * lack what proves it: it may be an outage, or no node may have it any more.
 */
const MAX_LATE_CHECKS = 32;
const MAX_DOUBLINGS = 20;

type Scheduled = Pick<
  TrackedRow,
  "direction" | "state" | "checks" | "createdAt" | "history" | "shares" | "requestId" | "claimTxHash"
>;

/**
 * Returns the time of a row's next check, or null if none is scheduled, as for an unsent one without hints. `now` is in
 * UNIX milliseconds; `hinted` means that hints of the last 30 days are still unread, `fresh` that one of them is new.
 */
export function nextCheck(
  row: Scheduled,
  at: { now: number; hinted: boolean; fresh: boolean; evidence: EvidenceStatus },
): Date | null {
  const { now, hinted, fresh, evidence } = at;
  const age = now - enteredAt(row);
  const after = (pause: { first: number; most: number }): Date =>
    new Date(now + Math.min(pause.first * 2 ** Math.min(row.checks, MAX_DOUBLINGS), pause.most));
  const idle = (): Date => after(fresh ? SENT_MS : IDLE_MS);
  const ended = (): Date | null => {
    if (hinted) return after(SENT_MS);
    if (evidence === "incomplete")
      return age > WAITING_TTL_MS && row.checks > MAX_LATE_CHECKS ? null : after(SENT_MS);
    return evidence === "final" ? null : new Date(now + ENDED_MS);
  };
  switch (row.state) {
    case "built":
    case "expired":
    case "abandoned":
      return hinted ? after(SENT_MS) : null;
    case "submitted":
      return after(SENT_MS);
    case "bridging":
      return after(IN_FLIGHT_MS);
    case "awaiting_deposit":
    case "awaiting_transfer":
    case "requested":
    case "cooling":
    case "claimable":
      return age > WAITING_TTL_MS ? ended() : idle();
    case "failed":
      return row.direction === "deposit" && isRejected(row) && !isClaimed(row) && age <= WAITING_TTL_MS
        ? idle()
        : ended();
    case "partial":
      return row.direction === "deposit" && row.shares === null && age <= PARTIAL_TTL_MS ? idle() : ended();
    case "completed":
    case "refunded":
    case "cancelled":
    case "rejected":
      return ended();
  }
}

/**
 * Returns the time at which a row entered its state, in UNIX milliseconds: a vault may take weeks until it decides. An
 * open request counts from its first time in the state: a vault may report it as claimable and pending by turns.
 */
function enteredAt({ state, history, createdAt }: Scheduled): number {
  const before = history.findLastIndex((entry) => !OF_REQUESTS.has(entry.state));
  const entered = history.slice(before + 1).find((entry) => entry.state === state) ?? history.at(-1);
  return entered === undefined ? createdAt.getTime() : Date.parse(entered.at);
}

const OF_REQUESTS: ReadonlySet<TrackedRow["state"]> = new Set(["requested", "cooling", "claimable"]);
