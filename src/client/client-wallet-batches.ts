import { type Hash, stringToHex } from "viem";
import { getCallsStatus, getCapabilities, sendCalls, waitForCallsStatus } from "viem/actions";
import { CausewayError } from "./causeway-client-error.ts";
import { isDuplicateBatch, refusesBatch, toSendError } from "./client-wallet-errors.ts";
import {
  accountOf,
  chainOf,
  INCLUSION_MS,
  requestOf,
  type TransactionStep,
  type Wallet,
} from "./client-wallet-steps.ts";
import { answerOf } from "./execution/execution-waits.ts";

/** Number of batch ids that are tried for the same steps: one is used again if its batch has not failed. */
const MAX_ATTEMPTS = 20;

/**
 * Returns true if the wallet says that it can execute several calls atomically on a chain, perhaps after an upgrade
 * that the user must approve. Throws CausewayError like `accountOf`. Source: EIP-5792, `atomic`.
 */
export async function canBatch(
  wallet: Wallet,
  { user, chainId }: { user: string; chainId: number },
): Promise<boolean> {
  const account = await accountOf(wallet, user);
  try {
    const { atomic } = (await answerOf(getCapabilities(wallet, { account, chainId }))) as {
      atomic?: { status?: string };
    };
    return atomic?.status === "supported" || atomic?.status === "ready";
  } catch {
    return false;
  }
}

/**
 * Sends steps as one atomic batch (EIP-5792) and returns its id, or that of an earlier batch of these steps that has
 * not failed. `keep` gets each id before it is proposed. Null if the wallet takes no such batch. Throws CausewayError;
 * unless it is `outcome_unknown`, nothing was sent.
 */
export async function sendBatch(
  wallet: Wallet,
  of: { steps: readonly TransactionStep[]; user: string; name: string; keep: (id: string) => void },
): Promise<string | null> {
  const { steps, user, name, keep } = of;
  const account = await accountOf(wallet, user);
  const calls = steps.map(requestOf).map(({ to, data, value }) => ({ to, data, value }));
  const [first] = steps;
  if (first === undefined) throw new CausewayError("wallet_failed", "a batch has at least one step");
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const chain = await chainOf(wallet, first);
    const id = stringToHex(`${name} ${attempt}`);
    keep(id);
    try {
      return (await sendCalls(wallet, { id, account, chain, calls, forceAtomic: true })).id;
    } catch (error) {
      if (refusesBatch(error)) return null;
      if (!isDuplicateBatch(error)) throw toSendError(error);
      if (!(await hasFailed(wallet, id))) return id;
    }
  }
  throw new CausewayError("wallet_failed", "the wallet gave up all batches of these steps");
}

/** Returns true if the wallet says that nothing of a batch was or will be executed: status 4xx or 5xx. */
async function hasFailed(wallet: Wallet, id: string): Promise<boolean> {
  const { statusCode } = await answerOf(getCallsStatus(wallet, { id })).catch(() => ({ statusCode: 0 }));
  return statusCode >= 400 && statusCode < 600;
}

/**
 * Waits for a batch and returns the hash of its last transaction, or null without a receipt. Throws CausewayError:
 * `wallet_failed` if it was not sent, `transaction_reverted` if all of it reverted, otherwise `outcome_unknown`, for
 * example if it has not ended after ten minutes.
 */
export async function batchOutcome(wallet: Wallet, id: string): Promise<Hash | null> {
  const { status, statusCode, receipts } = await waitForCallsStatus(wallet, {
    id,
    timeout: INCLUSION_MS,
    status: (current) => current.statusCode >= 200,
  }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : "the wallet does not answer";
    throw new CausewayError("outcome_unknown", message, { cause: error });
  });
  const reverted = receipts?.filter((receipt) => receipt.status === "reverted").length ?? 0;
  if (status === "success" && reverted === 0) return receipts?.at(-1)?.transactionHash ?? null;
  if (statusCode >= 400 && statusCode < 500)
    throw new CausewayError("wallet_failed", "the wallet gave the batch up before it was sent");
  if ((statusCode >= 500 && statusCode < 600) || (reverted > 0 && reverted === receipts?.length))
    throw new CausewayError("transaction_reverted", "the batch of transactions reverted");
  throw new CausewayError("outcome_unknown", `the wallet reports the status ${statusCode} of the batch`);
}
