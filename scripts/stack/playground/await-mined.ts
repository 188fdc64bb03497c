import { createPublicClient, type Hex, http } from "viem";
import { awaitReceipt } from "../chains/await-receipt.ts";

/** Waits until a transaction is mined. Throws if it reverted or is not mined within a minute. */
export async function awaitMined(rpcUrl: string, hash: Hex): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  const receipt = await awaitReceipt(client, hash);
  if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
}
