import type { ProviderStatus } from "../../providers/provider.ts";
import type { DepositState, TransferStatusName } from "../../schemas/deposit.ts";

/** What a chain can show of a deposit, in a receipt or in its state. */
export type OnchainEvent =
  /** The transaction that build handed out did its work, and the money left for the vault's chain or token. */
  | "source_succeeded"
  | "source_reverted"
  /** What was moved reached the user, who deposits it in a second transaction. */
  | "token_awaits_deposit"
  /** What was moved reached the user instead of the vault. */
  | "token_only"
  | "refund"
  /** Shares reached the user: the Router's own event for this reference, or a transfer. */
  | "shares"
  | "deposit_reverted"
  | "vault_requested"
  | "vault_settled"
  /** The vault refused the request for good, and gave nothing back. */
  | "vault_rejected"
  | "vault_claimed";

/** One thing that was learnt of a deposit. */
export type StateEvent =
  /** The transaction that build handed out waits to be included. */
  | { kind: "source_pending" }
  /** `confirmed`: as deep in its chain as that chain's proofs have to be. */
  | { kind: "chain"; shows: OnchainEvent; confirmed: boolean }
  /** What whoever moves the money says; where to look, and nothing else. */
  | { kind: "provider"; phase: ProviderStatus["phase"] }
  | { kind: "quote_expired" }
  | { kind: "abandoned" };

/**
 * How far each state is along a deposit's life; a deposit never goes back. A source transaction that reverted makes
 * a deposit fail, so that one sent again, and successfully, comes after that; so does a vault that rejects a request.
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

/** Where a deposit is at least, once its chain shows something; null: that says nothing of the state. */
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
 * The state of a deposit after one more thing was learnt of it. States only advance: nothing leaves completed,
 * partial and refunded, nobody's word moves anything, and what a chain has not confirmed shows no more than
 * that the deposit is on its way. Evidence reopens expired and abandoned. Source: SPEC, transfer status.
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

/** Whether chain evidence can still move a deposit, so that somebody should look. */
export function isOpen(state: DepositState): boolean {
  return !FINAL_STATES.has(state);
}

/** Whether no chain has shown anything of a deposit yet. */
export function isUnseen(state: DepositState): boolean {
  return PROGRESS[state] === PROGRESS.built;
}

/** The state as it is now: what was only built is expired once its quote is over. */
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

/** The transfer status that a state stands for; `own` is the more precise substatus, where one is known. */
export function statusOf(
  state: DepositState,
  own: string | null,
): { status: TransferStatusName; substatus: string | null } {
  const standard = TRANSFER_STATUS[state];
  const refines = own !== null && (state === "failed" || state === "bridging");
  return refines ? { status: standard.status, substatus: own } : standard;
}
