import type { Hex } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { fetchTransaction } from "../../../chains/chain-transaction.ts";
import { readBlock } from "../../../chains/read-block.ts";
import type { DeliveryProof, ProviderScope, ProviderStatus, TransferReference } from "../../provider.ts";
import { toProviderFailure } from "../../provider-failures.ts";
import { type AcrossApiSettings, fetchDepositStatus } from "../across-api.ts";
import { wordToAddress } from "../across-calldata.ts";
import type { AcrossDeployment, AcrossDeployments } from "../across-deployments.ts";
import type { AcrossDepositStatus } from "../across-schemas.ts";
import { type AcrossDeposit, findAcrossDeposit, readRelayState } from "./across-deposit-tracking.ts";
import { type Fill, findFill } from "./across-fill.ts";
import { searchFill } from "./across-fill-search.ts";
import { type SourceEvidence, statusFromEvidence, type TransferEvidence } from "./across-status-evidence.ts";

/** The state of a transfer's source transaction, and the Across deposit in it. */
interface SourceRecord {
  evidence: SourceEvidence;
  /** The Across deposit in the transaction; null unless the evidence is "deposited". */
  deposited: AcrossDeposit | null;
}

/** Evidence of a source transaction whose receipt a node did not give, although it may exist. */
const UNREAD: ReadonlySet<SourceEvidence> = new Set(["unread", "absent", "waiting"]);
const SOURCE_UNREAD: SourceRecord = { evidence: "unread", deposited: null };

/**
 * Reads a transfer's source transaction and the Across deposit in it. Throws an Error if the source chain is not served
 * or has no known SpokePool. Errors of the chain client propagate.
 */
async function readSourceRecord(
  scope: ProviderScope,
  { transfer, deployments }: { transfer: TransferReference; deployments: AcrossDeployments },
): Promise<SourceRecord> {
  const client = scope.chain(transfer.fromChainId);
  const origin = deployments.get(transfer.fromChainId);
  if (client === null || origin === undefined) throw new Error("the source chain is not served");
  const { transaction, receipt } = await fetchTransaction(client, transfer.txHash);
  const without = (evidence: SourceEvidence): SourceRecord => ({ evidence, deposited: null });
  if (receipt === null) return without(transaction === null ? "absent" : "waiting");
  if (!receipt.succeeded) return without("reverted");
  const destination = deployments.get(transfer.toChainId);
  const deposited = findAcrossDeposit(receipt, { ...transfer, origin, destination });
  return deposited === null ? without("no_deposit") : { evidence: "deposited", deposited };
}

/**
 * The part of an Across transfer's evidence that comes from the destination chain: fill status, fill, and whether the
 * fill deadline has passed. If that chain was not read, the first two are null and the last is false.
 */
export type DestinationEvidence = Pick<TransferEvidence, "relay" | "fill" | "overdue">;

const DESTINATION_UNREAD: DestinationEvidence = { relay: null, fill: null, overdue: false };

/** An Across deposit whose fill is to be read from the destination chain. */
interface FillQuery {
  deposited: AcrossDeposit;
  /** Hashes of the transactions that may contain the fill; the one that the API names comes first. */
  fillTxs: readonly Hex[];
  deployments: AcrossDeployments;
}

/**
 * Reads the fill and the fill status of an Across deposit from the destination chain. Returns empty evidence
 * if the chain is not served or cannot be read. Never throws.
 */
async function readDestination(scope: ProviderScope, query: FillQuery): Promise<DestinationEvidence> {
  const { deposited, fillTxs, deployments } = query;
  const client = scope.chain(deposited.destinationChainId);
  const destination = deployments.get(deposited.destinationChainId);
  if (client === null || destination === undefined) return DESTINATION_UNREAD;
  const at = { ...query, destination, client };
  try {
    for (const hash of fillTxs) {
      const fill = await readFill(at, hash);
      if (fill !== null) return { relay: "filled", fill, overdue: false };
    }
    return await readRelayAndFill(at);
  } catch {
    return DESTINATION_UNREAD;
  }
}

interface DestinationReader extends FillQuery {
  destination: AcrossDeployment;
  client: ChainClient;
}

/**
 * Reads an Across deposit's fill status from the SpokePool and, if the deposit is filled, searches for the
 * fill transaction and reads the fill from it.
 */
async function readRelayAndFill(there: DestinationReader): Promise<DestinationEvidence> {
  const { client, deposited } = there;
  const [relay, head] = await Promise.all([readRelayState(client, there), readBlock(client, "latest")]);
  const overdue = head.timestamp > deposited.fillDeadline;
  if (relay !== "filled") return { relay, fill: null, overdue };
  const hash = await searchFill(client, { ...there, head }).catch(() => null);
  return { relay, fill: hash === null ? null : await readFill(there, hash), overdue: false };
}

/**
 * Reads the fill of an Across deposit from a destination transaction. Returns null if the transaction
 * contains none.
 */
async function readFill(there: DestinationReader, hash: Hex): Promise<Fill | null> {
  const { receipt } = await fetchTransaction(there.client, hash);
  return receipt === null ? null : findFill(receipt, there);
}

/** The API settings and deployments that are needed to track Across transfers. */
export interface AcrossTracker {
  settings: AcrossApiSettings;
  deployments: AcrossDeployments;
}

/**
 * Returns the status of an Across transfer from the API and the chains. `proof` is null unless the source transaction
 * shows the Across deposit, and no other that may be meant. Throws the errors of `fetchDepositStatus` if the API fails
 * and the source chain is not served, has no known SpokePool or cannot be read.
 */
export async function trackAcrossTransfer(
  scope: ProviderScope,
  { transfer, tracker }: { transfer: TransferReference; tracker: AcrossTracker },
): Promise<ProviderStatus> {
  const { settings, deployments } = tracker;
  const [answer, read] = await Promise.allSettled([
    fetchDepositStatus(scope, { settings, txHash: transfer.txHash }),
    readSourceRecord(scope, { transfer, deployments }),
  ]);
  if (answer.status === "rejected" && read.status === "rejected") throw toProviderFailure(answer.reason);
  const source = read.status === "fulfilled" ? read.value : SOURCE_UNREAD;
  const { deposited } = source;
  const answered = answer.status === "fulfilled" ? answer.value : null;
  const apiStatus =
    statusOfTransfer(answered, { transfer, deposited }) ??
    (await statusByNumber(scope, { answered, transfer, deposited, settings }));
  const fillTxs = [...new Set([apiStatus?.fillTx ?? null, ...(transfer.arrivals ?? [])])].flatMap(
    (hash) => hash ?? [],
  );
  const destination =
    deposited === null
      ? DESTINATION_UNREAD
      : await readDestination(scope, { ...tracker, deposited, fillTxs });
  const status = statusFromEvidence({ apiStatus, source: source.evidence, ...destination });
  const origin = deployments.get(transfer.fromChainId);
  const unread = UNREAD.has(source.evidence);
  if (deposited === null || origin === undefined) return { ...status, proof: null, unread };
  const { inputToken, inputAmount: amount, fillDeadline: deadline } = deposited;
  const refundable = destination.overdue;
  const taken = { token: wordToAddress(inputToken), amount, by: origin.spokePool, deadline, refundable };
  return { ...status, proof: { delivery: deliveryProofOf(destination.fill), taken }, unread };
}

function deliveryProofOf(fill: Fill | null): DeliveryProof | null {
  return fill === null ? null : { amount: fill.amount, logs: fill.logs, matchedBy: "id" };
}

/**
 * Requests the status of a deposit by its number if the API has described another one of the same transaction. Null
 * otherwise, and if that fails.
 */
async function statusByNumber(
  scope: ProviderScope,
  of: {
    answered: AcrossDepositStatus | null;
    transfer: TransferReference;
    deposited: AcrossDeposit | null;
    settings: AcrossApiSettings;
  },
): Promise<AcrossDepositStatus | null> {
  const { answered, transfer, deposited, settings } = of;
  if (answered === null || deposited === null) return null;
  const { fromChainId: originChainId } = transfer;
  const { depositId } = deposited;
  const asked = fetchDepositStatus(scope, { settings, originChainId, depositId });
  return statusOfTransfer(await asked.catch(() => null), { transfer, deposited });
}

/**
 * Returns the status that Across's API gives, or null if there is none or its chain ids or number show that it
 * describes another transfer. Of several in one transaction, the API may describe any.
 */
function statusOfTransfer(
  status: AcrossDepositStatus | null,
  { transfer, deposited }: { transfer: TransferReference; deposited: AcrossDeposit | null },
): AcrossDepositStatus | null {
  if (status?.originChainId !== transfer.fromChainId) return null;
  if (deposited === null) return status;
  const sameDestination = status.destinationChainId === deposited.destinationChainId;
  const sameNumber = status.depositId === null || status.depositId === deposited.depositId;
  return sameDestination && sameNumber ? status : null;
}
