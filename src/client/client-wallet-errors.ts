import { CausewayError } from "./causeway-client-error.ts";

/** EIP-1193 error codes: the user rejected the request; the account has not been authorized by the user. */
const USER_REJECTED = 4001;
const NOT_AUTHORIZED = 4100;
/** EIP-5792 error code: a batch with this id was submitted before. */
const DUPLICATE_BATCH = 5720;
/**
 * Codes with which a wallet says that it did not take a request at all. Source: EIP-1193, JSON-RPC 2.0 and EIP-1474.
 * Other codes, such as -32603 and -32000, say nothing about what was sent.
 */
const NOT_TAKEN = new Set<unknown>([4200, -32_600, -32_601, -32_602, -32_004, -32_003]);
/**
 * Codes with which a wallet says that it takes the calls, but not as this batch. EIP-5792: capability or chain not
 * supported, batch too large, upgrade of the account declined, atomicity not supported.
 */
const BATCH_NOT_TAKEN = new Set<unknown>([5700, 5710, 5740, 5750, 5760]);
/**
 * Names of viem's errors that arise before a transaction is sent, or from a node that refused to accept it. Too low a
 * nonce is not one of them: the node may have the transaction already.
 */
const NOT_SENT = new Set<unknown>([
  "AccountNotFoundError",
  "ChainMismatchError",
  "ExecutionRevertedError",
  "FeeCapTooLowError",
  "InsufficientFundsError",
  "IntrinsicGasTooHighError",
  "IntrinsicGasTooLowError",
  "TipAboveFeeCapError",
]);

/** The codes and names of an error and of its causes. */
function marksOf(error: unknown): ReadonlySet<unknown> {
  const marks = new Set<unknown>();
  for (
    let at: unknown = error;
    typeof at === "object" && at !== null;
    at = (at as { cause?: unknown }).cause
  ) {
    const { code, name } = at as { code?: unknown; name?: unknown };
    marks.add(code).add(name);
  }
  return marks;
}

const hasAny = (marks: ReadonlySet<unknown>, of: ReadonlySet<unknown>): boolean =>
  [...marks].some((mark) => of.has(mark));

/** Returns true if a wallet refused a batch because it has one with the same id. */
export const isDuplicateBatch = (error: unknown): boolean => marksOf(error).has(DUPLICATE_BATCH);

/**
 * Returns true if a wallet's error proves that it cannot send these calls as a batch and has sent none of them. Returns
 * false if the user rejected the request, because the user then rejected the calls themselves.
 */
export function refusesBatch(error: unknown): boolean {
  const marks = marksOf(error);
  return !marks.has(USER_REJECTED) && (hasAny(marks, BATCH_NOT_TAKEN) || hasAny(marks, NOT_TAKEN));
}

/**
 * Converts an error of the wallet to `user_rejected` or `wrong_account`, according to its EIP-1193 code or that of a
 * cause, or otherwise to the code `otherwise`. A CausewayError is returned unchanged.
 */
export function toWalletError(error: unknown, otherwise: CausewayError["code"]): CausewayError {
  if (error instanceof CausewayError) return error;
  const marks = marksOf(error);
  if (marks.has(USER_REJECTED))
    return new CausewayError("user_rejected", "the user declined", { cause: error });
  if (marks.has(NOT_AUTHORIZED))
    return new CausewayError("wrong_account", "the wallet does not hold the account", { cause: error });
  return new CausewayError(otherwise, shortMessageOf(error, marks), { cause: error });
}

/** Returns what an error says in one sentence: viem's full messages contain the whole request, with its calldata. */
function shortMessageOf(error: unknown, marks: ReadonlySet<unknown>): string {
  if (marks.has("InsufficientFundsError"))
    return "the account cannot pay the network fee, and the value if there is one, in the chain's own currency";
  const { shortMessage, message } = (error ?? {}) as { shortMessage?: unknown; message?: unknown };
  const text = [shortMessage, message].find((one) => typeof one === "string" && one !== "");
  return typeof text === "string" ? text : "the wallet failed";
}

/**
 * Converts an error of a request to send something: to `user_rejected`, `wrong_account`, `chain_unavailable` or
 * `wallet_failed` if it proves that nothing was sent, otherwise to `outcome_unknown`. A CausewayError stays unchanged.
 */
export function toSendError(error: unknown): CausewayError {
  const marks = marksOf(error);
  if (marks.has("ChainMismatchError")) return toWalletError(error, "chain_unavailable");
  const unsent = hasAny(marks, NOT_TAKEN) || hasAny(marks, BATCH_NOT_TAKEN) || hasAny(marks, NOT_SENT);
  return toWalletError(error, unsent ? "wallet_failed" : "outcome_unknown");
}
