import { type Address, encodeEventTopics, type Hex, type Log, numberToHex, parseEventLogs } from "viem";
import * as z from "zod";
import type { ChainClient } from "../../../chains/client.ts";
import { RpcData, RpcQuantity, RpcWord } from "../../../chains/rpc-values.ts";
import { busAbi, logsAtAddress } from "./source-events.ts";

const BlockTimeShape = z.object({ timestamp: RpcQuantity });

/** A block and its time, unix seconds. */
interface BlockMoment {
  block: bigint;
  time: bigint;
}

/** Reads when a block was made. Throws what asking the node throws. */
export async function readBlockTime(client: ChainClient, block: bigint): Promise<BlockMoment> {
  const header = await client.request("eth_getBlockByNumber", [numberToHex(block), false]);
  return { block, time: BlockTimeShape.parse(header).timestamp };
}

/** How long before its arrival a bus may have left, seconds, and how far the clocks of two chains may be apart. */
const MAX_RIDE_SECONDS = 1_800n;
const CLOCK_SKEW = 60n;
/** What public nodes give logs of at once, and how often they are asked. */
const LOG_RANGE = 2_000n;
const MAX_LOG_REQUESTS = 4;

const Logs = z.array(
  z.looseObject({
    address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    topics: z.array(RpcWord),
    data: RpcData,
  }),
);

/** A seat on the source chain, and the message that came by a bus. */
export interface BusRide {
  messaging: Address;
  ticket: bigint;
  /** The block in which the seat was taken. */
  from: bigint;
  guid: Hex;
  /** When the message arrived, unix seconds. */
  arrivedAt: bigint;
}

/**
 * Whether the bus that a delivery came by had a seat's number among its own, by what the source chain says of buses
 * that left; null where that bus is not found, or nobody answers. Never throws. Source: Bus.sol, TokenMessaging.sol.
 */
export async function wasOnBus(client: ChainClient, ride: BusRide): Promise<boolean | null> {
  try {
    const { first, last } = await departureBlocks(client, ride);
    for (let ask = 0, to = last; ask < MAX_LOG_REQUESTS && to >= first; ask += 1, to -= LOG_RANGE) {
      const from = to - LOG_RANGE + 1n > first ? to - LOG_RANGE + 1n : first;
      const bus = await findBus(client, { ride, from, to });
      if (bus !== null) return ride.ticket >= bus.first && ride.ticket < bus.end;
    }
    return null;
  } catch {
    return null;
  }
}

async function findBus(
  client: ChainClient,
  { ride, from, to }: { ride: BusRide; from: bigint; to: bigint },
): Promise<{ first: bigint; end: bigint } | null> {
  const topics = encodeEventTopics({ abi: busAbi(), eventName: "BusDriven" });
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  const filter = { address: ride.messaging, topics, ...range };
  const logs = Logs.parse(await client.request("eth_getLogs", [filter])) as unknown as Log[];
  const own = logsAtAddress(logs, ride.messaging);
  const driven = parseEventLogs({ abi: busAbi(), eventName: "BusDriven", logs: own });
  const bus = driven.find(({ args }) => args.guid === ride.guid);
  if (bus === undefined) return null;
  const { startTicketId: first, numPassengers } = bus.args;
  return { first, end: first + BigInt(numPassengers) };
}

/** The blocks in which the bus can have left: of the time before it arrived, by the chain's own pace since the ride. */
async function departureBlocks(
  client: ChainClient,
  { from, arrivedAt }: BusRide,
): Promise<{ first: bigint; last: bigint }> {
  const head = RpcQuantity.parse(await client.request("eth_blockNumber", []));
  const [rode, now] = await Promise.all([readBlockTime(client, from), readBlockTime(client, head)]);
  const at = (time: bigint) => estimateBlock(time, { rode, now });
  const [first, last] = [at(arrivedAt - MAX_RIDE_SECONDS), at(arrivedAt + CLOCK_SKEW)];
  return { first: first > from ? first : from, last: last < head ? last : head };
}

/** The block of a time, if blocks came evenly; rounded up. */
function estimateBlock(time: bigint, { rode, now }: { rode: BlockMoment; now: BlockMoment }): bigint {
  const [blocks, seconds] = [now.block - rode.block, now.time - rode.time];
  if (seconds <= 0n || time <= rode.time) return time <= rode.time ? rode.block : now.block;
  return rode.block + ((time - rode.time) * blocks + seconds - 1n) / seconds;
}
