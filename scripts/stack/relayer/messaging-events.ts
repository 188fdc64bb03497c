import {
  getAbiItem,
  type Hex,
  hexToBigInt,
  hexToNumber,
  isAddressEqual,
  keccak256,
  pad,
  parseEventLogs,
  slice,
  toEventSelector,
  zeroHash,
} from "viem";
import { circleTransmitterAbi, stargatePoolAbi } from "#stand-ins/lifi";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import type { NodeLog } from "../bridge/node-requests.ts";
import { asLog } from "./as-log.ts";
import { type RelayData, type Transfer, toAddress } from "./transfer.ts";

/** Event topics of transfers over Stargate and CCTP. */
export const MESSAGING_TOPICS: readonly Hex[] = [
  toEventSelector(getAbiItem({ abi: stargatePoolAbi, name: "Carried" })),
  toEventSelector(getAbiItem({ abi: circleTransmitterAbi, name: "MessageSent" })),
];

/** Returns the contracts that emit the events of `MESSAGING_TOPICS`. */
export const messagingContractsOf = ({ stargate, circle }: BridgeChain["contracts"]): Hex[] => [
  ...stargate.pools.map(({ pool }) => pool),
  circle.transmitter,
];

type Read = Pick<Transfer, "relay" | "relayHash" | "messaging" | "destinationChainId">;

/** Expiry of transfers over Stargate and CCTP, which never expire. */
const NEVER = 2 ** 32 - 1;

/**
 * Parses a transfer from the event of a Stargate pool or CCTP's transmitter. Its output token is the source chain's:
 * `outputTokenOf` returns the destination's. Throws if the event cannot be decoded.
 */
export function readMessagingEvent(log: NodeLog, chain: BridgeChain): Read {
  const { stargate, circle } = chain.contracts;
  const index = stargate.pools.findIndex(({ pool }) => isAddressEqual(pool, log.address));
  const pool = stargate.pools[index];
  if (pool !== undefined) return readStargate(log, { chain, pool });
  return readCircle(log, { chain, circle });
}

const relayOf = (fields: Partial<RelayData> & Pick<RelayData, "originChainId">): RelayData => ({
  depositor: zeroHash,
  recipient: zeroHash,
  exclusiveRelayer: zeroHash,
  inputToken: zeroHash,
  outputToken: zeroHash,
  inputAmount: 0n,
  outputAmount: 0n,
  depositId: 0n,
  fillDeadline: NEVER,
  exclusivityDeadline: 0,
  message: "0x",
  ...fields,
});

type Pool = BridgeChain["contracts"]["stargate"]["pools"][number];

function readStargate(log: NodeLog, { chain, pool }: { chain: BridgeChain; pool: Pool }): Read {
  const [event] = parseEventLogs({ abi: stargatePoolAbi, eventName: "Carried", logs: [asLog(log)] });
  if (event === undefined) throw new Error("cannot decode the pool's event");
  const { id, dstEid, to, amount, composeMsg, bus, ticketId } = event.args;
  const token = pad(pool.token);
  const relay = relayOf({
    originChainId: BigInt(chain.chainId),
    recipient: to,
    inputToken: token,
    outputToken: token,
    inputAmount: amount,
    outputAmount: amount,
    message: composeMsg,
  });
  const messaging = { kind: "stargate", pool: pool.pool, bus, ticketId } as const;
  return { relay, relayHash: id, messaging, destinationChainId: dstEid };
}

type Circle = BridgeChain["contracts"]["circle"];

/** Parses a CCTP message; its body starts after 148 bytes. Source: CCTP V2, MessageV2 and BurnMessageV2. */
function readCircle(log: NodeLog, { chain, circle }: { chain: BridgeChain; circle: Circle }): Read {
  const logs = [asLog(log)];
  const [event] = parseEventLogs({ abi: circleTransmitterAbi, eventName: "MessageSent", logs });
  if (event === undefined) throw new Error("cannot decode the message");
  const { message } = event.args;
  const body = slice(message, 148);
  const amount = hexToBigInt(slice(body, 68, 100));
  const token = pad(circle.usdc);
  const relay = relayOf({
    originChainId: BigInt(chain.chainId),
    recipient: pad(toAddress(slice(body, 36, 68))),
    inputToken: token,
    outputToken: token,
    inputAmount: amount,
    outputAmount: amount - hexToBigInt(slice(body, 132, 164)) / 2n,
  });
  const relayHash = keccak256(`${log.transactionHash}${log.logIndex.toString(16).padStart(8, "0")}`);
  const destinationChainId = hexToNumber(slice(message, 8, 12));
  return {
    relay,
    relayHash,
    messaging: { kind: "circle", transmitter: log.address, message },
    destinationChainId,
  };
}
