import type { MoveStatus } from "../provider.ts";
import type { Fill } from "./fill.ts";
import type { RelayState } from "./relay.ts";
import type { DepositStatus } from "./schema.ts";

/** What the source chain shows: nothing was read, no such transaction, and so on to a recorded transfer. */
export type SourceEvidence = "unread" | "absent" | "waiting" | "reverted" | "no_deposit" | "deposited";

/** All that is known of a transfer at one moment. */
export interface Evidence {
  /** The API's word; null: it is silent, or gave nothing usable. */
  word: Pick<DepositStatus, "status" | "fillTx" | "refundTx" | "actionsSucceeded"> | null;
  source: SourceEvidence;
  /** The destination's own account; null: unread. */
  relay: RelayState | null;
  /** The delivery, seen in a receipt of the destination. */
  fill: Fill | null;
  /** The destination's clock is past the fill deadline of a transfer that is not filled. */
  overdue: boolean;
}

/** A status without what the contracts witness of it. */
export type ToldStatus = Omit<MoveStatus, "witness">;

const NOTHING: ToldStatus = {
  phase: "unknown",
  substatus: null,
  destinationTxHash: null,
  refundTxHash: null,
  amountReceived: null,
  explorerLink: null,
};
const MOVING: ToldStatus = { ...NOTHING, phase: "moving", substatus: "WAIT_DESTINATION_TRANSACTION" };
const REFUNDING: ToldStatus = { ...NOTHING, phase: "refunding", substatus: "REFUND_IN_PROGRESS" };
const WAITING: ToldStatus = { ...NOTHING, phase: "source_pending", substatus: "WAIT_SOURCE_CONFIRMATIONS" };
const FAILED: ToldStatus = { ...NOTHING, phase: "failed", substatus: "UNKNOWN_ERROR" };

/**
 * Makes a status of the evidence: what a chain shows goes before what the API says, and the API's word is
 * believed only where no chain contradicts it.
 */
export function statusOfEvidence(evidence: Evidence): ToldStatus {
  const { word, source, relay, fill } = evidence;
  if (fill !== null) return delivered(fill);
  if (relay === "filled") return deliveredByWord(word);
  if (source === "reverted") return FAILED;
  if (word === null) return statusWithoutWord(evidence);
  switch (word.status) {
    case "filled":
    case "slowFilled":
      return relay === null ? deliveredByWord(word) : inFlight(evidence);
    case "refunded":
      return { ...NOTHING, phase: "refunded", substatus: "REFUNDED", refundTxHash: word.refundTx };
    case "expired":
      return REFUNDING;
    case "deposit-failed":
      return source === "deposited" ? inFlight(evidence) : FAILED;
    case "deposit-pending":
      return source === "deposited" ? inFlight(evidence) : WAITING;
    case "pending":
    case "slowFillRequested":
      return inFlight(evidence);
  }
}

function statusWithoutWord(evidence: Evidence): ToldStatus {
  if (evidence.source === "deposited") return inFlight(evidence);
  return evidence.source === "waiting" ? WAITING : NOTHING;
}

function inFlight({ overdue }: Evidence): ToldStatus {
  return overdue ? REFUNDING : MOVING;
}

function deliveredByWord(word: Evidence["word"]): ToldStatus {
  return delivered({
    txHash: word?.fillTx ?? null,
    amount: null,
    callsSucceeded: word?.actionsSucceeded ?? null,
  });
}

/** A delivery of which the calls failed left the user with the token itself: partial. */
function delivered(seen: {
  txHash: MoveStatus["destinationTxHash"];
  amount: bigint | null;
  callsSucceeded: boolean | null;
}): ToldStatus {
  const substatus = seen.callsSucceeded === null ? null : seen.callsSucceeded ? "COMPLETED" : "PARTIAL";
  return {
    ...NOTHING,
    phase: "delivered",
    substatus,
    destinationTxHash: seen.txHash,
    amountReceived: seen.amount,
  };
}
