import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";

const POLL_MS = 10;
/** A local chain mines what it is sent at once; one that has not by then is stuck. */
const MINED_WITHIN_MS = 60_000;

/**
 * Asks until the receipt is there. viem's own wait looks again at the next block only, and an idle chain has none:
 * when the number of a block is told before its receipts, that is for ever. Throws TransactionReceiptNotFoundError
 * after a minute.
 */
export async function receiptOf(
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
