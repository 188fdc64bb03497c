import { aggregate, type BlockRef } from "./aggregate.ts";
import type { ChainClient } from "./client.ts";
import type { Described } from "./read.ts";

/**
 * Makes described reads, and those that their results lead to, each round in as few requests as fit. The block
 * is that of the first round. Throws what `aggregate` throws.
 */
export async function readDescribed<S>(
  client: ChainClient,
  described: Described<S>,
): Promise<{ value: S; block: BlockRef }> {
  const { block, results } = await aggregate(client, described.reads);
  let value = described.interpret(results);
  let next = described.next?.(results);
  while (next !== undefined) {
    const further = Object.keys(next.reads).length === 0 ? {} : (await aggregate(client, next.reads)).results;
    value = next.interpret(further);
    next = next.next?.(further);
  }
  return { value, block };
}
