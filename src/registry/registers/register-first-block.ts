import type { Address } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { readCodeAt } from "../../chains/code-at-block.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { isRateLimit } from "../../chains/log-range.ts";
import { failure } from "../../errors.ts";
import { depositRouterCreate2 } from "../../router/deposit-router-artifact.ts";

/** Maximum error of the found block: reading the additional blocks costs one or two requests and finds no events. */
const CLOSE_ENOUGH_BLOCKS = 1_024;
/**
 * Maximum number of blocks that one search asks about: among half a billion blocks, bisection needs about 20. A failure
 * costs two further requests.
 */
const MAX_PROBES = 32;
/**
 * Address of a contract that is taken to be older than any register: a node that returns no code for it at a block
 * counts as lacking that block's state.
 */
const REFERENCE_CONTRACT: Address = depositRouterCreate2.factory;

/**
 * Returns a block before which a register had no code, normally at most 1,024 blocks too early. Throws
 * `upstream_rejected` if the nodes show no code at `head`, `upstream_unavailable` if they fail there later, and errors
 * of the chain client.
 */
export async function findFirstBlock(
  client: ChainClient,
  { register, head }: { register: { address: Address }; head: number },
): Promise<number> {
  if ((await hasCodeAt(client, { register, block: head })) !== true)
    throw failure("upstream_rejected", "there is no contract at the register's address");
  let [absentAt, presentAt] = [-1, head];
  for (let probe = 1; probe < MAX_PROBES && presentAt - absentAt > CLOSE_ENOUGH_BLOCKS; probe += 1) {
    const middle = Math.floor((absentAt + presentAt) / 2);
    const seen = await hasCodeAt(client, { register, block: middle });
    const present = seen ?? (await askAgain(client, { register, block: middle, head }));
    // An early start costs reading but misses nothing.
    if (present === null) break;
    if (present) presentAt = middle;
    else absentAt = middle;
  }
  return absentAt + 1;
}

/**
 * Asks again whether a register had code at a block, after its code at `head` was read: a passing failure of the nodes
 * says nothing about the state that they keep.
 */
async function askAgain(
  client: ChainClient,
  { register, block, head }: { register: { address: Address }; block: number; head: number },
): Promise<boolean | null> {
  if ((await hasCodeAt(client, { register, block: head })) !== true)
    throw failure("upstream_unavailable", "the nodes failed while the register's first block was searched");
  return hasCodeAt(client, { register, block });
}

/**
 * Returns whether a register had code at a block, or null if the nodes lack the state of that block. Throws an RpcError
 * if the last node limits the rate of requests; other errors of the chain client propagate.
 */
async function hasCodeAt(
  client: ChainClient,
  { register, block }: { register: { address: Address }; block: number },
): Promise<boolean | null> {
  const addresses = [REFERENCE_CONTRACT, register.address];
  try {
    return await client.onOneNode(async (node) => {
      const [known, own] = await readCodeAt(node, { block, addresses });
      if (own === true) return true;
      if (known === true) return false;
      throw new RpcError("node", `the state of block ${block} lacks what is known to be there`);
    });
  } catch (error) {
    if (error instanceof RpcError && !isRateLimit(error.message)) return null;
    throw error;
  }
}
