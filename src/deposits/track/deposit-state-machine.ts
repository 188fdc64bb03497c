import type { ProviderStatus } from "../../providers/provider.ts";
import type { DepositState, TransferStatusName } from "../../schemas/deposit-schema.ts";

/** An event that a receipt or a vault's view shows for a deposit. */
export type OnchainEvent =
  /** The source transaction succeeded, and the money left for the vault's chain or token. */
  | "source_succeeded"
  | "source_reverted"
  /** The delivered token reached the user, who deposits it in a second transaction. */
  | "token_awaits_deposit"
  /** The delivered token reached the user instead of the vault. */
  | "token_only"
  | "refund"
  /** Shares reached the user, by the Router's event or by a transfer. */
  | "shares"
  | "deposit_reverted"
  | "vault_requested"
  | "vault_settled"
  /** The vault rejected the request and returned nothing. */
  | "vault_rejected"
  | "vault_claimed";

/** Something learned about a deposit. */
export type StateEvent =
  /** The source transaction is pending. */
  | { kind: "source_pending" }
  /** `confirmed` is true when the block has the chain's required confirmations. */
  | { kind: "chain"; shows: OnchainEvent; confirmed: boolean }
  /** A provider's status: it names transactions to read and never changes the state. */
  | { kind: "provider"; phase: ProviderStatus["phase"] }
  | { kind: "quote_expired" }
  | { kind: "abandoned" };

/**
 * Progress of a deposit in each state; it never decreases. `failed` ranks below later states because a
 * reverted transaction may be sent again.
 */
const PROGRESS: Readonly<Record<DepositState, number>> = {
  built: 0,
  expired: 0,
  abandoned: 0,
  submitted: 1,
  failed: 2,
  bridging: 3,
  awaiting_deposit: 4,
  requested: 5,
  claimable: 6,
  refunded: 7,
  partial: 7,
  completed: 7,
};

const FINAL_STATES: ReadonlySet<DepositState> = new Set(["completed", "partial", "refunded"]);

/** The state that a confirmed event implies at least; null when it implies none. */
const REACHED: Readonly<Record<OnchainEvent, DepositState | null>> = {
  source_succeeded: "bridging",
  source_reverted: "failed",
  token_awaits_deposit: "awaiting_deposit",
  token_only: "partial",
  refund: "refunded",
  shares: "completed",
  deposit_reverted: null,
  vault_requested: "requested",
  vault_settled: "claimable",
  vault_rejected: null,
  vault_claimed: "completed",
};

/**
 * Returns the state of a deposit after an event. States only advance: `completed`, `partial` and `refunded`
 * are final, provider statuses change nothing, and an unconfirmed event gives at most `submitted`. A chain
 * event reopens `expired` and `abandoned`.
 */
export function nextState(state: DepositState, event: StateEvent): DepositState {
  switch (event.kind) {
    case "provider":
      return state;
    case "quote_expired":
      return state === "built" ? "expired" : state;
    case "abandoned":
      return state === "built" || state === "expired" ? "abandoned" : state;
    case "source_pending":
      return furthest(state, "submitted");
    case "chain": {
      const { confirmed, shows } = event;
      if (shows === "vault_rejected") return confirmed && state === "requested" ? "failed" : state;
      const reached = confirmed ? REACHED[shows] : "submitted";
      return reached === null ? state : furthest(state, reached);
    }
  }
}

function furthest(from: DepositState, to: DepositState): DepositState {
  return PROGRESS[to] > PROGRESS[from] ? to : from;
}

/** Returns true while a chain event can still change the state. */
export function isOpen(state: DepositState): boolean {
  return !FINAL_STATES.has(state);
}

/** Returns true while no chain has shown anything of the deposit. */
export function isUnseen(state: DepositState): boolean {
  return PROGRESS[state] === PROGRESS.built;
}

/** Returns the state at `now` (unix milliseconds): an unsent deposit is expired once its quote is. */
export function currentState(row: { state: DepositState; expiresAt: Date }, now: number): DepositState {
  return row.state === "built" && row.expiresAt.getTime() <= now ? "expired" : row.state;
}

const TRANSFER_STATUS: Readonly<
  Record<DepositState, { status: TransferStatusName; substatus: string | null }>
> = {
  built: { status: "NOT_FOUND", substatus: null },
  expired: { status: "NOT_FOUND", substatus: null },
  abandoned: { status: "NOT_FOUND", substatus: null },
  submitted: { status: "PENDING", substatus: "WAIT_SOURCE_CONFIRMATIONS" },
  bridging: { status: "PENDING", substatus: "WAIT_DESTINATION_TRANSACTION" },
  awaiting_deposit: { status: "PENDING", substatus: "WAIT_DEPOSIT_TRANSACTION" },
  requested: { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" },
  claimable: { status: "PENDING", substatus: "WAIT_CLAIM_TRANSACTION" },
  completed: { status: "DONE", substatus: "COMPLETED" },
  partial: { status: "DONE", substatus: "PARTIAL" },
  refunded: { status: "DONE", substatus: "REFUNDED" },
  failed: { status: "FAILED", substatus: "UNKNOWN_ERROR" },
};

/** Returns the transfer status of a state; `own` is a more precise substatus when one is known. */
export function statusOf(
  state: DepositState,
  own: string | null,
): { status: TransferStatusName; substatus: string | null } {
  const standard = TRANSFER_STATUS[state];
  const refines = own !== null && (state === "failed" || state === "bridging");
  return refines ? { status: standard.status, substatus: own } : standard;
}
