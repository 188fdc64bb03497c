import { encodeEventTopics, type Hex, type Log, numberToHex, parseEventLogs } from "viem";
import * as z from "zod";
import type { ChainClient } from "../../../chains/client.ts";
import { RpcError } from "../../../chains/json-rpc.ts";
import { AppError } from "../../../errors.ts";
import { OutsideError } from "../../../lib/bounded-fetch.ts";
import { spokePoolAbi } from "../across-abi.ts";
import type { AcrossDeployment } from "../deployments.ts";
import { isSameRelay } from "./fill.ts";
import type { AcrossDeposit } from "./spoke-pool.ts";
import { type BlockStamp, readBlock } from "./spoke-pool.ts";

/** The widest range asked for at once, the blocks looked back at most, and the requests one search may cost. */
const MAX_RANGE = 10_000n;
const MAX_LOOKBACK = 100_000n;
const MAX_REQUESTS = 8;
/** Over how many blocks the chain's pace is measured. */
const PACE_BLOCKS = 1_000n;

const HexText = z.string().regex(/^0x[0-9a-fA-F]*$/);
const Logs = z.array(
  z.object({
    topics: z.array(HexText),
    data: HexText,
    transactionHash: HexText,
    removed: z.boolean().optional(),
  }),
);

interface FillSearch {
  deposited: AcrossDeposit;
  destination: AcrossDeployment;
  head: BlockStamp;
  /** What nodes were learnt to allow, by chain id; kept by who calls, and updated. */
  widths: Map<number, bigint>;
}

/**
 * Looks for the transaction in which the destination's SpokePool filled a transfer, from the time of the
 * deposit on, in ranges that are halved when nodes find them too wide. Null: not found, which is no proof, for
 * the search is bounded. Throws what the chain client throws when nodes fail for other reasons.
 */
export async function searchFill(client: ChainClient, search: FillSearch): Promise<Hex | null> {
  const { head, widths, destination } = search;
  let from = await firstPossibleBlock(client, search);
  let width = widths.get(destination.chainId) ?? MAX_RANGE;
  for (let request = 0; request < MAX_REQUESTS && from <= head.number; request += 1) {
    const to = from + width > head.number ? head.number : from + width - 1n;
    const found = await readRange(client, { ...search, from, to });
    if (found === "too_wide") {
      width = width > 1n ? width / 2n : 1n;
      widths.set(destination.chainId, width);
      continue;
    }
    if (found !== null) return found;
    from = to + 1n;
  }
  return null;
}

/** The block from which on the fill must be, by the chain's pace; a fifth and some blocks earlier to be safe. */
async function firstPossibleBlock(client: ChainClient, { deposited, head }: FillSearch): Promise<bigint> {
  if (head.number <= PACE_BLOCKS) return 0n;
  const oldest = head.number < MAX_LOOKBACK ? 0n : head.number - MAX_LOOKBACK;
  const past = await readBlock(client, head.number - PACE_BLOCKS);
  const seconds = head.timestamp - past.timestamp;
  const age = head.timestamp - BigInt(deposited.quoteTimestamp);
  if (seconds <= 0n || age < 0n) return oldest;
  const first = head.number - (age * PACE_BLOCKS * 6n) / (seconds * 5n) - 100n;
  return first > oldest ? first : oldest;
}

async function readRange(
  client: ChainClient,
  range: FillSearch & { from: bigint; to: bigint },
): Promise<Hex | "too_wide" | null> {
  const { deposited, destination, from, to } = range;
  const args = { originChainId: BigInt(deposited.originChainId), depositId: deposited.depositId };
  const topics = encodeEventTopics({ abi: spokePoolAbi(), eventName: "FilledRelay", args }).slice(0, 3);
  const filter = {
    address: destination.spokePool,
    topics,
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  };
  try {
    const logs = Logs.parse(await client.request("eth_getLogs", [filter]));
    const kept = logs.filter(({ removed }) => removed !== true) as unknown as Log[];
    const fills = parseEventLogs({ abi: spokePoolAbi(), eventName: "FilledRelay", logs: kept });
    return fills.find(({ args }) => isSameRelay(args, deposited))?.transactionHash ?? null;
  } catch (error) {
    if (to > from && isRangeRefused(error)) return "too_wide";
    throw error;
  }
}

/** Whether a node refused, as each does in other words when a range is too wide, or its answer was too large. */
function isRangeRefused(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof OutsideError) return cause.kind === "status" || cause.kind === "too_large";
  return cause instanceof RpcError && cause.kind !== "unsupported";
}
