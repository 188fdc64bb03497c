import { type Address, encodeEventTopics, type Hex, parseEventLogs } from "viem";
import { readBlock } from "../../../chains/blocks.ts";
import type { ChainClient } from "../../../chains/client.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { type ChainLog, toViemLog } from "../../../chains/logs.ts";
import type { Block } from "../../../lib/blocks.ts";
import { busAbi } from "./source-events.ts";

/** How long before its arrival a bus may have left, and how far the clocks of two chains may differ; seconds. */
const MAX_RIDE_SECONDS = 1_800;
const CLOCK_SKEW = 60;
/** Requests of one search for a bus, refused ones included. */
const MAX_LOG_REQUESTS = 4;

/** A seat that was taken on the source chain, and the message that arrived by a bus. */
export interface BusRide {
  messaging: Address;
  ticket: bigint;
  /** The block in which the seat was taken. */
  from: number;
  guid: Hex;
  /** When the message arrived, unix seconds. */
  arrivedAt: number;
}

/**
 * Returns true when the bus that a delivery came by carried a ticket, as the events of buses that left the source chain
 * show; null when that bus is not found or no node answers. Never throws. Source: Bus.sol, TokenMessaging.sol.
 */
export async function wasOnBus(client: ChainClient, ride: BusRide): Promise<boolean | null> {
  try {
    const topics = toTopicLists(encodeEventTopics({ abi: busAbi(), eventName: "BusDriven" }));
    const { logs } = await searchLogs(client, {
      range: await departureBlocks(client, ride),
      filters: [{ addresses: [ride.messaging.toLowerCase()], topics }],
      order: "newest_first",
      until: (found) => findBus(found, ride.guid) !== null,
      maxRequests: MAX_LOG_REQUESTS,
    });
    const bus = findBus(logs, ride.guid);
    return bus === null ? null : ride.ticket >= bus.first && ride.ticket < bus.end;
  } catch {
    return null;
  }
}

/** The tickets of the bus that a message left with: from `first` to before `end`. */
function findBus(logs: readonly ChainLog[], guid: Hex): { first: bigint; end: bigint } | null {
  const driven = parseEventLogs({ abi: busAbi(), eventName: "BusDriven", logs: logs.map(toViemLog) });
  const bus = driven.find(({ args }) => args.guid === guid.toLowerCase());
  if (bus === undefined) return null;
  const { startTicketId: first, numPassengers } = bus.args;
  return { first, end: first + BigInt(numPassengers) };
}

/** The blocks in which the bus can have left, estimated from its arrival and the chain's average block time since the ride. */
async function departureBlocks(
  client: ChainClient,
  { from, arrivedAt }: BusRide,
): Promise<{ from: number; to: number }> {
  const [rode, head] = await Promise.all([readBlock(client, from), readBlock(client, "latest")]);
  const [first, last] = [arrivedAt - MAX_RIDE_SECONDS, arrivedAt + CLOCK_SKEW].map((time) =>
    estimateBlock(time, { rode, head }),
  );
  return { from: Math.max(first ?? from, from), to: Math.min(last ?? head.number, head.number) };
}

/** The block of a time if blocks came evenly, rounded up. */
function estimateBlock(time: number, { rode, head }: { rode: Block; head: Block }): number {
  const [blocks, seconds] = [head.number - rode.number, head.timestamp - rode.timestamp];
  if (time <= rode.timestamp) return rode.number;
  return seconds <= 0 ? head.number : rode.number + Math.ceil(((time - rode.timestamp) * blocks) / seconds);
}
