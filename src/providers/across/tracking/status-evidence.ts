import type { ProviderStatus } from "../../provider.ts";
import type { AcrossDepositStatus } from "../across-schemas.ts";
import type { Fill } from "./fill.ts";
import type { RelayState } from "./spoke-pool.ts";

/** What the source chain shows: nothing was read, no such transaction, and so on to a recorded transfer. */
export type SourceEvidence = "unread" | "absent" | "waiting" | "reverted" | "no_deposit" | "deposited";

/** All that is known of a transfer at one moment. */
export interface TransferEvidence {
  /** The API's word; null: it is silent, or gave nothing usable. */
  word: Pick<AcrossDepositStatus, "status" | "fillTx" | "refundTx" | "actionsSucceeded"> | null;
  source: SourceEvidence;
  /** The destination's own account; null: unread. */
  relay: RelayState | null;
  /** The delivery, seen in a receipt of the destination. */
  fill: Fill | null;
  /** The destination's clock is past the fill deadline of a transfer that is not filled. */
  overdue: boolean;
}

/** A status without what the contracts witness of it. */
export type UnprovenStatus = Omit<ProviderStatus, "witness">;

const STATUS_UNKNOWN: UnprovenStatus = {
  phase: "unknown",
  substatus: null,
  destinationTxHash: null,
  refundTxHash: null,
  amountReceived: null,
  explorerLink: null,
};
const STATUS_MOVING: UnprovenStatus = {
  ...STATUS_UNKNOWN,
  phase: "moving",
  substatus: "WAIT_DESTINATION_TRANSACTION",
};
const STATUS_REFUNDING: UnprovenStatus = {
  ...STATUS_UNKNOWN,
  phase: "refunding",
  substatus: "REFUND_IN_PROGRESS",
};
const STATUS_WAITING: UnprovenStatus = {
  ...STATUS_UNKNOWN,
  phase: "source_pending",
  substatus: "WAIT_SOURCE_CONFIRMATIONS",
};
const STATUS_FAILED: UnprovenStatus = { ...STATUS_UNKNOWN, phase: "failed", substatus: "UNKNOWN_ERROR" };

/**
 * Makes a status of the evidence: what a chain shows goes before what the API says, and the API's word is
 * believed only where no chain contradicts it.
 */
export function statusFromEvidence(evidence: TransferEvidence): UnprovenStatus {
  const { word, source, relay, fill } = evidence;
  if (fill !== null) return deliveredStatus(fill);
  if (relay === "filled") return deliveredByApi(word);
  if (source === "reverted") return STATUS_FAILED;
  if (word === null) return statusWithoutApi(evidence);
  switch (word.status) {
    case "filled":
    case "slowFilled":
      return relay === null ? deliveredByApi(word) : inFlightStatus(evidence);
    case "refunded":
      return { ...STATUS_UNKNOWN, phase: "refunded", substatus: "REFUNDED", refundTxHash: word.refundTx };
    case "expired":
      return STATUS_REFUNDING;
    case "deposit-failed":
      return source === "deposited" ? inFlightStatus(evidence) : STATUS_FAILED;
    case "deposit-pending":
      return source === "deposited" ? inFlightStatus(evidence) : STATUS_WAITING;
    case "pending":
    case "slowFillRequested":
      return inFlightStatus(evidence);
  }
}

function statusWithoutApi(evidence: TransferEvidence): UnprovenStatus {
  if (evidence.source === "deposited") return inFlightStatus(evidence);
  return evidence.source === "waiting" ? STATUS_WAITING : STATUS_UNKNOWN;
}

function inFlightStatus({ overdue }: TransferEvidence): UnprovenStatus {
  return overdue ? STATUS_REFUNDING : STATUS_MOVING;
}

function deliveredByApi(word: TransferEvidence["word"]): UnprovenStatus {
  return deliveredStatus({
    txHash: word?.fillTx ?? null,
    amount: null,
    callsSucceeded: word?.actionsSucceeded ?? null,
  });
}

/** A delivery of which the calls failed left the user with the token itself: partial. */
function deliveredStatus(seen: {
  txHash: ProviderStatus["destinationTxHash"];
  amount: bigint | null;
  callsSucceeded: boolean | null;
}): UnprovenStatus {
  const substatus = seen.callsSucceeded === null ? null : seen.callsSucceeded ? "COMPLETED" : "PARTIAL";
  return {
    ...STATUS_UNKNOWN,
    phase: "delivered",
    substatus,
    destinationTxHash: seen.txHash,
    amountReceived: seen.amount,
  };
}
