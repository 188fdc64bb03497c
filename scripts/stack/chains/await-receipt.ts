import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";

const POLL_MS = 10;
/** Longest wait for a receipt; a local chain mines at once. */
const MINED_WITHIN_MS = 60_000;

/**
 * Polls until the receipt exists. viem's own wait polls only when a new block arrives, which never happens on an idle
 * chain when a node reports a block before its receipts. Throws TransactionReceiptNotFoundError after a minute.
 */
export async function awaitReceipt(
  client: Pick<PublicClient, "getTransactionReceipt">,
  hash: Hex,
): Promise<TransactionReceipt> {
  const until = performance.now() + MINED_WITHIN_MS;
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError) || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
