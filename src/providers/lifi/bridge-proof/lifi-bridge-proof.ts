import { encodeEventTopics, type Hex, isAddressEqual } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { fetchTransaction, type Receipt } from "../../../chains/chain-transaction.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { readBlock } from "../../../chains/read-block.ts";
import type { DeliveryProof, ProviderScope, ProviderStatus, TransferReference } from "../../provider.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import type { LifiDeployments, PairDeployments } from "../lifi-deployments.ts";
import {
  findCctpMint,
  findStargatePayout,
  findStargateRecovery,
  receiverAbi,
} from "./lifi-delivery-events.ts";
import { findCctpSend, findStargateSend, type SentTransfer } from "./lifi-source-events.ts";
import { CLOCK_SKEW, wasOnBus } from "./stargate-bus.ts";

/** Maximum number of blocks, from that of the payout on, that are searched for the destination call. */
const CALL_BLOCKS = 2_000;
/** Maximum number of log requests per search for a destination call. */
const MAX_CALL_REQUESTS = 4;

/** A Stargate or CCTP transfer that was found in its source transaction, with the clients of both chains. */
interface ProvableTransfer extends PairDeployments {
  sent: SentTransfer;
  from: { client: ChainClient; receipt: Receipt };
  to: ChainClient;
}

/**
 * Adds the proof from the bridge's own contracts to LI.FI's status of a Stargate or CCTP transfer. The transaction that
 * is proven to have completed it becomes `destinationTxHash`. Returns the status unchanged for other bridges, and if a
 * chain or the transfer cannot be read. Never throws.
 */
export async function addBridgeProof(
  scope: ProviderScope,
  of: { deployments: LifiDeployments; transfer: TransferReference; status: ProviderStatus },
): Promise<ProviderStatus> {
  const { status, transfer } = of;
  const named = status.destinationTxHash;
  try {
    const provable = await readProvableTransfer(scope, of);
    if (provable === null) return status;
    let arrival: ProvenArrival | null = null;
    for (const hash of new Set([named, ...(transfer.arrivals ?? [])]))
      if (hash !== null) arrival ??= await readProvenArrival(provable, hash);
    const destinationTxHash = arrival?.hash ?? named;
    return { ...status, destinationTxHash, proof: { delivery: arrival?.delivery ?? null, taken: null } };
  } catch {
    return status;
  }
}

/**
 * Reads a Stargate or CCTP transfer from its source transaction. Returns null for any other bridge, a chain that is not
 * served, or a transaction that does not show the transfer. Errors of the RPC nodes propagate.
 */
async function readProvableTransfer(
  scope: ProviderScope,
  { deployments, transfer }: { deployments: LifiDeployments; transfer: TransferReference },
): Promise<ProvableTransfer | null> {
  const facet = bridgeOfTool(transfer.tool)?.facet;
  if (facet === undefined || facet === "across") return null;
  const source = deployments.get(transfer.fromChainId);
  const destination = deployments.get(transfer.toChainId);
  const [client, to] = [scope.chain(transfer.fromChainId), scope.chain(transfer.toChainId)];
  if (source === undefined || destination === undefined || client === null || to === null) return null;
  const { receipt } = await fetchTransaction(client, transfer.txHash);
  if (receipt === null || !receipt.succeeded) return null;
  const pair = { source, destination };
  const at = { ...pair, sender: transfer.sender, built: transfer.built };
  const sent = facet === "stargate" ? findStargateSend(receipt, at) : findCctpSend(receipt, at);
  return sent === null ? null : { sent, ...pair, from: { client, receipt }, to };
}

/**
 * The transaction on the destination chain that completed a transfer, as the events of the bridge's contracts show it.
 */
interface ProvenArrival {
  hash: Hex;
  /**
   * The payout of tokens to the user; null if the destination call succeeded, so that the user received no
   * tokens.
   */
  delivery: DeliveryProof | null;
}

/**
 * Returns the transaction that completed the transfer: the given one or, if the bridge makes the destination call
 * apart, a later one. Null if neither shows it or it may be another's. Errors of the RPC nodes propagate.
 */
async function readProvenArrival(transfer: ProvableTransfer, hash: Hex): Promise<ProvenArrival | null> {
  const { receipt, confirmations } = await fetchTransaction(transfer.to, hash);
  if (receipt === null) return null;
  const { sent } = transfer;
  const head = Number(receipt.blockNumber) + confirmations - 1;
  if (sent.kind === "stargate") return stargateArrival({ ...transfer, sent }, { hash, receipt, head });
  const delivery = findCctpMint(receipt, { ...transfer, sent });
  return delivery === null || (await isBeforeSend(transfer, receipt)) ? null : { hash, delivery };
}

type StargateTransfer = ProvableTransfer & { sent: Extract<SentTransfer, { kind: "stargate" }> };

/**
 * Returns the transaction that completed a Stargate transfer: that of the given receipt, or a later one that makes the
 * destination call. Null as in `readProvenArrival`. Errors of the RPC nodes propagate.
 */
async function stargateArrival(
  transfer: StargateTransfer,
  { hash, receipt, head }: { hash: Hex; receipt: Receipt; head: number },
): Promise<ProvenArrival | null> {
  const recovery = findStargateRecovery(receipt, transfer);
  if (recovery !== "no_call") return { hash, delivery: recovery === "called" ? null : recovery };
  const paid = findStargatePayout(receipt, transfer);
  if (paid === null) return null;
  const { receiverStargate } = transfer.destination;
  if (receiverStargate !== null && isAddressEqual(paid.to, receiverStargate)) {
    return findDestinationCall(transfer, { from: Number(receipt.blockNumber), head });
  }
  if (paid.delivery.matchedBy === "id") return { hash, delivery: paid.delivery };
  const onBus = await wasOnDeliveringBus(transfer, { guid: paid.guid, receipt });
  if (onBus === true) return { hash, delivery: { ...paid.delivery, matchedBy: "id" } };
  // Clocks decide only without the bus: a chain that stood still gives its next blocks old times.
  if (onBus === false || (await isBeforeSend(transfer, receipt))) return null;
  return { hash, delivery: paid.delivery };
}

/**
 * Returns whether the bus (Stargate's batch of transfers) that made a delivery carried this transfer, or null if that
 * cannot be determined. This distinguishes transfers with the same amount and receiver.
 */
async function wasOnDeliveringBus(
  { sent, source, from, to }: StargateTransfer,
  { guid, receipt }: { guid: Hex; receipt: Receipt },
): Promise<boolean | null> {
  const messaging = source.stargate?.messaging ?? null;
  if (messaging === null || sent.ticket === null) return null;
  const { timestamp: arrivedAt } = await readBlock(to, Number(receipt.blockNumber));
  const ride = { messaging, ticket: sent.ticket, from: Number(from.receipt.blockNumber), guid, arrivedAt };
  return wasOnBus(from.client, ride);
}

/**
 * Searches the blocks from a Stargate payout on for the transaction that made the destination call, by LI.FI's id of
 * the transfer. Returns null if none is found. Errors of the RPC nodes propagate.
 */
async function findDestinationCall(
  transfer: StargateTransfer,
  { from, head }: { from: number; head: number },
): Promise<ProvenArrival | null> {
  const { destination, sent, to } = transfer;
  const [completed, id] = encodeEventTopics({
    abi: receiverAbi(),
    eventName: "LiFiTransferCompleted",
    args: { transactionId: sent.transactionId },
  });
  const [recovered] = encodeEventTopics({ abi: receiverAbi(), eventName: "LiFiTransferRecovered" });
  const { executor, receiverStargate } = destination;
  const contracts = [executor, receiverStargate].flatMap((address) => address ?? []);
  const { logs } = await searchLogs(to, {
    range: { from, to: Math.min(head, from + CALL_BLOCKS - 1) },
    filters: [
      {
        addresses: contracts.map((address) => address.toLowerCase()),
        topics: toTopicLists([[completed, recovered], id === undefined ? null : id]),
      },
    ],
    maxRequests: MAX_CALL_REQUESTS,
  });
  for (const hash of new Set(logs.map(({ txHash }) => txHash))) {
    const { receipt } = await fetchTransaction(to, hash);
    const recovery = receipt === null ? "no_call" : findStargateRecovery(receipt, transfer);
    if (recovery !== "no_call") return { hash, delivery: recovery === "called" ? null : recovery };
  }
  return null;
}

/**
 * Returns true if a delivery is older than the transfer's source transaction, by more than `CLOCK_SKEW`, and must
 * therefore belong to another transfer.
 */
async function isBeforeSend({ from, to }: ProvableTransfer, receipt: Receipt): Promise<boolean> {
  const [sent, arrived] = await Promise.all([
    readBlock(from.client, Number(from.receipt.blockNumber)),
    readBlock(to, Number(receipt.blockNumber)),
  ]);
  return arrived.timestamp + CLOCK_SKEW < sent.timestamp;
}
