import type { Block } from "../lib/block-ranges.ts";
import type { NodeSession } from "./chain-client.ts";
import { readBlock } from "./read-block.ts";

/** Maximum difference between the clocks of chains and of this service, in seconds. */
const CLOCK_MARGIN = 120;
/** First distance from the head in blocks at which the search looks; each further distance is four times as long. */
const FIRST_STEP = 64;
/** Precision of the search, in blocks. */
const PRECISION = 64;

/**
 * Returns the number of the first block to search for transactions sent after `time` (UNIX seconds): one that is at
 * least two minutes older, or 0. `latest` is the chain's head. Errors of the node propagate.
 */
export async function blockAtTime(
  node: NodeSession,
  { time, latest }: { time: number; latest: Block },
): Promise<number> {
  const isOlder = async (number: number): Promise<boolean> =>
    (await readBlock(node, number)).timestamp <= time - CLOCK_MARGIN;
  // First back in growing steps, because most deposits are recent.
  let [older, newer] = [latest.number, latest.number];
  for (let step = FIRST_STEP; older > 0; step *= 4) {
    newer = older;
    older = Math.max(0, latest.number - step);
    if (await isOlder(older)) break;
  }
  while (newer - older > PRECISION) {
    const middle = Math.floor((older + newer) / 2);
    if (await isOlder(middle)) older = middle;
    else newer = middle;
  }
  return older;
}
