import type { Address, Hex, Log } from "viem";
import * as z from "zod";
import type { BlockRange } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { NodeSession } from "./chain-client.ts";
import type { LogFilter } from "./log-filter.ts";
import { RpcNumber, RpcWord, toRpcQuantity } from "./rpc-values.ts";

/** An event log and its position in the chain. Hex values are lowercase; `logIndex` counts within the block. */
export interface ChainLog {
  address: Address;
  topics: [Hex, ...Hex[]];
  data: Hex;
  blockNumber: number;
  blockHash: Hex;
  txHash: Hex;
  logIndex: number;
}

const lowerHex = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex);
const LogsShape = z.array(
  z.object({
    address: lowerHex(/^0x[0-9a-fA-F]{40}$/),
    topics: z.tuple([RpcWord], RpcWord),
    data: lowerHex(/^0x([0-9a-fA-F]{2})*$/),
    blockNumber: RpcNumber,
    blockHash: RpcWord,
    transactionHash: RpcWord,
    logIndex: RpcNumber,
    removed: z.boolean().optional(),
  }),
);

/**
 * Reads the event logs of a block range that match a filter: each log once, in on-chain order. Throws OutsideError
 * `malformed` if the node's logs are inconsistent or do not fit the request; errors of the node propagate.
 */
export async function requestLogs(
  node: NodeSession,
  query: { range: BlockRange; filter: LogFilter },
): Promise<ChainLog[]> {
  const { range, filter } = query;
  const blocks = { fromBlock: toRpcQuantity(range.from), toBlock: toRpcQuantity(range.to) };
  const params = [{ ...blocks, address: filter.addresses, topics: filter.topics }];
  const parsed = LogsShape.safeParse(await node.request("eth_getLogs", params));
  if (!parsed.success) throw new OutsideError("malformed", "the node's logs have another shape");
  const matches = logMatcher(filter);
  const logs = new Map<string, ChainLog>();
  const hashes = new Map<number, Hex>();
  for (const { transactionHash: txHash, removed, ...log } of parsed.data) {
    const key = `${txHash} ${log.logIndex}`;
    const known = hashes.get(log.blockNumber) ?? logs.get(key)?.blockHash ?? log.blockHash;
    hashes.set(log.blockNumber, known);
    const fits =
      removed !== true &&
      known === log.blockHash &&
      log.blockNumber >= range.from &&
      log.blockNumber <= range.to &&
      matches(log);
    if (!fits) throw new OutsideError("malformed", "the node's logs are not those that were asked for");
    logs.set(key, { ...log, txHash });
  }
  return [...logs.values()].sort(compareLogs);
}

/** Compares event logs by block number and log index, for sorting the oldest first. */
export const compareLogs = (a: ChainLog, b: ChainLog): number =>
  a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;

/** Converts an event log to viem's type, which viem's event decoders take. Its transaction index is null. */
export function toViemLog({ txHash, blockNumber, topics, ...log }: ChainLog): Log {
  return {
    ...log,
    topics,
    blockNumber: BigInt(blockNumber),
    transactionHash: txHash,
    transactionIndex: null,
    removed: false,
  };
}

function logMatcher(filter: LogFilter): (log: Pick<ChainLog, "address" | "topics">) => boolean {
  const addresses = new Set(filter.addresses);
  const positions = filter.topics.map((list) => (list === null ? null : new Set<string>(list)));
  return ({ address, topics }) =>
    addresses.has(address) &&
    positions.every((wanted, position) => {
      const topic = topics[position];
      return wanted === null || (topic !== undefined && wanted.has(topic));
    });
}
