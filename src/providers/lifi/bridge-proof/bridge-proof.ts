import { encodeEventTopics, type Hex, isAddressEqual, parseAbi } from "viem";
import { readBlock } from "../../../chains/blocks.ts";
import type { ChainClient } from "../../../chains/client.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { fetchTransaction, type Receipt } from "../../../chains/transaction.ts";
import { once } from "../../../lib/once.ts";
import type { DeliveryProof, ProviderScope, ProviderStatus } from "../../provider.ts";
import type { LifiDeployment, LifiDeployments } from "../deployments.ts";
import { bridgeOfTool } from "../lifi-bridges.ts";
import type { LifiTransfer } from "../lifi-status.ts";
import { findCctpMint, findStargatePayout, findStargateRecovery } from "./delivery-events.ts";
import { findCctpSend, findStargateSend, type SentTransfer } from "./source-events.ts";
import { wasOnBus } from "./stargate-bus.ts";

/** How far the clocks of two chains may be apart, seconds. */
const CLOCK_SKEW = 60;
/** Blocks after the delivery that are searched for the call, which is made soon, and requests of that search. */
const CALL_BLOCKS = 2_000;
const MAX_CALL_REQUESTS = 4;

const destinationAbi = once(() =>
  parseAbi([
    "event LiFiTransferCompleted(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
    "event LiFiTransferRecovered(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
  ]),
);

interface ProvableTransfer {
  sent: SentTransfer;
  source: LifiDeployment;
  destination: LifiDeployment;
  from: { client: ChainClient; receipt: Receipt };
  to: ChainClient;
}

/**
 * Adds to LI.FI's word on a transfer over Stargate or CCTP what the bridge's own contracts show of it, of the
 * transaction that LI.FI names and of the call that followed. Neither pays anything back on the source chain.
 * A chain that cannot be read witnesses nothing. Source: facets of LI.FI, StargateBase.sol, MessageTransmitterV2.sol.
 */
export async function addBridgeProof(
  scope: ProviderScope,
  of: { deployments: LifiDeployments; transfer: LifiTransfer; told: ProviderStatus },
): Promise<ProviderStatus> {
  const { told } = of;
  const hash = told.destinationTxHash;
  try {
    const journey = await readProvableTransfer(scope, of);
    if (journey === null) return told;
    const seen = hash === null ? null : await readProvenArrival(journey, hash);
    const destinationTxHash = seen?.hash ?? hash;
    return { ...told, destinationTxHash, witness: { delivered: seen?.delivery ?? null, took: null } };
  } catch {
    return told;
  }
}

async function readProvableTransfer(
  scope: ProviderScope,
  { deployments, transfer }: { deployments: LifiDeployments; transfer: LifiTransfer },
): Promise<ProvableTransfer | null> {
  const facet = bridgeOfTool(transfer.tool)?.facet;
  if (facet === undefined || facet === "across") return null;
  const source = deployments.get(transfer.fromChainId);
  const destination = deployments.get(transfer.toChainId);
  const [client, to] = [scope.chain(transfer.fromChainId), scope.chain(transfer.toChainId)];
  if (source === undefined || destination === undefined || client === null || to === null) return null;
  const { receipt } = await fetchTransaction(client, transfer.txHash);
  if (receipt === null || !receipt.succeeded) return null;
  const ends = { source, destination };
  const sent = facet === "stargate" ? findStargateSend(receipt, ends) : findCctpSend(receipt, ends);
  return sent === null ? null : { sent, ...ends, from: { client, receipt }, to };
}

/** What arrived by a transaction, and by which it reached its end. */
interface ProvenArrival {
  hash: Hex;
  delivery: DeliveryProof | null;
}

async function readProvenArrival(journey: ProvableTransfer, hash: Hex): Promise<ProvenArrival | null> {
  const { receipt, confirmations } = await fetchTransaction(journey.to, hash);
  if (receipt === null) return null;
  const { sent } = journey;
  const head = Number(receipt.blockNumber) + confirmations - 1;
  if (sent.kind === "stargate") return stargateArrival({ ...journey, sent }, { hash, receipt, head });
  const delivery = findCctpMint(receipt, { ...journey, sent });
  return delivery === null || (await isBeforeSend(journey, receipt)) ? null : { hash, delivery };
}

type StargateTransfer = ProvableTransfer & { sent: Extract<SentTransfer, { kind: "stargate" }> };

async function stargateArrival(
  journey: StargateTransfer,
  { hash, receipt, head }: { hash: Hex; receipt: Receipt; head: number },
): Promise<ProvenArrival | null> {
  const ended = findStargateRecovery(receipt, journey);
  if (ended !== "no_call") return { hash, delivery: ended === "called" ? null : ended };
  const paid = findStargatePayout(receipt, journey);
  if (paid === null) return null;
  const { receiverStargate } = journey.destination;
  if (receiverStargate !== null && isAddressEqual(paid.to, receiverStargate)) {
    return findDestinationCall(journey, { from: Number(receipt.blockNumber), head });
  }
  if (paid.delivery.bond === "id") return { hash, delivery: paid.delivery };
  if (await isBeforeSend(journey, receipt)) return null;
  const rode = await wasOnDeliveringBus(journey, { guid: paid.guid, receipt });
  if (rode === false) return null;
  return { hash, delivery: { ...paid.delivery, bond: rode === true ? "id" : "content" } };
}

/** Whether the transfer was in the bus that a delivery came by: of two that are alike, the other was not. */
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

/** The transaction that made the call after the money had arrived, by LI.FI's number of the transfer. */
async function findDestinationCall(
  journey: StargateTransfer,
  { from, head }: { from: number; head: number },
): Promise<ProvenArrival | null> {
  const { destination, sent, to } = journey;
  const [completed, id] = encodeEventTopics({
    abi: destinationAbi(),
    eventName: "LiFiTransferCompleted",
    args: { transactionId: sent.transactionId },
  });
  const [recovered] = encodeEventTopics({ abi: destinationAbi(), eventName: "LiFiTransferRecovered" });
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
    const ended = receipt === null ? "no_call" : findStargateRecovery(receipt, journey);
    if (ended !== "no_call") return { hash, delivery: ended === "called" ? null : ended };
  }
  return null;
}

/** Whether a delivery lies before what it should be of, by the clocks of the two chains. */
async function isBeforeSend({ from, to }: ProvableTransfer, receipt: Receipt): Promise<boolean> {
  const [sent, arrived] = await Promise.all([
    readBlock(from.client, Number(from.receipt.blockNumber)),
    readBlock(to, Number(receipt.blockNumber)),
  ]);
  return arrived.timestamp + CLOCK_SKEW < sent.timestamp;
}
