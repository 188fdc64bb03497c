import { type Address, encodeEventTopics, type Hex, parseEventLogs } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { readBlock } from "../../../chains/read-block.ts";
import { type ChainLog, toViemLog } from "../../../chains/request-logs.ts";
import type { Block } from "../../../lib/block-ranges.ts";
import { busAbi } from "./bridge-source-events.ts";

/** The longest time between a bus's departure and its arrival, seconds. */
const MAX_RIDE_SECONDS = 1_800;
/** How far the clocks of two chains may differ, seconds. */
export const CLOCK_SKEW = 60;
/** Requests of one search for a bus, refused ones included. */
const MAX_LOG_REQUESTS = 4;

/** A ticket bought on the source chain, and the message of the bus that made a delivery. */
export interface BusRide {
  /** Stargate's TokenMessaging contract on the source chain. */
  messaging: Address;
  ticket: bigint;
  /** The block in which the ticket was bought. */
  from: number;
  /** LayerZero's id of the bus's message. */
  guid: Hex;
  /** Time of the delivery, unix seconds. */
  arrivedAt: number;
}

/**
 * Returns whether the bus that made a delivery carried a ticket, from the `BusDriven` events on the source chain;
 * null when the bus is not found or no node answers. Never throws. Source: Bus.sol, TokenMessaging.sol.
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

/**
 * Returns the tickets of the bus with a message id: from `first`, included, to `end`, excluded; null when it is not
 * among the logs.
 */
function findBus(logs: readonly ChainLog[], guid: Hex): { first: bigint; end: bigint } | null {
  const driven = parseEventLogs({ abi: busAbi(), eventName: "BusDriven", logs: logs.map(toViemLog) });
  const bus = driven.find(({ args }) => args.guid === guid.toLowerCase());
  if (bus === undefined) return null;
  const { startTicketId: first, numPassengers } = bus.args;
  return { first, end: first + BigInt(numPassengers) };
}

/** Returns the block range of the bus's possible departure, estimated from its arrival and the average block time. */
async function departureBlocks(
  client: ChainClient,
  { from, arrivedAt }: BusRide,
): Promise<{ from: number; to: number }> {
  const [bought, head] = await Promise.all([readBlock(client, from), readBlock(client, "latest")]);
  const [first, last] = [arrivedAt - MAX_RIDE_SECONDS, arrivedAt + CLOCK_SKEW].map((time) =>
    estimateBlock(time, { bought, head }),
  );
  return { from: Math.max(first ?? from, from), to: Math.min(last ?? head.number, head.number) };
}

/** Estimates the block at a time by linear interpolation, rounded up. */
function estimateBlock(time: number, { bought, head }: { bought: Block; head: Block }): number {
  const [blocks, seconds] = [head.number - bought.number, head.timestamp - bought.timestamp];
  if (time <= bought.timestamp) return bought.number;
  return seconds <= 0
    ? head.number
    : bought.number + Math.ceil(((time - bought.timestamp) * blocks) / seconds);
}
