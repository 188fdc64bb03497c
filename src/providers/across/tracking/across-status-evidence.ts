import type { ProviderStatus } from "../../provider.ts";
import type { AcrossDepositStatus } from "../across-schemas.ts";
import type { Fill } from "./across-fill.ts";
import type { RelayState } from "./across-spoke-pool.ts";

/**
 * What the source chain shows: it could not be read, has no such transaction, has it pending, reverted, without a
 * deposit event, or with one.
 */
export type SourceEvidence = "unread" | "absent" | "waiting" | "reverted" | "no_deposit" | "deposited";

/** Everything known about a transfer at one moment. */
export interface TransferEvidence {
  /** Null when the API failed, does not know the transfer or describes another one. */
  apiStatus: Pick<AcrossDepositStatus, "status" | "fillTx" | "refundTx" | "actionsSucceeded"> | null;
  source: SourceEvidence;
  /** The destination SpokePool's fill status; null when it could not be read. */
  relay: RelayState | null;
  /** The fill found in a destination receipt. */
  fill: Fill | null;
  /** True when the destination's block time is past the fill deadline and the deposit is not filled. */
  overdue: boolean;
}

/** A status without the bridge's proof. */
export type UnprovenStatus = Omit<ProviderStatus, "proof">;

const STATUS_UNKNOWN: UnprovenStatus = {
  phase: "unknown",
  substatus: null,
  destinationTxHash: null,
  refundTxHash: null,
  amountReceived: null,
  explorerLink: null,
};
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
 * Returns the status that the evidence supports: chains take precedence over the API, which counts only where no
 * chain contradicts it.
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
      return {
        ...STATUS_UNKNOWN,
        phase: "refunded",
        substatus: "REFUNDED",
        refundTxHash: apiStatus.refundTx,
      };
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
  return overdue ? STATUS_REFUNDING : STATUS_BRIDGING;
}

function deliveredByApi(apiStatus: TransferEvidence["apiStatus"]): UnprovenStatus {
  return deliveredStatus({
    txHash: apiStatus?.fillTx ?? null,
    amount: null,
    callsSucceeded: apiStatus?.actionsSucceeded ?? null,
  });
}

/** Returns a delivered status; it is PARTIAL when the destination call failed and the user received the token. */
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
