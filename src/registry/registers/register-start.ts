import type { Address } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { readCodeAt } from "../../chains/code-at-block.ts";
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
 * Returns a block before which a register had no code, found by bisection up to block `head`. It is never too late, and
 * normally at most 1,024 blocks too early; more if the node lacks the state of old blocks. Throws `upstream_rejected`
 * if the register has no code at `head` or the nodes lack the state of that block, and OutsideError `malformed` if a
 * node's answer is malformed; errors of the chain client propagate.
 */
export async function findFirstBlock(
  client: ChainClient,
  { register, head }: { register: { address: Address }; head: number },
): Promise<number> {
  const codeAt = async (block: number): Promise<boolean | null> => {
    const [known, own] = await readCodeAt(client, {
      block,
      addresses: [REFERENCE_CONTRACT, register.address],
    });
    return own === true || (known === true ? false : null);
  };
  if ((await codeAt(head)) !== true)
    throw failure("upstream_rejected", "there is no contract at the register's address");
  let [absentAt, presentAt] = [-1, head];
  for (let probe = 1; probe < MAX_PROBES && presentAt - absentAt > CLOSE_ENOUGH_BLOCKS; probe += 1) {
    const middle = Math.floor((absentAt + presentAt) / 2);
    const present = await codeAt(middle);
    // Without the reference the answer says nothing. An early start costs reading but misses nothing.
    if (present === null) break;
    if (present) presentAt = middle;
    else absentAt = middle;
  }
  return absentAt + 1;
}
