import type { Hex } from "viem";
import { readBlock } from "../../../chains/blocks.ts";
import type { ChainClient } from "../../../chains/client.ts";
import { fetchTransaction } from "../../../chains/transaction.ts";
import { AppError, failureFrom } from "../../../errors.ts";
import type { DeliveryProof, ProviderScope, ProviderStatus } from "../../provider.ts";
import { type AcrossApiSettings, fetchDepositStatus } from "../across-api.ts";
import type { AcrossDepositStatus } from "../across-schemas.ts";
import type { AcrossDeployment, AcrossDeployments } from "../deployments.ts";
import { wordToAddress } from "../deposit-calldata.ts";
import { type Fill, findFill } from "./fill.ts";
import { searchFill } from "./fill-search.ts";
import { type AcrossDeposit, findAcrossDeposit, readRelayState } from "./spoke-pool.ts";
import { type SourceEvidence, statusFromEvidence, type TransferEvidence } from "./status-evidence.ts";

/** A transfer by its source transaction. */
interface AcrossTransfer {
  txHash: Hex;
  fromChainId: number;
  toChainId: number;
}

/** What the source chain shows of a transfer. */
interface SourceRecord {
  evidence: SourceEvidence;
  deposited: AcrossDeposit | null;
}

/**
 * Looks a transfer up on its source chain. Throws when the chain is not served, what the chain client throws,
 * or a ZodError.
 */
async function readSourceRecord(
  scope: ProviderScope,
  { transfer, deployments }: { transfer: AcrossTransfer; deployments: AcrossDeployments },
): Promise<SourceRecord> {
  const client = scope.chain(transfer.fromChainId);
  const origin = deployments.get(transfer.fromChainId);
  if (client === null || origin === undefined) throw new Error("the source chain is not served");
  const { transaction, receipt } = await fetchTransaction(client, transfer.txHash);
  const without = (evidence: SourceEvidence): SourceRecord => ({ evidence, deposited: null });
  if (receipt === null) return without(transaction === null ? "absent" : "waiting");
  if (!receipt.succeeded) return without("reverted");
  const deposited = findAcrossDeposit(receipt, { origin, toChainId: transfer.toChainId });
  return deposited === null ? without("no_deposit") : { evidence: "deposited", deposited };
}

/** What the destination chain shows of a transfer. */
export type DestinationEvidence = Pick<TransferEvidence, "relay" | "fill" | "overdue">;

/** What it shows when it could not be read. */
const DESTINATION_UNREAD: DestinationEvidence = { relay: null, fill: null, overdue: false };

interface FillQuery {
  deposited: AcrossDeposit;
  /** The transaction that the API says delivered it. */
  fillTx: Hex | null;
  deployments: AcrossDeployments;
}

/** The destination's account of a transfer; a chain that cannot be read shows nothing. */
async function readDestination(scope: ProviderScope, sought: FillQuery): Promise<DestinationEvidence> {
  const { deposited, fillTx, deployments } = sought;
  const client = scope.chain(deposited.destinationChainId);
  const destination = deployments.get(deposited.destinationChainId);
  if (client === null || destination === undefined) return DESTINATION_UNREAD;
  const at = { ...sought, destination, client };
  try {
    const told = fillTx === null ? null : await readFill(at, fillTx);
    return told === null ? await readRelayAndFill(at) : { relay: "filled", fill: told, overdue: false };
  } catch {
    return DESTINATION_UNREAD;
  }
}

interface DestinationReader extends FillQuery {
  destination: AcrossDeployment;
  client: ChainClient;
}

/** The SpokePool's own state of the transfer, and when that is filled, the transaction that did it. */
async function readRelayAndFill(there: DestinationReader): Promise<DestinationEvidence> {
  const { client, deposited } = there;
  const [relay, head] = await Promise.all([readRelayState(client, there), readBlock(client, "latest")]);
  const late = head.timestamp > deposited.fillDeadline;
  if (relay !== "filled") return { relay, fill: null, overdue: late };
  const hash = await searchFill(client, { ...there, head }).catch(() => null);
  return { relay, fill: hash === null ? null : await readFill(there, hash), overdue: false };
}

async function readFill(there: DestinationReader, hash: Hex): Promise<Fill | null> {
  const { receipt } = await fetchTransaction(there.client, hash);
  return receipt === null ? null : findFill(receipt, there);
}

/** What following a transfer needs besides the request's scope. */
export interface AcrossTracker {
  settings: AcrossApiSettings;
  deployments: AcrossDeployments;
}

/**
 * Follows a transfer: the API's word and the source receipt at once, then the destination chain. Throws
 * `upstream_timeout`, `upstream_unavailable`, `rate_limited` when neither the API nor the source answers.
 */
export async function trackAcrossTransfer(
  scope: ProviderScope,
  { transfer, follower }: { transfer: AcrossTransfer; follower: AcrossTracker },
): Promise<ProviderStatus> {
  const { settings, deployments } = follower;
  const [word, source] = await Promise.allSettled([
    fetchDepositStatus(scope, { settings, txHash: transfer.txHash }),
    readSourceRecord(scope, { transfer, deployments }),
  ]);
  if (word.status === "rejected" && source.status === "rejected") throw toAppError(word.reason);
  const seen: SourceRecord =
    source.status === "fulfilled" ? source.value : { evidence: "unread", deposited: null };
  const { deposited } = seen;
  const said = word.status === "fulfilled" ? word.value : null;
  const honest = said !== null && isSameTransfer(said, { transfer, deposited }) ? said : null;
  const fillTx = honest?.fillTx ?? null;
  const destination =
    deposited === null
      ? DESTINATION_UNREAD
      : await readDestination(scope, { ...follower, deposited, fillTx });
  const told = statusFromEvidence({ word: honest, source: seen.evidence, ...destination });
  const origin = deployments.get(transfer.fromChainId);
  if (deposited === null || origin === undefined) return { ...told, witness: null };
  const { inputToken, inputAmount: amount } = deposited;
  const took = { token: wordToAddress(inputToken), amount, by: origin.spokePool };
  return { ...told, witness: { delivered: deliveryProofOf(destination.fill), took } };
}

function deliveryProofOf(fill: Fill | null): DeliveryProof | null {
  return fill === null ? null : { amount: fill.amount, logs: fill.logs, bond: "id" };
}

/** Whether the API speaks of this transfer; of another it would be believed nothing. */
function isSameTransfer(
  said: AcrossDepositStatus,
  { transfer, deposited }: { transfer: AcrossTransfer; deposited: AcrossDeposit | null },
): boolean {
  if (said.originChainId !== transfer.fromChainId) return false;
  return deposited === null || said.destinationChainId === deposited.destinationChainId;
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return failureFrom("upstream_unavailable", "the bridge's answer could not be read", error);
}
