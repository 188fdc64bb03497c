import { z } from "zod";
import { rpc } from "./json-rpc.ts";

const BEAT_MS = 5_000;
const Head = z.object({ timestamp: z.string().transform(Number) });

/**
 * Mines a block after a pause without one, as real chains do: deadlines depend on the head's timestamp, which would
 * stand still on an idle chain. Pauses while automine is off. `clearInterval` ends it.
 */
export function mineWhenIdle(url: string): NodeJS.Timeout {
  return setInterval(() => {
    beat(url).catch((error: unknown) => console.error(`heartbeat of ${url}:`, error));
  }, BEAT_MS);
}

async function beat(url: string): Promise<void> {
  if ((await rpc(url, "anvil_getAutomine")) !== true) return;
  const { timestamp } = Head.parse(await rpc(url, "eth_getBlockByNumber", "latest", false));
  if (timestamp * 1000 < Date.now() - BEAT_MS) await rpc(url, "evm_mine");
}
