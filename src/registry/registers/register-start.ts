import type { Address } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { readCodeAt } from "../../chains/code-at-block.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { isRateLimit } from "../../chains/log-range.ts";
import { failure } from "../../errors.ts";
import { depositRouterCreate2 } from "../../router/deposit-router-artifact.ts";

/** Maximum error of the found block: reading the additional blocks costs one or two requests and finds no events. */
const CLOSE_ENOUGH_BLOCKS = 1_024;
/** Maximum number of requests of one search: bisection needs 29 for half a billion blocks. */
const MAX_PROBES = 32;
/**
 * Address of a contract older than any register: a node that returns no code for it at a block has pruned that block's
 * state.
 */
const REFERENCE_CONTRACT: Address = depositRouterCreate2.factory;

/**
 * Returns a block before which a register had no code, found by bisection up to block `head`. It is normally at most
 * 1,024 blocks too early; more if no node has the state of old blocks. Throws `upstream_rejected` if the register has
 * no code at `head` or the nodes lack the state of that block, and an RpcError if the last node limits the rate of
 * requests; other errors of the chain client propagate.
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
    const present = await hasCodeAt(client, { register, block: middle });
    // An early start costs reading but misses nothing.
    if (present === null) break;
    if (present) presentAt = middle;
    else absentAt = middle;
  }
  return absentAt + 1;
}

/**
 * Returns whether a register had code at a block, or null if the nodes lack the state of that block. If a node's answer
 * is malformed or does not show the reference contract, the next node is asked. Throws an RpcError if the last node
 * limits the rate of requests; other errors of the chain client propagate.
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
