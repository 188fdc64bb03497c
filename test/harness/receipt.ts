import { type Hex, type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem";

const POLL_MS = 10;

/**
 * Asks until the receipt is there. viem's own wait looks again at the next block only, and an idle chain has none:
 * when the number of a block is told before its receipts, that is for ever.
 */
export async function receiptOf(
  client: Pick<PublicClient, "getTransactionReceipt">,
  hash: Hex,
): Promise<TransactionReceipt> {
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash });
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}
