import type { ProviderStatus } from "../../providers/provider.ts";
import type { DepositState } from "../../schemas/deposit-schema.ts";
import { isSubstatus, type Substatus, type TransferStatusName } from "../../schemas/step-schema.ts";

/** An on-chain event of a deposit, as a receipt or a view function of the vault shows it. */
export type OnchainEvent =
  /** The source transaction of a routed deposit succeeded, so its tokens are in transit or swapped. */
  | "source_succeeded"
  | "source_reverted"
  /** The delivered token reached the user, who deposits it in a second transaction. */
  | "token_awaits_deposit"
  /** The delivered token reached the user instead of being deposited into the vault. */
  | "token_only"
  | "refund"
  /** Shares reached the user. */
  | "shares"
  | "deposit_reverted"
  | "vault_requested"
  | "vault_settled"
  /** The vault reports assets that wait, and nothing to claim: what it had settled was claimed. */
  | "vault_pending"
  /** The vault rejected the request, and no return of the assets was found. */
  | "vault_rejected"
  | "vault_claimed"
  /** A part of the request gave shares, and the vault paid the rest back. */
  | "vault_partly_claimed"
  /** The vault settled the request: it took the assets, but gave the user no shares. */
  | "vault_unminted";

/**
 * An event of a deposit: a pending source transaction, an on-chain event, a provider's status, or a caller's request to
 * mark it as abandoned.
 */
export type StateEvent =
  /** The source transaction is pending. */
  | { kind: "source_pending" }
  /** `confirmed`: its transaction has the confirmations that its chain requires, or a view function shows it. */
  | { kind: "chain"; shows: OnchainEvent; confirmed: boolean }
  /** A provider's status, or with `unknown` a change of columns alone. It never changes the state. */
  | { kind: "provider"; phase: ProviderStatus["phase"] }
  | { kind: "abandoned" };

/**
 * Progress of each deposit state. Progress never decreases, except when a vault rejects a request, gives no shares or
 * has settled only a part. `failed` ranks below
 * the states after it, because a reverted transaction may be sent again.
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

/** Deposit states that no event changes. */
const FINAL_STATES: ReadonlySet<DepositState> = new Set(["completed", "partial", "refunded"]);

/** State that a deposit has at least reached after a confirmed on-chain event; null if the event implies none. */
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
  vault_pending: null,
  vault_rejected: null,
  vault_claimed: "completed",
  vault_partly_claimed: "partial",
  vault_unminted: null,
};

/**
 * Returns the state of a deposit after an event. `completed`, `partial` and `refunded` are final, a provider's status
 * changes nothing, and an unconfirmed on-chain event leads at most to `submitted`.
 */
export function nextState(state: DepositState, event: StateEvent): DepositState {
  switch (event.kind) {
    case "provider":
      return state;
    case "abandoned":
      return state === "built" || state === "expired" ? "abandoned" : state;
    case "source_pending":
      return furthest(state, "submitted");
    case "chain": {
      const { confirmed, shows } = event;
      if (shows === "vault_rejected") return confirmed && state === "requested" ? "failed" : state;
      // Of a deposit that awaits its second step, the request was made by a deposit of its own.
      if (shows === "vault_unminted")
        return confirmed && (isRequested({ state }) || state === "awaiting_deposit") ? "failed" : state;
      if (shows === "vault_pending") return confirmed && state === "claimable" ? "requested" : state;
      const reached = confirmed ? REACHED[shows] : "submitted";
      return reached === null ? state : furthest(state, reached);
    }
  }
}

function furthest(from: DepositState, to: DepositState): DepositState {
  return PROGRESS[to] > PROGRESS[from] ? to : from;
}

/**
 * Returns true if an on-chain event can still change the state of a deposit: in all states except `completed`,
 * `partial` and `refunded`.
 */
export function isOpen(state: DepositState): boolean {
  return !FINAL_STATES.has(state);
}

/** Returns true while a deposit waits for the vault to settle its request, or for the user to claim the shares. */
export function isRequested({ state }: { state: DepositState }): boolean {
  return state === "requested" || state === "claimable";
}

/**
 * Returns true if a deposit's `depositTxHash` is proven to be its own. Of several deposits in one transaction only the
 * first is `depositProven`, as the index of the proofs demands: of the others with a request, the history shows it.
 */
export const madeOwnDeposit = ({
  depositProven,
  history,
}: {
  depositProven: boolean;
  history: readonly { state: DepositState }[];
}): boolean => depositProven || history.some(isRequested);

/** Returns true if a deposit's request has ended with a claim, also with one that gave no shares. */
export function isClaimed(row: {
  state: string;
  claimTxHash: string | null;
  shares: string | null;
}): boolean {
  return (
    row.claimTxHash !== null &&
    (row.state === "completed" || (["failed", "partial"].includes(row.state) && row.shares !== null))
  );
}

/** Returns true if a deposit counts as not sent: in the states `built`, `expired` and `abandoned`. */
export function isUnseen(state: DepositState): boolean {
  return PROGRESS[state] === PROGRESS.built;
}

/**
 * Returns the state of a deposit at `now` (UNIX milliseconds): `expired` if the state of its row is `built` and its
 * quote has expired, otherwise the state of its row.
 */
export function currentState(row: { state: DepositState; expiresAt: Date }, now: number): DepositState {
  return row.state === "built" && row.expiresAt.getTime() <= now ? "expired" : row.state;
}

/** The transfer status and standard substatus that the API shows for each deposit state. */
const TRANSFER_STATUS: Readonly<
  Record<DepositState, { status: TransferStatusName; substatus: Substatus | null }>
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

/**
 * Returns the transfer status and substatus that the API shows for a deposit state. In `failed` and `bridging`, the
 * stored substatus `own` replaces the standard one if it is a substatus of the API.
 */
export function statusOf(
  state: DepositState,
  own: string | null,
): { status: TransferStatusName; substatus: Substatus | null } {
  const standard = TRANSFER_STATUS[state];
  const refines = isSubstatus(own) && (state === "failed" || state === "bridging");
  return refines ? { status: standard.status, substatus: own } : standard;
}
