import { readHead } from "../chains/logs.ts";
import type { Indexer } from "./indexer.ts";

/**
 * Forgets what was stored of a history that every node denies, back to the newest stored block that they confirm: its
 * hash vouches for all before it. What is forgotten is read again. Throws what the chain client and the store throw.
 */
export async function forgetOtherHistory(indexer: Indexer): Promise<void> {
  const stored = await indexer.store.newestFinal();
  // Ever wider steps back: ten questions reach a thousand blocks.
  const asked = stored.filter((_, index) => ((index + 1) & index) === 0);
  const common = await indexer.client.onOneNode(async (node) => {
    for (const { number, hash } of asked) {
      const told = await readHead(node, number).catch(() => null);
      if (told?.hash === hash) return number;
    }
    return -1;
  });
  indexer.log.error("flows_rewound", { chain_id: indexer.chainId, from: common + 1 });
  await indexer.store.rewind(common + 1);
}
