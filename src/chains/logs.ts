import type { Address, Hex } from "viem";
import * as z from "zod";
import type { BlockRange } from "../lib/blocks.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import type { NodeSession } from "./client.ts";
import { RpcNumber, RpcWord, toRpcQuantity } from "./rpc-values.ts";

/** An event and where it stands. Addresses and hashes are lower case. */
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
 * Reads the events of a span, each once, in the order of the chain. An answer that cannot be right as a whole is
 * none: OutsideError. Throws RpcError as the node said it.
 */
export async function readLogs(
  node: NodeSession,
  filter: { span: BlockRange; addresses: readonly string[]; topics: readonly string[] },
): Promise<ChainLog[]> {
  const { span, addresses, topics } = filter;
  const params = [
    {
      fromBlock: toRpcQuantity(span.from),
      toBlock: toRpcQuantity(span.to),
      address: addresses,
      topics: [topics],
    },
  ];
  const parsed = LogsShape.safeParse(await node.request("eth_getLogs", params));
  if (!parsed.success) throw new OutsideError("malformed", "the node's logs have another shape");
  const [wantedAddresses, wantedTopics] = [new Set(addresses), new Set<string>(topics)];
  const logs = new Map<string, ChainLog>();
  const hashes = new Map<number, Hex>();
  for (const { transactionHash: txHash, removed, ...log } of parsed.data) {
    const key = `${txHash} ${log.logIndex}`;
    const known = hashes.get(log.blockNumber) ?? logs.get(key)?.blockHash ?? log.blockHash;
    hashes.set(log.blockNumber, known);
    const fits =
      removed !== true &&
      known === log.blockHash &&
      log.blockNumber >= span.from &&
      log.blockNumber <= span.to &&
      wantedAddresses.has(log.address) &&
      wantedTopics.has(log.topics[0]);
    if (!fits) throw new OutsideError("malformed", "the node's logs are not those that were asked for");
    logs.set(key, { ...log, txHash, topics: [...log.topics] as ChainLog["topics"] });
  }
  return [...logs.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
}
