import { type ProviderStatus, unknownStatus } from "../../provider.ts";
import type { AcrossDepositStatus } from "../across-schemas.ts";
import type { RelayState } from "./across-deposit-tracking.ts";
import type { Fill } from "./across-fill.ts";

/**
 * State of a transfer's source transaction. `unread`: the chain could not be read; `absent`: the node does not know the
 * transaction; `waiting`: pending; `deposited`: with exactly one Across deposit to the destination chain; `no_deposit`:
 * with none or several.
 */
export type SourceEvidence = "unread" | "absent" | "waiting" | "reverted" | "no_deposit" | "deposited";

/** Everything known about an Across transfer at one moment, from the API and from both chains. */
export interface TransferEvidence {
  /** The API's status. Null if the API failed, does not know the transfer, or describes a different one. */
  apiStatus: Pick<AcrossDepositStatus, "status" | "fillTx" | "refundTx" | "actionsSucceeded"> | null;
  source: SourceEvidence;
  /** The destination SpokePool's fill status, or null if it was not read. */
  relay: RelayState | null;
  /** The fill found in a destination receipt, or null if none was found. */
  fill: Fill | null;
  /**
   * True if the deposit is not filled and the timestamp of the destination chain's head is past the fill
   * deadline.
   */
  overdue: boolean;
}

/** A `ProviderStatus` without `proof` and `unread`. */
export type UnprovenStatus = Omit<ProviderStatus, "proof" | "unread">;

const STATUS_UNKNOWN: UnprovenStatus = unknownStatus;
const STATUS_BRIDGING: UnprovenStatus = {
  ...STATUS_UNKNOWN,
  phase: "bridging",
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
 * Returns the status of an Across transfer that the evidence supports. A revert, a deposit, a fill status and a missed
 * fill deadline that a chain shows outweigh an API status that they contradict; `no_deposit`, `absent` and `waiting` do
 * not. A delivery's substatus is `COMPLETED`, `PARTIAL` if its call failed, or null if that is unknown.
 */
export function statusFromEvidence(evidence: TransferEvidence): UnprovenStatus {
  const { apiStatus, source, relay, fill } = evidence;
  if (fill !== null) return deliveredStatus(fill);
  if (relay === "filled") return deliveredByApi(apiStatus);
  if (source === "reverted") return STATUS_FAILED;
  if (apiStatus === null) return statusWithoutApi(evidence);
  switch (apiStatus.status) {
    case "filled":
    case "slowFilled":
      return relay === null ? deliveredByApi(apiStatus) : inFlightStatus(evidence);
    case "refunded":
      if (isInTime(evidence)) return inFlightStatus(evidence);
      return {
        ...STATUS_UNKNOWN,
        phase: "refunded",
        substatus: "REFUNDED",
        refundTxHash: apiStatus.refundTx,
      };
    case "expired":
      return isInTime(evidence) ? inFlightStatus(evidence) : STATUS_REFUNDING;
    case "deposit-failed":
      return source === "deposited" ? inFlightStatus(evidence) : STATUS_FAILED;
    case "deposit-pending":
      return source === "deposited" ? inFlightStatus(evidence) : STATUS_WAITING;
    case "pending":
    case "slowFillRequested":
      return inFlightStatus(evidence);
  }
}

/**
 * Returns the status of an Across transfer for which the API gives no status, from the chains' evidence
 * alone.
 */
function statusWithoutApi(evidence: TransferEvidence): UnprovenStatus {
  if (evidence.source === "deposited") return inFlightStatus(evidence);
  return evidence.source === "waiting" ? STATUS_WAITING : STATUS_UNKNOWN;
}

/**
 * Returns true if both chains show that a relayer may still fill the deposit. Across refunds no deposit before its fill
 * deadline, so a statement that it did is wrong.
 */
const isInTime = ({ source, relay, overdue }: TransferEvidence): boolean =>
  source === "deposited" && relay !== null && !overdue;

/**
 * Returns the status of an Across transfer that is not known to be filled: refunding if the destination chain shows
 * that the fill deadline has passed, otherwise bridging.
 */
function inFlightStatus({ overdue }: TransferEvidence): UnprovenStatus {
  return overdue ? STATUS_REFUNDING : STATUS_BRIDGING;
}

/**
 * Returns the status of a delivered Across transfer whose fill was not read on chain. The fill transaction
 * and the outcome of the destination call come from the API.
 */
function deliveredByApi(apiStatus: TransferEvidence["apiStatus"]): UnprovenStatus {
  return deliveredStatus({
    txHash: apiStatus?.fillTx ?? null,
    amount: null,
    callsSucceeded: apiStatus?.actionsSucceeded ?? null,
  });
}

/**
 * Returns the status of a delivered Across transfer. The substatus is PARTIAL if the destination call failed
 * and the user received the tokens, and null if the outcome of the call is unknown.
 */
function deliveredStatus(delivery: {
  txHash: ProviderStatus["destinationTxHash"];
  amount: bigint | null;
  callsSucceeded: boolean | null;
}): UnprovenStatus {
  const substatus =
    delivery.callsSucceeded === null ? null : delivery.callsSucceeded ? "COMPLETED" : "PARTIAL";
  return {
    ...STATUS_UNKNOWN,
    phase: "delivered",
    substatus,
    destinationTxHash: delivery.txHash,
    amountReceived: delivery.amount,
  };
}
