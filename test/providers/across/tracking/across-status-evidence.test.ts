import { expect, test } from "vitest";
import { type AcrossApiStatus, acrossApiStatuses } from "../../../../src/providers/across/across-schemas.ts";
import type { RelayState } from "../../../../src/providers/across/tracking/across-deposit-tracking.ts";
import {
  type SourceEvidence,
  statusFromEvidence,
  type TransferEvidence,
} from "../../../../src/providers/across/tracking/across-status-evidence.ts";
import { hash } from "../../../support/across/stage.ts";

const FILL = { txHash: hash("f"), amount: 9n, callsSucceeded: true, logs: { first: 0, last: 3 } };
const nothing: TransferEvidence = {
  apiStatus: null,
  source: "unread",
  relay: null,
  fill: null,
  overdue: false,
};
const word = (
  status: AcrossApiStatus,
  actionsSucceeded: boolean | null = null,
): TransferEvidence["apiStatus"] => ({
  status,
  fillTx: status.endsWith("illed") ? hash("a") : null,
  refundTx: status === "refunded" ? hash("b") : null,
  actionsSucceeded,
});

/** Phase, substatus, and the delivery in short: a = the API's hash, f = the chain's, b = the refund. */
function short(evidence: Partial<TransferEvidence>): string {
  const status = statusFromEvidence({ ...nothing, ...evidence });
  const last = (text: string | null) => text?.at(-1) ?? "-";
  const parts = [last(status.destinationTxHash), last(status.refundTxHash), status.amountReceived ?? "-"];
  return `${status.phase} ${status.substatus ?? "-"} ${parts.join("")}`;
}

const MOVING = "bridging WAIT_DESTINATION_TRANSACTION ---";
const REFUNDING = "refunding REFUND_IN_PROGRESS ---";
const WAITING = "source_pending WAIT_SOURCE_CONFIRMATIONS ---";
const FAILED = "failed UNKNOWN_ERROR ---";
const NOTHING = "unknown - ---";

test.each<[Partial<TransferEvidence>, string]>([
  // The chains without the API.
  [{}, NOTHING],
  [{ source: "absent" }, NOTHING],
  [{ source: "waiting" }, WAITING],
  [{ source: "reverted" }, FAILED],
  [{ source: "no_deposit" }, NOTHING],
  [{ source: "deposited" }, MOVING],
  [{ source: "deposited", relay: "unfilled" }, MOVING],
  [{ source: "deposited", relay: "slow_fill_requested" }, MOVING],
  [{ source: "deposited", relay: "unfilled", overdue: true }, REFUNDING],
  [{ source: "deposited", relay: "filled" }, "delivered - ---"],
  [{ source: "deposited", relay: "filled", fill: FILL }, "delivered COMPLETED f-9"],
  [
    { source: "deposited", relay: "filled", fill: { ...FILL, callsSucceeded: false } },
    "delivered PARTIAL f-9",
  ],
  [{ source: "deposited", relay: "filled", fill: { ...FILL, callsSucceeded: null } }, "delivered - f-9"],
  // The API without the chains.
  [{ apiStatus: word("pending") }, MOVING],
  [{ apiStatus: word("slowFillRequested") }, MOVING],
  [{ apiStatus: word("filled") }, "delivered - a--"],
  [{ apiStatus: word("filled", true) }, "delivered COMPLETED a--"],
  [{ apiStatus: word("filled", false) }, "delivered PARTIAL a--"],
  [{ apiStatus: word("slowFilled", true) }, "delivered COMPLETED a--"],
  [{ apiStatus: word("expired") }, REFUNDING],
  [{ apiStatus: word("refunded") }, "refunded REFUNDED -b-"],
  [{ apiStatus: word("deposit-pending") }, WAITING],
  [{ apiStatus: word("deposit-failed") }, FAILED],
  // The API against the chains, which take precedence.
  [{ apiStatus: word("filled", true), source: "deposited", relay: "unfilled" }, MOVING],
  [{ apiStatus: word("filled", true), source: "deposited", relay: "unfilled", overdue: true }, REFUNDING],
  [{ apiStatus: word("filled", true), source: "reverted" }, FAILED],
  [{ apiStatus: word("pending"), source: "deposited", relay: "filled" }, "delivered - ---"],
  [
    { apiStatus: word("pending"), source: "deposited", relay: "filled", fill: FILL },
    "delivered COMPLETED f-9",
  ],
  [{ apiStatus: word("pending"), source: "deposited", relay: "unfilled", overdue: true }, REFUNDING],
  [
    { apiStatus: word("expired"), source: "deposited", relay: "filled", fill: FILL },
    "delivered COMPLETED f-9",
  ],
  [
    { apiStatus: word("refunded"), source: "deposited", relay: "filled", fill: FILL },
    "delivered COMPLETED f-9",
  ],
  [{ apiStatus: word("refunded"), source: "deposited", relay: "unfilled" }, MOVING],
  [{ apiStatus: word("refunded"), source: "deposited", relay: "slow_fill_requested" }, MOVING],
  [
    { apiStatus: word("refunded"), source: "deposited", relay: "unfilled", overdue: true },
    "refunded REFUNDED -b-",
  ],
  [{ apiStatus: word("refunded"), source: "deposited" }, "refunded REFUNDED -b-"],
  [{ apiStatus: word("expired"), source: "deposited", relay: "unfilled" }, MOVING],
  [{ apiStatus: word("expired"), source: "deposited", relay: "unfilled", overdue: true }, REFUNDING],
  [{ apiStatus: word("expired"), source: "deposited" }, REFUNDING],
  [{ apiStatus: word("deposit-failed"), source: "deposited" }, MOVING],
  [{ apiStatus: word("deposit-pending"), source: "deposited" }, MOVING],
  [
    { apiStatus: word("filled", true), relay: "filled", fill: { ...FILL, callsSucceeded: false } },
    "delivered PARTIAL f-9",
  ],
])("statusFromEvidence() of case %#", (evidence, expected) => {
  expect(short(evidence)).toBe(expected);
});

test("statusFromEvidence() reports a final phase only when the API or a chain shows it, in every combination", () => {
  const sources: SourceEvidence[] = ["unread", "absent", "waiting", "reverted", "no_deposit", "deposited"];
  const relays: (RelayState | null)[] = [null, "unfilled", "slow_fill_requested", "filled"];
  const words = [
    null,
    ...acrossApiStatuses.flatMap((status) => [word(status), word(status, true), word(status, false)]),
  ];
  let count = 0;
  for (const source of sources)
    for (const relay of relays)
      for (const said of words)
        for (const fill of [null, FILL]) {
          const { phase, amountReceived } = statusFromEvidence({
            ...nothing,
            source,
            relay,
            apiStatus: said,
            fill,
          });
          count += 1;
          expect(amountReceived).toBe(fill?.amount ?? null);
          if (phase === "delivered") expect(fill !== null || relay === "filled" || said?.fillTx).toBeTruthy();
          if (phase === "refunded") expect(said?.status).toBe("refunded");
          if (phase === "failed")
            expect(source === "reverted" || said?.status === "deposit-failed").toBe(true);
          if (fill !== null || relay === "filled") expect(phase).toBe("delivered");
        }
  expect(count).toBe(6 * 4 * 25 * 2);
});
