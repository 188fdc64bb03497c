import { type Address, type Hex, isAddressEqual, type Log, parseAbi, parseEventLogs, slice } from "viem";
import type { Receipt } from "../../../chains/transaction.ts";
import { once } from "../../../lib/once.ts";
import type { LifiDeployment } from "../deployments.ts";
import { type BurnMessage, parseCctpMessage } from "./cctp-message.ts";

/** What a bridge's own contract recorded of a transfer on its source chain. */
export type SentTransfer =
  | {
      kind: "stargate";
      assetId: number;
      /** LayerZero's id of the message; null: the transfer waits for company and has none yet. */
      guid: Hex | null;
      /** Its number among those that wait for company; null: it does not, or it is not known. */
      ticket: bigint | null;
      /** Smallest unit of the source's token. */
      amount: bigint;
      transactionId: Hex;
      /** Whom the money is for, whoever sent the transaction. */
      receiver: Address;
    }
  | { kind: "circle"; message: BurnMessage };

export const stargateAbi = once(() =>
  parseAbi([
    "event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)",
    "event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)",
  ]),
);
export const cctpAbi = once(() =>
  parseAbi([
    "event MessageSent(bytes message)",
    "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
  ]),
);
export const busAbi = once(() =>
  parseAbi([
    "event BusRode(uint32 dstEid, uint72 ticketId, uint80 fare, bytes passenger)",
    "event BusDriven(uint32 dstEid, uint72 startTicketId, uint8 numPassengers, bytes32 guid)",
  ]),
);
const transferStartedAbi = once(() =>
  parseAbi([
    "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }",
    "event LiFiTransferStarted(BridgeData bridgeData)",
  ]),
);
const NO_GUID: Hex = `0x${"0".repeat(64)}`;

/** The logs of one contract. */
export const logsAtAddress = (logs: readonly Log[], address: Hex): Log[] =>
  logs.filter((log) => isAddressEqual(log.address, address));

/**
 * Reads a transfer over Stargate out of its source receipt; null: there is none, or not one alone.
 * Source: StargateBase.sol, StargateFacetV2.sol.
 */
export function findStargateSend(
  receipt: Receipt,
  ends: { source: LifiDeployment; destination: LifiDeployment },
): SentTransfer | null {
  const { source, destination } = ends;
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
  const carried = { kind: "stargate", assetId, amount, transactionId, receiver } as const;
  if (guid !== NO_GUID) return { ...carried, guid, ticket: null };
  return { ...carried, guid: null, ticket: ticketOf(receipt, source) };
}

/** The number of the one transfer that took a seat. Source: Bus.sol. */
function ticketOf(receipt: Receipt, { stargate }: LifiDeployment): bigint | null {
  if (stargate === null || stargate.messaging === null) return null;
  const logs = logsAtAddress(receipt.logs, stargate.messaging);
  const [rode, ...others] = parseEventLogs({ abi: busAbi(), eventName: "BusRode", logs });
  return rode === undefined || others.length > 0 ? null : rode.args.ticketId;
}

/**
 * Reads a transfer over CCTP out of its source receipt; null: there is none, or not one alone.
 * Source: MessageTransmitterV2.sol.
 */
export function findCctpSend(
  receipt: Receipt,
  ends: { source: LifiDeployment; destination: LifiDeployment },
): SentTransfer | null {
  const [from, to] = [ends.source.circle, ends.destination.circle];
  if (from === null || to === null) return null;
  const own = logsAtAddress(receipt.logs, from.transmitter);
  const [event, ...others] = parseEventLogs({ abi: cctpAbi(), eventName: "MessageSent", logs: own });
  if (event === undefined || others.length > 0) return null;
  const message = parseCctpMessage(event.args.message);
  if (message === null || message.sourceDomain !== from.domain || message.destinationDomain !== to.domain)
    return null;
  // The burned token is a word of the body, as the source chain's USDC must be.
  const burned = slice(message.fixed, 16, 36);
  return isAddressEqual(burned, from.usdc) ? { kind: "circle", message } : null;
}
