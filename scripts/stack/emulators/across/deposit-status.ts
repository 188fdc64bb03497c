import type { Ledger } from "../../relayer/ledger.ts";
import type { Transfer } from "../../relayer/transfer.ts";
import type { EmulatorAnswer } from "../faults.ts";
import { acrossJson } from "./errors.ts";
import type { AcrossQuery } from "./query.ts";

/**
 * Returns a deposit's status with the shape and errors of Across' indexer: by source transaction (and `index` when it
 * made several deposits), by chain and deposit id, or by relay hash.
 */
export function depositStatus(ledger: Ledger, query: AcrossQuery): EmulatorAnswer {
  const found = lookUp(ledger, query);
  if (found === null)
    return refusal(400, [
      "ValidationError",
      "either depositTxnRef, relayDataHash or both originChainId and depositId must be provided",
    ]);
  const index = Number(query["index"] ?? "0");
  const transfer = found[index];
  if (transfer === undefined)
    return refusal(404, ["DepositNotFoundException", "Deposit not found given the provided constraints"]);
  return acrossJson(200, describe(transfer, { currentIndex: index, maxIndex: found.length - 1 }));
}

function lookUp(ledger: Ledger, query: AcrossQuery): Transfer[] | null {
  const hash = query["depositTxnRef"] ?? query["depositTxHash"];
  if (hash !== undefined)
    return /^0x[0-9a-fA-F]{64}$/.test(hash) ? ledger.ofDeposit(hash as `0x${string}`) : null;
  const { relayDataHash, originChainId, depositId } = query;
  if (relayDataHash !== undefined)
    return matching(ledger, (one) => one.relayHash === relayDataHash.toLowerCase());
  if (originChainId === undefined || depositId === undefined) return null;
  return matching(
    ledger,
    (one) => `${one.originChainId}` === originChainId && `${one.relay.depositId}` === depositId,
  );
}

function matching(ledger: Ledger, fits: (transfer: Transfer) => boolean): Transfer[] {
  const found = ledger.find(fits);
  return found === null ? [] : [found];
}

function describe(transfer: Transfer, pagination: { currentIndex: number; maxIndex: number }) {
  return {
    status: transfer.state,
    originChainId: transfer.originChainId,
    depositId: transfer.relay.depositId.toString(),
    depositTxHash: transfer.depositTx,
    depositTxnRef: transfer.depositTx,
    fillTx: transfer.fillTx,
    fillTxnRef: transfer.fillTx,
    destinationChainId: transfer.destinationChainId,
    depositRefundTxHash: transfer.refundTx,
    depositRefundTxnRef: transfer.refundTx,
    // Across' indexer knows the outcome only for its own handler, not for LI.FI's receiver.
    actionsSucceeded: transfer.lifi === null ? transfer.callsSucceeded : null,
    pagination,
  };
}

const refusal = (status: number, [error, message]: readonly [string, string]): EmulatorAnswer =>
  acrossJson(status, { error, message });
