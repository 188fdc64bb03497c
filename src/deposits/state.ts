import type { DepositState, TransferStatusName } from "../schemas/status.ts";

/** How far each state is along a deposit's life; a deposit never goes back. */
const PROGRESS: Readonly<Record<DepositState, number>> = {
  built: 0,
  expired: 0,
  abandoned: 0,
  submitted: 1,
  bridging: 2,
  awaiting_deposit: 3,
  requested: 4,
  claimable: 5,
  failed: 6,
  refunded: 7,
  partial: 7,
  completed: 7,
};

const FINAL: ReadonlySet<DepositState> = new Set(["completed", "partial", "refunded"]);

/**
 * Whether what was seen moves a deposit on. States only advance: nothing leaves completed, partial and
 * refunded; failed gives way to what the chain proves later (a refund, or a transaction sent again).
 * Evidence reopens expired and abandoned.
 */
export function advances(from: DepositState, to: DepositState): boolean {
  if (FINAL.has(from)) return false;
  if (to === "expired" || to === "abandoned")
    return from === "built" || (from === "expired" && to === "abandoned");
  return PROGRESS[to] > PROGRESS[from];
}

/** Whether the state can still change by itself, so that somebody should look at the chain. */
export function isOpen(state: DepositState): boolean {
  return !FINAL.has(state);
}

/** The state as it is now: what was only built is expired once its quote is over. */
export function currentState(row: { state: DepositState; expiresAt: Date }, now: number): DepositState {
  return row.state === "built" && row.expiresAt.getTime() <= now ? "expired" : row.state;
}

const STATUS: Readonly<Record<DepositState, { status: TransferStatusName; substatus: string | null }>> = {
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
  const standard = STATUS[state];
  const refines = own !== null && (state === "failed" || state === "bridging");
  return refines ? { status: standard.status, substatus: own } : standard;
}
