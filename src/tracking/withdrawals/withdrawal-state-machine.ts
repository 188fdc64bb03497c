import type { Hex } from "viem";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import type { ProviderStatus } from "../../providers/provider.ts";
import { isSubstatus, type Substatus, type TransferStatusName } from "../../schemas/step-schema.ts";
import type { WithdrawalState } from "../../schemas/withdrawal-schema.ts";

/** An on-chain event of a withdrawal, as a receipt or a view function of the vault shows it. */
export type OnchainWithdrawalEvent =
  | "source_reverted"
  /** The redemption succeeded and took the shares, but its receipt shows no payment, or too little of another token. */
  | "nothing_paid"
  /** The redemption or the second step sent the vault's payment into a bridge. */
  | "transfer_sent"
  /** The user received the vault's payment, but requested another token or another chain. */
  | "assets_paid"
  /** The user received the requested token. */
  | "token_paid"
  /** A part of the request was paid; the rest was rejected or cancelled, or expired with its shares in the wallet. */
  | "partly_paid"
  /** The bridge refunded the payment. */
  | "refund"
  | "request_made"
  | "cooldown_started"
  /** The vault reports an open request without a claimable part. */
  | "request_pending"
  | "cooldown_pending"
  | "request_claimable"
  /** The claim window of the request has ended, and its shares are in the user's wallet. */
  | "request_expired"
  /** The vault settled the request: it took the shares, but paid the user nothing. */
  | "request_unpaid"
  /** The vault rejected the request, with or without returning the shares. */
  | "request_rejected"
  /** The request was cancelled and its shares were returned. */
  | "request_cancelled";

/**
 * An event of a withdrawal: a pending first transaction, an on-chain event, a provider's status, or a caller's request
 * to mark it as abandoned.
 */
export type WithdrawalEvent =
  /** The first transaction is pending. */
  | { kind: "source_pending" }
  /** `confirmed`: its transaction has the confirmations that its chain requires, or a view function shows it. */
  | { kind: "chain"; shows: OnchainWithdrawalEvent; confirmed: boolean }
  /** A provider's status, or with `unknown` a change of columns alone. It never changes the state. */
  | { kind: "provider"; phase: ProviderStatus["phase"] }
  | { kind: "abandoned" };

/**
 * Progress of each withdrawal state. Progress never decreases, except when a request is no longer claimable or has
 * expired. `failed` ranks below the states after it, because a reverted transaction may be sent again.
 */
const PROGRESS: Readonly<Record<WithdrawalState, number>> = {
  built: 0,
  expired: 0,
  abandoned: 0,
  submitted: 1,
  failed: 2,
  requested: 3,
  cooling: 3,
  claimable: 4,
  awaiting_transfer: 5,
  bridging: 6,
  completed: 7,
  partial: 7,
  refunded: 7,
  cancelled: 7,
  rejected: 7,
};

/** State that a withdrawal has at least reached after a confirmed on-chain event. */
const REACHED: Readonly<Record<OnchainWithdrawalEvent, WithdrawalState>> = {
  source_reverted: "failed",
  nothing_paid: "failed",
  transfer_sent: "bridging",
  assets_paid: "awaiting_transfer",
  token_paid: "completed",
  partly_paid: "partial",
  refund: "refunded",
  request_made: "requested",
  cooldown_started: "cooling",
  request_pending: "requested",
  cooldown_pending: "cooling",
  request_claimable: "claimable",
  request_expired: "failed",
  request_unpaid: "failed",
  request_rejected: "rejected",
  request_cancelled: "cancelled",
};

/** Events of open requests. They change nothing in a withdrawal without an open request. */
const OF_REQUESTS: ReadonlySet<OnchainWithdrawalEvent> = new Set([
  "request_pending",
  "cooldown_pending",
  "request_claimable",
  "request_expired",
  "request_unpaid",
  "request_rejected",
  "request_cancelled",
]);

/**
 * Returns the state of a withdrawal after an event. `completed`, `partial`, `refunded`, `cancelled` and `rejected` are
 * final, a provider's status changes nothing, and an unconfirmed event leads at most to `submitted`.
 */
export function nextWithdrawalState(state: WithdrawalState, event: WithdrawalEvent): WithdrawalState {
  switch (event.kind) {
    case "provider":
      return state;
    case "abandoned":
      return state === "built" || state === "expired" ? "abandoned" : state;
    case "source_pending":
      return furthest(state, "submitted");
    case "chain": {
      const reached = REACHED[event.shows];
      if (!event.confirmed) return OF_REQUESTS.has(event.shows) ? state : furthest(state, "submitted");
      if (OF_REQUESTS.has(event.shows)) return isOpenRequest(state) ? reached : state;
      return furthest(state, reached);
    }
  }
}

function furthest(from: WithdrawalState, to: WithdrawalState): WithdrawalState {
  return PROGRESS[to] > PROGRESS[from] ? to : from;
}

/**
 * Returns true while a withdrawal waits for a cooldown, for the vault to pay its request, or for the user to claim the
 * payment.
 */
export function isOpenRequest(state: WithdrawalState): boolean {
  return state === "requested" || state === "cooling" || state === "claimable";
}

/**
 * Returns true if an on-chain event can still change the state of a withdrawal: in all states except `completed`,
 * `partial`, `refunded`, `cancelled` and `rejected`.
 */
export function isOpenWithdrawal(state: WithdrawalState): boolean {
  return PROGRESS[state] < PROGRESS.completed;
}

/**
 * Returns the hash of a withdrawal's proven second step, or null. Of several in one transaction that leave one vault,
 * only the first is `depositProven`, as the index of the proofs demands: the state shows that the others are proven too.
 */
export const secondStepOf = ({
  depositTxHash,
  depositProven,
  state,
}: Pick<WithdrawalRow, "depositTxHash" | "depositProven" | "state">): Hex | null =>
  depositProven || PROGRESS[state] >= PROGRESS.bridging ? (depositTxHash as Hex | null) : null;

/** Returns true if a withdrawal counts as not sent: in the states `built`, `expired` and `abandoned`. */
export function isUnseenWithdrawal(state: WithdrawalState): boolean {
  return PROGRESS[state] === PROGRESS.built;
}

/**
 * Returns the state of a withdrawal at `now` (UNIX milliseconds): `expired` if the state of its row is `built` and its
 * quote has expired, otherwise the state of its row.
 */
export function currentWithdrawalState(
  row: { state: WithdrawalState; expiresAt: Date },
  now: number,
): WithdrawalState {
  return row.state === "built" && row.expiresAt.getTime() <= now ? "expired" : row.state;
}

/** The transfer status and standard substatus that the API shows for each withdrawal state. */
const TRANSFER_STATUS: Readonly<
  Record<WithdrawalState, { status: TransferStatusName; substatus: Substatus | null }>
> = {
  built: { status: "NOT_FOUND", substatus: null },
  expired: { status: "NOT_FOUND", substatus: null },
  abandoned: { status: "NOT_FOUND", substatus: null },
  submitted: { status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
  requested: { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" },
  cooling: { status: "PENDING", substatus: "WAIT_COOLDOWN" },
  claimable: { status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" },
  awaiting_transfer: { status: "PENDING", substatus: "WAIT_TRANSFER_TRANSACTION" },
  bridging: { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" },
  completed: { status: "DONE", substatus: "COMPLETED" },
  partial: { status: "DONE", substatus: "PARTIAL" },
  refunded: { status: "DONE", substatus: "REFUNDED" },
  cancelled: { status: "DONE", substatus: "CANCELLED" },
  failed: { status: "FAILED", substatus: "UNKNOWN_ERROR" },
  rejected: { status: "FAILED", substatus: "REJECTED" },
};

/**
 * Returns the transfer status and substatus that the API shows for a withdrawal state. In `failed` and `bridging`, the
 * stored substatus `own` replaces the standard one if it is a substatus of the API.
 */
export function statusOfWithdrawal(
  state: WithdrawalState,
  own: string | null,
): { status: TransferStatusName; substatus: Substatus | null } {
  const standard = TRANSFER_STATUS[state];
  const refines = isSubstatus(own) && (state === "failed" || state === "bridging");
  return refines ? { status: standard.status, substatus: own } : standard;
}
