import { type Address, type Hex, isAddressEqual, type Log, parseAbi, parseEventLogs, slice } from "viem";
import type { Receipt } from "../../../chains/chain-transaction.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import { matchTransfer } from "../../match-transfer.ts";
import type { TransferReference } from "../../provider.ts";
import { BRIDGE_DATA } from "../decode/lifi-structs.ts";
import type { LifiDeployment, PairDeployments } from "../lifi-deployments.ts";
import { type BurnMessage, parseCctpMessage } from "./cctp-message.ts";
import { stargatePoolOf } from "./stargate-and-cctp-contracts.ts";

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
/** Byte offset of the recipient's address in the body of a burn message: the token's word, and 12 bytes of padding. */
const RECIPIENT_AT = 48;
/** LayerZero message id in the `OFTSent` event of a bus transfer, which has no message of its own. */
const NO_GUID: Hex = `0x${"0".repeat(64)}`;

/** The deployments on both chains, and what is known of the transfer that is meant. */
type BridgedPair = PairDeployments & Pick<TransferReference, "sender" | "built">;

/** Returns the logs that the contract at `address` emitted. */
export const logsAtAddress = (logs: readonly Log[], address: Hex): Log[] =>
  logs.filter((log) => isAddressEqual(log.address, address));

/**
 * Returns the Stargate transfer that a source receipt shows, or null without one `LiFiTransferStarted` event of the
 * transfer and an `OFTSent` event to the destination chain before it. Sources: StargateBase.sol, StargateFacetV2.sol.
 */
export function findStargateSend(receipt: Receipt, pair: BridgedPair): SentTransfer | null {
  const { source, destination } = pair;
  const events = (source.stargate?.pools ?? []).flatMap(({ pool, assetId }) =>
    parseEventLogs({ abi: stargateAbi(), eventName: "OFTSent", logs: logsAtAddress(receipt.logs, pool) }).map(
      ({ args, logIndex }) => ({ ...args, assetId, logIndex }),
    ),
  );
  const own = logsAtAddress(receipt.logs, source.diamond);
  const started = parseEventLogs({ abi: transferStartedAbi(), eventName: "LiFiTransferStarted", logs: own });
  const inOrder = events.toSorted((one, other) => one.logIndex - other.logIndex);
  const sends = started.flatMap(({ args: { bridgeData }, logIndex: to }, index) => {
    const from = started[index - 1]?.logIndex ?? -1;
    const within = ({ logIndex }: Pick<Log, "logIndex">): boolean =>
      logIndex !== null && logIndex > from && logIndex < to;
    // The facet emits its event at the end of the call, after the pool's.
    const send = inOrder.findLast(within);
    return send === undefined
      ? []
      : [{ ...send, ...bridgeData, end: to, after: from, logs: receipt.logs.filter(within) }];
  });
  const matching = sends.filter(
    (send) => send.dstEid === destination.stargate?.endpointId && isAsBuilt(send, pair),
  );
  const candidates = matching.map((one) => ({
    transfer: one,
    namesAccount: sameAddress(one.receiver, pair.sender?.account ?? ""),
    amount: isPaidToken(stargatePoolOf(source.stargate, one.assetId)?.token, pair) ? one.amountSentLD : null,
    ...{ logIndex: one.end, after: one.after },
  }));
  const found = matchTransfer(candidates, { ...pair, logs: receipt.logs });
  if (found === null) return null;
  const { assetId, guid, amountReceivedLD: amount, transactionId, receiver, logs } = found;
  const transfer = { kind: "stargate", assetId, amount, transactionId, receiver } as const;
  if (guid !== NO_GUID) return { ...transfer, guid, ticket: null };
  return { ...transfer, guid: null, ticket: ticketOf(logs, source) };
}

/** Returns false if the user is known to have paid another token than the one that a bridge takes. */
const isPaidToken = (token: Address | undefined, { built }: BridgedPair): boolean =>
  built === undefined || sameAddress(token ?? "", built.fromToken ?? "");

/**
 * Returns false if a Stargate transfer differs from what was built. Its receiver proves nothing: with a destination
 * call, the tokens go elsewhere.
 */
function isAsBuilt(
  send: { assetId: number; amountReceivedLD: bigint; hasDestinationCall: boolean },
  { source, destination, built }: BridgedPair,
): boolean {
  if (built === undefined) return true;
  const from = stargatePoolOf(source.stargate, send.assetId);
  const to = stargatePoolOf(destination.stargate, send.assetId);
  if (from === null || to === null || send.hasDestinationCall !== built.call) return false;
  const amount = mulDivDown(send.amountReceivedLD, 10n ** BigInt(to.decimals), 10n ** BigInt(from.decimals));
  return sameAddress(to.token, built.toToken ?? to.token) && amount >= (built.least ?? 0n);
}

/**
 * Returns the number of the bus ticket bought in a transfer's logs, or null if there is none or more than one.
 * Source: Bus.sol.
 */
function ticketOf(sent: readonly Log[], { stargate }: LifiDeployment): bigint | null {
  if (stargate === null || stargate.messaging === null) return null;
  const logs = logsAtAddress(sent, stargate.messaging);
  const [ride, ...others] = parseEventLogs({ abi: busAbi(), eventName: "BusRode", logs });
  return ride === undefined || others.length > 0 ? null : ride.args.ticketId;
}

/**
 * Returns the CCTP burn that a source receipt shows, or null unless CCTP is known on both chains and a CCTP message of
 * the transfer burns USDC for the destination chain. Source: MessageTransmitterV2.sol.
 */
export function findCctpSend(receipt: Receipt, pair: BridgedPair): SentTransfer | null {
  const [from, to] = [pair.source.circle, pair.destination.circle];
  if (from === null || to === null) return null;
  const own = logsAtAddress(receipt.logs, from.transmitter);
  const events = parseEventLogs({ abi: cctpAbi(), eventName: "MessageSent", logs: own });
  const messages = events.flatMap(({ args, logIndex }, index) => {
    const message = parseCctpMessage(args.message);
    return message === null ? [] : [{ message, logIndex, after: events[index - 1]?.logIndex ?? -1 }];
  });
  const candidates = messages
    .filter(({ message }) => message.sourceDomain === from.domain && message.destinationDomain === to.domain)
    .filter(({ message }) => isAddressEqual(addressIn(message.fixed, BURN_TOKEN_AT), from.usdc))
    .map(({ message, logIndex, after }) => ({
      transfer: message,
      namesAccount: sameAddress(addressIn(message.fixed, RECIPIENT_AT), pair.sender?.account ?? ""),
      amount: isPaidToken(from.usdc, pair) ? message.amount : null,
      ...{ logIndex, after },
    }));
  const message = matchTransfer(candidates, { ...pair, logs: receipt.logs });
  return message === null ? null : { kind: "circle", message };
}

/** Returns the address that begins at a byte offset of a burn message's body. */
const addressIn = (body: Hex, at: number): Address => slice(body, at, at + 20);
