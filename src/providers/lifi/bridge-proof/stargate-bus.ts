import { type Address, encodeEventTopics, type Hex, parseEventLogs } from "viem";
import type { ChainClient } from "../../../chains/chain-client.ts";
import { type ChainLog, toViemLog } from "../../../chains/chain-logs.ts";
import { toTopicLists } from "../../../chains/log-filter.ts";
import { searchLogs } from "../../../chains/log-reader.ts";
import { readBlock } from "../../../chains/read-block.ts";
import type { Block } from "../../../lib/block-ranges.ts";
import { busAbi } from "./lifi-source-events.ts";

/**
 * Maximum time between the departure and the arrival of a Stargate bus (a batch of transfers), in seconds.
 */
const MAX_RIDE_SECONDS = 1_800;
/** Tolerated difference between the block timestamps of two chains at the same moment, in seconds. */
export const CLOCK_SKEW = 60;
/** Maximum number of log requests per search for a Stargate bus, including requests that a node rejects. */
const MAX_LOG_REQUESTS = 4;

/** A ticket for a Stargate bus (a batch of transfers), and the delivery that its bus may have made. */
export interface BusRide {
  /** Stargate's TokenMessaging contract on the source chain. */
  messaging: Address;
  ticket: bigint;
  /** Number of the source chain block in which the ticket was bought. */
  from: number;
  /** Id of the LayerZero message that made the delivery. */
  guid: Hex;
  /** Block timestamp of the delivery, in unix seconds. */
  arrivedAt: number;
}

/**
 * Returns whether the Stargate bus (a batch of transfers) that made a delivery carried the given ticket, or null if the
 * bus is not found or the chain cannot be read. Never throws. Sources: Bus.sol, TokenMessaging.sol.
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
 * Returns the range of tickets that the Stargate bus with message id `guid` carried, from `first` (inclusive)
 * to `end` (exclusive), or null if the logs do not show its departure.
 */
function findBus(logs: readonly ChainLog[], guid: Hex): { first: bigint; end: bigint } | null {
  const driven = parseEventLogs({ abi: busAbi(), eventName: "BusDriven", logs: logs.map(toViemLog) });
  const bus = driven.find(({ args }) => args.guid === guid.toLowerCase());
  if (bus === undefined) return null;
  const { startTicketId: first, numPassengers } = bus.args;
  return { first, end: first + BigInt(numPassengers) };
}

/**
 * Returns the range of source chain blocks in which a Stargate bus may have departed, estimated from its
 * arrival time and the average block time.
 */
async function departureBlocks(
  client: ChainClient,
  { from, arrivedAt }: BusRide,
): Promise<{ from: number; to: number }> {
  const [bought, head] = await Promise.all([readBlock(client, from), readBlock(client, "latest")]);
  // If the clock of the delivery's chain lags, the half hour after the ticket is searched.
  const lags = arrivedAt + CLOCK_SKEW < bought.timestamp;
  const until = lags ? bought.timestamp + MAX_RIDE_SECONDS : arrivedAt + CLOCK_SKEW;
  const [first, last] = [arrivedAt - MAX_RIDE_SECONDS, until].map((time) =>
    estimateBlock(time, { bought, head }),
  );
  return { from: Math.max(first ?? from, from), to: Math.min(last ?? head.number, head.number) };
}

/**
 * Estimates the number of the block at a given time, in unix seconds, by linear interpolation; rounded up.
 */
function estimateBlock(time: number, { bought, head }: { bought: Block; head: Block }): number {
  const [blocks, seconds] = [head.number - bought.number, head.timestamp - bought.timestamp];
  if (time <= bought.timestamp) return bought.number;
  return seconds <= 0
    ? head.number
    : bought.number + Math.ceil(((time - bought.timestamp) * blocks) / seconds);
}
