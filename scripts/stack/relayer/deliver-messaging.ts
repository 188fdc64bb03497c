import {
  concatHex,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  slice,
  zeroAddress,
  zeroHash,
} from "viem";
import {
  circleTransmitterAbi,
  layerZeroEndpointAbi,
  stargatePoolAbi,
  tokenMessagingAbi,
} from "#stand-ins/lifi";
import type { BridgeChain } from "../bridge/bridge-chains.ts";
import type { Relayer } from "../emulators/control.ts";
import { deliverWithFailingDeposit } from "./failing-delivery.ts";
import { shortfall } from "./next-action.ts";
import { sendFromRelayer } from "./send-transaction.ts";
import { type MessagingTransfer, type Transfer, toAddress } from "./transfer.ts";

/**
 * Returns the destination token of a transfer, which depends on both chains. Throws if the destination has no pool of
 * the asset.
 */
export function outputTokenOf(
  messaging: MessagingTransfer,
  { origin, destination }: { origin: BridgeChain; destination: BridgeChain },
): Hex {
  if (messaging.kind === "circle") return destination.contracts.circle.usdc;
  return poolOf(origin, { destination, pool: messaging.pool }).token;
}

interface Delivering {
  origin: BridgeChain;
  destination: BridgeChain;
  relayer: Relayer;
}

type Stargate = Extract<MessagingTransfer, { kind: "stargate" }>;
type Circle = Extract<MessagingTransfer, { kind: "circle" }>;
type Delivered = Pick<Transfer, "fillTx" | "delivered" | "callsSucceeded">;

/**
 * Delivers a transfer of Stargate or CCTP according to the settings; a destination call is a transaction of its own.
 */
export async function deliverMessaging(
  transfer: Transfer & { messaging: MessagingTransfer },
  at: Delivering,
): Promise<Delivered> {
  const { messaging, relay } = transfer;
  const amount = relay.outputAmount - shortfall(transfer, at.relayer);
  return messaging.kind === "circle"
    ? deliverMessage({ ...transfer, messaging }, { ...at, amount })
    : deliverFromPool({ ...transfer, messaging }, { ...at, amount });
}

async function deliverMessage(
  { relay, relayHash, messaging }: Transfer & { messaging: Circle },
  { destination, amount }: Delivering & { amount: bigint },
): Promise<Delivered> {
  const { message } = messaging;
  const fee = numberToHex(relay.inputAmount - amount, { size: 32 });
  // Fields that Circle's attesters fill in: nonce, executed finality, fee and expiration block.
  const attested = concatHex([
    slice(message, 0, 12),
    keccak256(relayHash),
    slice(message, 44, 144),
    slice(message, 140, 144),
    slice(message, 148, 148 + 164),
    fee,
    numberToHex(1n, { size: 32 }),
  ]);
  const data = encodeFunctionData({
    abi: circleTransmitterAbi,
    functionName: "receiveMessage",
    args: [attested],
  });
  const { transactionHash } = await sendFromRelayer(destination, {
    to: destination.contracts.circle.transmitter,
    data,
  });
  return { fillTx: transactionHash, delivered: amount, callsSucceeded: null };
}

async function deliverFromPool(
  transfer: Transfer & { messaging: Stargate },
  { origin, destination, relayer, amount }: Delivering & { amount: bigint },
): Promise<Delivered> {
  const { relay, relayHash, messaging, originChainId } = transfer;
  const { pool } = poolOf(origin, { destination, pool: messaging.pool });
  // A transfer on a bus is identified by the number of the bus.
  const guid = messaging.bus ? keccak256(relayHash) : relayHash;
  if (messaging.bus) await driveBus(origin, { destination, ticketId: messaging.ticketId, guid });
  const to = toAddress(relay.recipient);
  const args = [originChainId, guid, to, amount, relay.message] as const;
  const data = encodeFunctionData({ abi: stargatePoolAbi, functionName: "receiveToken", args });
  const paid = await sendFromRelayer(destination, { to: pool, data });
  const delivered = { fillTx: paid.transactionHash, delivered: amount };
  if (relay.message === "0x") return { ...delivered, callsSucceeded: null };
  const call = encodeCall({ pool, to, guid }, { originChainId, amount, composeMsg: relay.message });
  const { endpoint, receiver } = destination.contracts.stargate;
  const spoilt = relayer.mode === "fail_destination";
  const made = spoilt
    ? await deliverWithFailingDeposit(transfer, { destination, target: endpoint, data: call })
    : await sendFromRelayer(destination, { to: endpoint, data: call });
  const recovered = made.logs.some(({ address }) => isAddressEqual(address, receiver));
  return { ...delivered, callsSucceeded: !recovered };
}

/** Emits the event on the source chain that a bus with one passenger has left. */
async function driveBus(
  origin: BridgeChain,
  bus: { destination: BridgeChain; ticketId: bigint; guid: Hex },
): Promise<void> {
  const args = [bus.destination.chainId, bus.ticketId, 1, bus.guid] as const;
  const data = encodeFunctionData({ abi: tokenMessagingAbi, functionName: "driveBus", args });
  await sendFromRelayer(origin, { to: origin.contracts.stargate.messaging, data });
}

/** Returns the destination's pool of the same asset. */
function poolOf(origin: BridgeChain, { destination, pool }: { destination: BridgeChain; pool: Hex }) {
  const here = origin.contracts.stargate.pools.find((one) => isAddressEqual(one.pool, pool));
  const there = destination.contracts.stargate.pools.find(({ assetId }) => assetId === here?.assetId);
  if (there === undefined) throw new Error(`no pool for ${pool} on chain ${destination.chainId}`);
  return there;
}

function encodeCall(
  { pool, to, guid }: { pool: Hex; to: Hex; guid: Hex },
  queued: { originChainId: number; amount: bigint; composeMsg: Hex },
): Hex {
  const types = ["uint64", "uint32", "uint256", "bytes32", "bytes"] as const;
  const values = [0n, queued.originChainId, queued.amount, zeroHash, queued.composeMsg] as const;
  const args = [pool, to, guid, 0, encodePacked(types, values)] as const;
  return encodeFunctionData({ abi: layerZeroEndpointAbi, functionName: "lzCompose", args });
}

/**
 * Refunds a user of Stargate or CCTP from the relayer's own balance. Neither bridge refunds, but LI.FI's support may,
 * and reports it as refunded.
 */
export async function refundMessaging(
  { relay }: Pick<Transfer, "relay">,
  origin: BridgeChain,
): Promise<{ refundTx: Hex }> {
  const [token, to] = [toAddress(relay.inputToken), toAddress(relay.depositor)];
  const args = [to, relay.inputAmount] as const;
  const call = isAddressEqual(token, zeroAddress)
    ? { to, data: "0x", value: relay.inputAmount }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args }) };
  const { transactionHash } = await sendFromRelayer(origin, call as Parameters<typeof sendFromRelayer>[1]);
  return { refundTx: transactionHash };
}
