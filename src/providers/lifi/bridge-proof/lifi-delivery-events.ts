import { type Hex, isAddressEqual, type Log, parseAbi, parseEventLogs } from "viem";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { DeliveryProof } from "../../provider.ts";
import type { PairDeployments } from "../lifi-deployments.ts";
import { parseBurnBody } from "./cctp-message.ts";
import { cctpAbi, logsAtAddress, type SentTransfer, stargateAbi } from "./lifi-source-events.ts";
import { stargatePoolOf } from "./stargate-and-cctp-contracts.ts";

type StargateSent = Extract<SentTransfer, { kind: "stargate" }>;
type CctpSent = Extract<SentTransfer, { kind: "circle" }>;

/** A payout of a Stargate pool on the destination chain that was matched to a transfer. */
export interface StargatePayout {
  /** The address that received the tokens, such as the user, or LI.FI's receiver contract before a destination call. */
  to: Hex;
  /** Id of the LayerZero message that carried the transfer. */
  guid: Hex;
  delivery: DeliveryProof;
}

/**
 * ABI of the events that show how a destination call ended: those of LayerZero's endpoint, LI.FI's receiver and LI.FI's
 * Executor. Sources: MessagingComposer.sol, ILiFi.sol.
 */
export const receiverAbi = once(() =>
  parseAbi([
    "event ComposeDelivered(address from, address to, bytes32 guid, uint16 index)",
    "event LiFiTransferCompleted(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
    "event LiFiTransferRecovered(bytes32 indexed transactionId, address receivingAssetId, address receiver, uint256 amount, uint256 timestamp)",
  ]),
);

/**
 * Returns the payout of a Stargate transfer from a destination receipt, or null unless it shows exactly one. A bus
 * transfer is matched by content, which another transfer may share. Source: IOFT.sol, `OFTReceived`.
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
  const matching = all.filter(({ args }) => {
    if (args.srcEid !== source.stargate?.endpointId) return false;
    // With a destination call, a stranger can send to another account than the receiver that he names.
    const ours = [sent.receiver, destination.receiverStargate ?? sent.receiver];
    if (sent.guid !== null)
      return args.guid === sent.guid && ours.some((account) => isAddressEqual(account, args.toAddress));
    return isAddressEqual(args.toAddress, sent.receiver) && args.amountReceivedLD === amount;
  });
  const [event, ...others] = matching;
  if (event === undefined || others.length > 0) return null;
  const logs = logWindowUntil(event, all);
  const matchedBy = sent.guid === null ? "content" : "id";
  const delivery: DeliveryProof = { amount: event.args.amountReceivedLD, logs, matchedBy };
  return { to: event.args.toAddress, guid: event.args.guid, delivery };
}

/**
 * Returns how a Stargate transfer's destination call ended, as a receipt shows it: "called" if it succeeded, the
 * payment to the user if it failed, otherwise "no_call". Sources: ReceiverStargateV2.sol, MessagingComposer.sol.
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
  return last === undefined ? "called" : { amount: last.args.amount, logs, matchedBy: "id" };
}

/**
 * Returns the mint in a destination receipt that matches a CCTP burn by content (Circle assigns nonces off chain), or
 * null unless exactly one does. `amount` is what the recipient received, after the fee.
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
  const matching = all.flatMap((event) => {
    const body = parseBurnBody(event.args.messageBody);
    if (body === null || body.fixed !== message.fixed || body.fee > body.amount) return [];
    if (event.args.sourceDomain !== message.sourceDomain || event.args.sender !== message.sender) return [];
    return [{ event, body }];
  });
  const [mint, ...others] = matching;
  if (mint === undefined || others.length > 0) return null;
  const amount = mint.body.amount - mint.body.fee;
  return { amount, logs: logWindowUntil(mint.event, all), matchedBy: "content" };
}

/**
 * Returns the range of log indexes that belong to one delivery in a receipt: from after the previous event in
 * `all` up to the delivery's own event, both inclusive.
 */
function logWindowUntil(event: Log, all: readonly Log[]): DeliveryProof["logs"] {
  const last = event.logIndex ?? -1;
  const before = all.map(({ logIndex }) => logIndex ?? -1).filter((index) => index < last);
  return { first: Math.max(-1, ...before) + 1, last };
}

const isWithin = ({ logIndex }: Log, { first, last }: DeliveryProof["logs"]): boolean =>
  logIndex !== null && logIndex >= first && logIndex <= last;
