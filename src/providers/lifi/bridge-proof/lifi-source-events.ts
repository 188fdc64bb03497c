import { type Address, type Hex, isAddressEqual, type Log, parseAbi, parseEventLogs, slice } from "viem";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { once } from "../../../lib/once.ts";
import { BRIDGE_DATA } from "../decode/lifi-structs.ts";
import type { LifiDeployment, PairDeployments } from "../lifi-deployments.ts";
import { type BurnMessage, parseCctpMessage } from "./cctp-message.ts";

/**
 * A Stargate or CCTP (`circle`) transfer that a source receipt shows, by the events of the bridge's own contracts.
 * `transactionId` and `receiver` are those of the Diamond's `LiFiTransferStarted` event.
 */
export type SentTransfer =
  | {
      kind: "stargate";
      assetId: number;
      /** Id of the LayerZero message; null for a bus transfer, which has no message until its bus departs. */
      guid: Hex | null;
      /**
       * Number of the ticket for a bus (a batch of transfers); null for a taxi transfer or if it is unknown.
       */
      ticket: bigint | null;
      /** Amount to be delivered, in the smallest unit of the source chain's token. */
      amount: bigint;
      /** LI.FI's id of the transfer. */
      transactionId: Hex;
      /** The final receiver, as in `BridgeData`. */
      receiver: Address;
    }
  | { kind: "circle"; message: BurnMessage };

/**
 * ABI of the events of a Stargate V2 pool: a transfer was sent, a transfer was received. Source: IOFT.sol.
 */
export const stargateAbi = once(() =>
  parseAbi([
    "event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)",
    "event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)",
  ]),
);
/**
 * ABI of the events of CCTP's MessageTransmitter: a message was sent, a message was received. Source:
 * MessageTransmitterV2.sol.
 */
export const cctpAbi = once(() =>
  parseAbi([
    "event MessageSent(bytes message)",
    "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
  ]),
);
/**
 * ABI of the events of Stargate's bus, a batch of transfers: a transfer bought a ticket, a bus departed with its
 * tickets. Stargate's TokenMessaging contract emits them. Source: Bus.sol.
 */
export const busAbi = once(() =>
  parseAbi([
    "event BusRode(uint32 dstEid, uint72 ticketId, uint80 fare, bytes passenger)",
    "event BusDriven(uint32 dstEid, uint72 startTicketId, uint8 numPassengers, bytes32 guid)",
  ]),
);
/** ABI of the event that the Diamond emits when a transfer leaves the source chain. Source: ILiFi.sol. */
export const transferStartedAbi = once(() =>
  parseAbi([BRIDGE_DATA, "event LiFiTransferStarted(BridgeData bridgeData)"]),
);
/**
 * Byte offset of the burned token's address in the body of a burn message: 4 bytes of version and 12 bytes of
 * padding.
 */
const BURN_TOKEN_AT = 16;
/** LayerZero message id in the `OFTSent` event of a bus transfer, which has no message of its own. */
const NO_GUID: Hex = `0x${"0".repeat(64)}`;

/** Returns the logs that the contract at `address` emitted. */
export const logsAtAddress = (logs: readonly Log[], address: Hex): Log[] =>
  logs.filter((log) => isAddressEqual(log.address, address));

/**
 * Returns the Stargate transfer that a source receipt shows, or null unless it has exactly one `OFTSent` event, to the
 * destination chain, and one `LiFiTransferStarted`. Sources: StargateBase.sol, StargateFacetV2.sol.
 */
export function findStargateSend(receipt: Receipt, pair: PairDeployments): SentTransfer | null {
  const { source, destination } = pair;
  const events = (source.stargate?.pools ?? []).flatMap(({ pool, assetId }) =>
    parseEventLogs({ abi: stargateAbi(), eventName: "OFTSent", logs: logsAtAddress(receipt.logs, pool) }).map(
      ({ args }) => ({ ...args, assetId }),
    ),
  );
  const own = logsAtAddress(receipt.logs, source.diamond);
  const started = parseEventLogs({ abi: transferStartedAbi(), eventName: "LiFiTransferStarted", logs: own });
  const [[sent, ...others], [start, ...further]] = [events, started];
  if (sent === undefined || start === undefined || others.length > 0 || further.length > 0) return null;
  if (sent.dstEid !== destination.stargate?.endpointId) return null;
  const { assetId, guid, amountReceivedLD: amount } = sent;
  const { transactionId, receiver } = start.args.bridgeData;
  const transfer = { kind: "stargate", assetId, amount, transactionId, receiver } as const;
  if (guid !== NO_GUID) return { ...transfer, guid, ticket: null };
  return { ...transfer, guid: null, ticket: ticketOf(receipt, source) };
}

/**
 * Returns the number of the bus ticket bought in a receipt, or null if there is none or more than one.
 * Source: Bus.sol.
 */
function ticketOf(receipt: Receipt, { stargate }: LifiDeployment): bigint | null {
  if (stargate === null || stargate.messaging === null) return null;
  const logs = logsAtAddress(receipt.logs, stargate.messaging);
  const [ride, ...others] = parseEventLogs({ abi: busAbi(), eventName: "BusRode", logs });
  return ride === undefined || others.length > 0 ? null : ride.args.ticketId;
}

/**
 * Returns the CCTP burn that a source receipt shows, or null unless CCTP is known on both chains and the receipt
 * contains exactly one CCTP message, which burns USDC for the destination chain. Source: MessageTransmitterV2.sol.
 */
export function findCctpSend(receipt: Receipt, pair: PairDeployments): SentTransfer | null {
  const [from, to] = [pair.source.circle, pair.destination.circle];
  if (from === null || to === null) return null;
  const own = logsAtAddress(receipt.logs, from.transmitter);
  const [event, ...others] = parseEventLogs({ abi: cctpAbi(), eventName: "MessageSent", logs: own });
  if (event === undefined || others.length > 0) return null;
  const message = parseCctpMessage(event.args.message);
  if (message === null || message.sourceDomain !== from.domain || message.destinationDomain !== to.domain)
    return null;
  const burned = slice(message.fixed, BURN_TOKEN_AT, BURN_TOKEN_AT + 20);
  return isAddressEqual(burned, from.usdc) ? { kind: "circle", message } : null;
}
