import { z } from "@hono/zod-openapi";
import { encodeEventTopics, type Hex, isAddressEqual, numberToHex, parseAbi } from "viem";
import type { ChainClient } from "../../../chains/client.ts";
import { RpcWord } from "../../../chains/rpc-values.ts";
import { type Receipt, seeTransaction } from "../../../chains/transaction.ts";
import { once } from "../../../lib/once.ts";
import type { MoveDelivery, MoveStatus, ProviderScope } from "../../provider.ts";
import { bridgeOfTool } from "../bridges.ts";
import type { LifiDeployment, LifiDeployments } from "../deployments.ts";
import type { Transfer } from "../status.ts";
import { rodeAlong } from "./bus.ts";
import { blockTime } from "./clock.ts";
import { mintedByCircle, paidByStargate, recoveredFromStargate } from "./delivered.ts";
import { type Sent, sentByCircle, sentByStargate } from "./sent.ts";

/** How far the clocks of two chains may be apart, seconds. */
const CLOCK_SKEW = 60n;
/** A call is made soon after the money arrived; public nodes give logs of some thousand blocks at once. */
const CALL_BLOCKS = 2_000n;

const FoundLogs = z.array(z.object({ transactionHash: RpcWord }));
const endAbi = once(() =>
  parseAbi([
    "event LiFiTransferCompleted(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
    "event LiFiTransferRecovered(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
  ]),
);

interface Journey {
  sent: Sent;
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
export async function witnessMove(
  scope: ProviderScope,
  of: { deployments: LifiDeployments; transfer: Transfer; told: MoveStatus },
): Promise<MoveStatus> {
  const { told } = of;
  const hash = told.destinationTxHash;
  try {
    const journey = await readJourney(scope, of);
    if (journey === null) return told;
    const seen = hash === null ? null : await readArrival(journey, hash);
    const destinationTxHash = seen?.hash ?? hash;
    return { ...told, destinationTxHash, witness: { delivered: seen?.delivery ?? null, took: null } };
  } catch {
    return told;
  }
}

async function readJourney(
  scope: ProviderScope,
  { deployments, transfer }: { deployments: LifiDeployments; transfer: Transfer },
): Promise<Journey | null> {
  const facet = bridgeOfTool(transfer.tool)?.facet;
  if (facet === undefined || facet === "across") return null;
  const source = deployments.get(transfer.fromChainId);
  const destination = deployments.get(transfer.toChainId);
  const [client, to] = [scope.chain(transfer.fromChainId), scope.chain(transfer.toChainId)];
  if (source === undefined || destination === undefined || client === null || to === null) return null;
  const { receipt } = await seeTransaction(client, transfer.txHash);
  if (receipt === null || !receipt.succeeded) return null;
  const ends = { source, destination };
  const sent = facet === "stargate" ? sentByStargate(receipt, ends) : sentByCircle(receipt, ends);
  return sent === null ? null : { sent, ...ends, from: { client, receipt }, to };
}

/** What arrived by a transaction, and by which it reached its end. */
interface Arrival {
  hash: Hex;
  delivery: MoveDelivery | null;
}

async function readArrival(journey: Journey, hash: Hex): Promise<Arrival | null> {
  const { receipt, confirmations } = await seeTransaction(journey.to, hash);
  if (receipt === null) return null;
  const { sent } = journey;
  const head = receipt.blockNumber + BigInt(confirmations) - 1n;
  if (sent.kind === "stargate") return byStargate({ ...journey, sent }, { hash, receipt, head });
  const delivery = mintedByCircle(receipt, { ...journey, sent });
  return delivery === null || (await isOlder(journey, receipt)) ? null : { hash, delivery };
}

type StargateJourney = Journey & { sent: Extract<Sent, { kind: "stargate" }> };

async function byStargate(
  journey: StargateJourney,
  { hash, receipt, head }: { hash: Hex; receipt: Receipt; head: bigint },
): Promise<Arrival | null> {
  const ended = recoveredFromStargate(receipt, journey);
  if (ended !== "no_call") return { hash, delivery: ended === "called" ? null : ended };
  const paid = paidByStargate(receipt, journey);
  if (paid === null) return null;
  const { receiverStargate } = journey.destination;
  if (receiverStargate !== null && isAddressEqual(paid.to, receiverStargate)) {
    return findCall(journey, { from: receipt.blockNumber, head });
  }
  if (paid.delivery.bond === "id") return { hash, delivery: paid.delivery };
  if (await isOlder(journey, receipt)) return null;
  const rode = await rodeBus(journey, { guid: paid.guid, receipt });
  if (rode === false) return null;
  return { hash, delivery: { ...paid.delivery, bond: rode === true ? "id" : "content" } };
}

/** Whether the transfer was in the bus that a delivery came by: of two that are alike, the other was not. */
async function rodeBus(
  { sent, source, from, to }: StargateJourney,
  { guid, receipt }: { guid: Hex; receipt: Receipt },
): Promise<boolean | null> {
  const messaging = source.stargate?.messaging ?? null;
  if (messaging === null || sent.ticket === null) return null;
  const { time: arrivedAt } = await blockTime(to, receipt.blockNumber);
  const ride = { messaging, ticket: sent.ticket, from: from.receipt.blockNumber, guid, arrivedAt };
  return rodeAlong(from.client, ride);
}

/** The transaction that made the call after the money had arrived, by LI.FI's number of the transfer. */
async function findCall(
  journey: StargateJourney,
  { from, head }: { from: bigint; head: bigint },
): Promise<Arrival | null> {
  const { destination, sent, to } = journey;
  const args = { transactionId: sent.transactionId };
  const [completed] = encodeEventTopics({ abi: endAbi(), eventName: "LiFiTransferCompleted", args });
  const [recovered, id] = encodeEventTopics({ abi: endAbi(), eventName: "LiFiTransferRecovered", args });
  const filter = {
    address: [destination.executor, destination.receiverStargate],
    topics: [[completed, recovered], id],
    fromBlock: numberToHex(from),
    toBlock: numberToHex(head < from + CALL_BLOCKS ? head : from + CALL_BLOCKS),
  };
  const logs = FoundLogs.parse(await to.request("eth_getLogs", [filter]));
  for (const hash of new Set(logs.map(({ transactionHash }) => transactionHash))) {
    const { receipt } = await seeTransaction(to, hash);
    const ended = receipt === null ? "no_call" : recoveredFromStargate(receipt, journey);
    if (ended !== "no_call") return { hash, delivery: ended === "called" ? null : ended };
  }
  return null;
}

/** Whether a delivery lies before what it should be of, by the clocks of the two chains. */
async function isOlder({ from, to }: Journey, receipt: Receipt): Promise<boolean> {
  const [sent, arrived] = await Promise.all([
    blockTime(from.client, from.receipt.blockNumber),
    blockTime(to, receipt.blockNumber),
  ]);
  return arrived.time + CLOCK_SKEW < sent.time;
}
