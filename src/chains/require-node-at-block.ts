import { OutsideError } from "../lib/bounded-fetch.ts";
import type { ChainClient } from "./chain-client.ts";
import { readBlock } from "./read-block.ts";

/**
 * Returns a client that uses only nodes whose head is `block` or later: `ask` asks the next node if a result reports an
 * earlier head, and so does `onOneNode`, with one more request, if the node does not know the block.
 */
export function requireBlock(client: ChainClient, block: number): ChainClient {
  return {
    ...client,
    ask: (question) =>
      client.ask({
        ...question,
        read: (answer, seen) =>
          question.read(answer, (report) => {
            if (report.blockNumber !== null && report.blockNumber < block)
              throw new OutsideError("malformed", `the node does not know block ${block}`);
            seen(report);
          }),
      }),
    onOneNode: (work, turn) =>
      client.onOneNode(async (node) => {
        await readBlock(node, block);
        return work(node);
      }, turn),
  };
}
