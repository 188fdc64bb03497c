import type { NodeSession } from "../chains/client.ts";
import { readHead } from "../chains/logs.ts";
import type { FlowTip } from "../db/queries/flows.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";

/**
 * A node that has not got to the final block, or tells another one, may lack the older blocks too. Throws OutsideError
 * then, and what the node says.
 */
export async function refuseOtherChain(
  node: NodeSession,
  { finalBlock, finalHash }: Pick<FlowTip, "finalBlock" | "finalHash">,
): Promise<void> {
  if (finalBlock === null) throw new RangeError("history is read below a final block");
  const final = await readHead(node, finalBlock);
  if (final.hash !== finalHash)
    throw new OutsideError("malformed", "the node tells another history below the final block");
}
