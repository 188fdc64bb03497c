import { type Hex, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../../../chains/transaction.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { DeliveryProof } from "../../provider.ts";
import { stargatePoolOf } from "../bridge-contracts.ts";
import type { LifiDeployment } from "../deployments.ts";
import { parseBurnBody } from "./cctp-message.ts";
import { cctpAbi, logsAtAddress, type SentTransfer, stargateAbi } from "./source-events.ts";

interface PairDeployments {
  source: LifiDeployment;
  destination: LifiDeployment;
}

type StargateSent = Extract<SentTransfer, { kind: "stargate" }>;
type CctpSent = Extract<SentTransfer, { kind: "circle" }>;

/** What a pool paid out, and to whom. */
export interface StargatePayout {
  to: Hex;
  /** Of the message that it came by. */
  guid: Hex;
  delivery: DeliveryProof;
}

const receiverAbi = once(() =>
  parseAbi([
    "event ComposeDelivered(address from, address to, bytes32 guid, uint16 index)",
    "event LiFiTransferRecovered(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
  ]),
);

/**
 * What the destination's pool paid out of a transfer in a transaction; null: nothing, or not once alone. A transfer
 * that went alone is known by its id, one that waited for company by whom it pays how much from where.
 */
export function findStargatePayout(
  receipt: Receipt,
  of: PairDeployments & { sent: StargateSent },
): StargatePayout | null {
  const { source, destination, sent } = of;
  const [from, to] = [
    stargatePoolOf(source.stargate, sent.assetId),
    stargatePoolOf(destination.stargate, sent.assetId),
  ];
  if (!receipt.succeeded || from === null || to === null) return null;
  const own = logsAtAddress(receipt.logs, to.pool);
  const all = parseEventLogs({ abi: stargateAbi(), eventName: "OFTReceived", logs: own });
  const amount = mulDivDown(sent.amount, 10n ** BigInt(to.decimals), 10n ** BigInt(from.decimals));
  const fitting = all.filter(({ args }) => {
    if (args.srcEid !== source.stargate?.endpointId) return false;
    if (sent.guid !== null) return args.guid === sent.guid;
    return isAddressEqual(args.toAddress, sent.receiver) && args.amountReceivedLD === amount;
  });
  const [event, ...others] = fitting;
  if (event === undefined || others.length > 0) return null;
  const logs = logWindowUntil(event, all);
  const bond = sent.guid === null ? "content" : "id";
  const delivery: DeliveryProof = { amount: event.args.amountReceivedLD, logs, bond };
  return { to: event.args.toAddress, guid: event.args.guid, delivery };
}

/**
 * What LI.FI's receiver gave the user instead of making the call, in the transaction that ran what Stargate's
 * message asked for; `no_call`: the message of this transfer was not handed on there. Source: ReceiverStargateV2.sol,
 * and LayerZero's MessagingComposer.sol, which announces a message after it was run.
 */
export function findStargateRecovery(
  receipt: Receipt,
  of: PairDeployments & { sent: StargateSent },
): DeliveryProof | "called" | "no_call" {
  const { destination, sent } = of;
  const { stargate, receiverStargate } = destination;
  const pool = stargatePoolOf(stargate, sent.assetId);
  if (!receipt.succeeded || stargate === null || pool === null || receiverStargate === null) return "no_call";
  const own = logsAtAddress(receipt.logs, stargate.endpoint);
  const all = parseEventLogs({ abi: receiverAbi(), eventName: "ComposeDelivered", logs: own });
  const event = all.find(
    ({ args }) =>
      args.guid === sent.guid &&
      isAddressEqual(args.from, pool.pool) &&
      isAddressEqual(args.to, receiverStargate),
  );
  if (event === undefined) return "no_call";
  const logs = logWindowUntil(event, all);
  const during = logsAtAddress(receipt.logs, receiverStargate).filter((log) => isWithin(log, logs));
  const recovered = parseEventLogs({ abi: receiverAbi(), eventName: "LiFiTransferRecovered", logs: during });
  const last = recovered.find(({ args }) => args.transactionId === sent.transactionId);
  return last === undefined ? "called" : { amount: last.args.amount, logs, bond: "id" };
}

/**
 * What was minted for a burn in a transaction; null: nothing, or not once alone. CCTP's own number of a message is
 * given off chain, so that a mint is known by its content: the same message, from the same chain.
 */
export function findCctpMint(
  receipt: Receipt,
  of: PairDeployments & { sent: CctpSent },
): DeliveryProof | null {
  const { circle } = of.destination;
  const { message } = of.sent;
  if (!receipt.succeeded || circle === null) return null;
  const own = logsAtAddress(receipt.logs, circle.transmitter);
  const all = parseEventLogs({ abi: cctpAbi(), eventName: "MessageReceived", logs: own });
  const fitting = all.flatMap((event) => {
    const body = parseBurnBody(event.args.messageBody);
    if (body === null || body.fixed !== message.fixed || body.fee > body.amount) return [];
    if (event.args.sourceDomain !== message.sourceDomain || event.args.sender !== message.sender) return [];
    return [{ event, body }];
  });
  const [mint, ...others] = fitting;
  if (mint === undefined || others.length > 0) return null;
  const amount = mint.body.amount - mint.body.fee;
  return { amount, logs: logWindowUntil(mint.event, all), bond: "content" };
}

/** From after the contract's event before to an event: what was done for it. */
function logWindowUntil(event: Log, all: readonly Log[]): DeliveryProof["logs"] {
  const last = event.logIndex ?? -1;
  const before = all.map(({ logIndex }) => logIndex ?? -1).filter((index) => index < last);
  return { first: Math.max(-1, ...before) + 1, last };
}

const isWithin = ({ logIndex }: Log, { first, last }: DeliveryProof["logs"]): boolean =>
  logIndex !== null && logIndex >= first && logIndex <= last;
