import type { Account, Chain, Client, Hash, Hex, Transport } from "viem";
import {
  getAddresses,
  getCapabilities,
  getChainId,
  sendCalls,
  sendTransaction,
  signTypedData,
  switchChain,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from "viem/actions";
import type { Step } from "./actions/read-actions.ts";
import { CausewayError } from "./causeway-client-error.ts";

/** A viem client that can sign: one connected to a browser wallet, or one with a local account. */
export type Wallet = Client<Transport, Chain | undefined, Account | undefined>;

/**
 * The wallet of an execution: either one client that can switch chains, as browser wallets do, or a function that
 * returns a client for a chain id, for local accounts.
 */
export type WalletSource = Wallet | ((chainId: number) => Wallet | Promise<Wallet>);

/** A step in which the wallet sends a transaction. */
export type TransactionStep = Extract<Step, { kind: "transaction" }>;
/** A step in which the wallet signs a message. */
export type SignatureStep = Extract<Step, { kind: "signature" }>;

/** Maximum time to wait until a transaction is included in a block, in milliseconds. */
const INCLUSION_MS = 600_000;
/** EIP-1193 error codes: the user rejected the request; the account has not been authorized by the user. */
const USER_REJECTED = 4001;
const NOT_AUTHORIZED = 4100;

/**
 * Returns the wallet's client for a chain: the result of `source` if it is a function, otherwise `source` itself,
 * switched to the chain if necessary. If the switch fails, throws CausewayError `chain_unavailable`, `user_rejected` or
 * `wrong_account`; errors of the function propagate.
 */
export async function walletOn(source: WalletSource, chainId: number): Promise<Wallet> {
  if (typeof source === "function") return source(chainId);
  try {
    if ((await getChainId(source)) === chainId) return source;
    await switchChain(source, { id: chainId });
    if ((await getChainId(source)) === chainId) return source;
  } catch (error) {
    throw toWalletError(error, "chain_unavailable");
  }
  throw new CausewayError("chain_unavailable", `the wallet stays on another chain than ${chainId}`);
}

/**
 * Returns the account of a wallet: the client's own, otherwise the first that the wallet lists. Throws CausewayError
 * `wrong_account` if no account is connected, or if it is not `expected` (letter case is ignored). If `expected` is
 * null, every account is accepted.
 */
export async function accountOf(wallet: Wallet, expected: string | null): Promise<Account | `0x${string}`> {
  const account = wallet.account ?? (await getAddresses(wallet).catch(() => []))[0];
  const address = typeof account === "object" ? account.address : account;
  if (account === undefined || address === undefined)
    throw new CausewayError("wrong_account", "no account is connected");
  if (expected === null || address.toLowerCase() === expected.toLowerCase()) return account;
  throw new CausewayError("wrong_account", `the wallet holds ${address}, the order is of ${expected}`);
}

/**
 * Returns the address of the wallet's account on a chain. Throws CausewayError `wrong_account` if none is connected, or
 * if `expected` is given and differs; errors of `walletOn` propagate.
 */
export async function addressIn(
  source: WalletSource,
  { chainId, expected }: { chainId: number; expected: `0x${string}` | undefined },
): Promise<`0x${string}`> {
  const account = await accountOf(await walletOn(source, chainId), expected ?? null);
  return typeof account === "string" ? account : account.address;
}

/**
 * Returns the chain of a step, for a request that is sent to the wallet next. Throws CausewayError `chain_unavailable`
 * if the wallet is on another chain: the user may have changed it since `walletOn`, and what is paid to an address of
 * one chain is lost on another.
 */
async function chainOf(wallet: Wallet, { chainId }: TransactionStep): Promise<Chain> {
  const current = await getChainId(wallet).catch((error: unknown) => {
    throw toWalletError(error, "chain_unavailable");
  });
  if (current === chainId) return { id: chainId } as Chain;
  throw new CausewayError("chain_unavailable", `the wallet is on the chain ${current}, not on ${chainId}`);
}

/**
 * Sends the transaction of a step and returns its hash. The wallet must already be on the step's chain (see
 * `walletOn`). `included` waits for the receipt for at most ten minutes and returns the hash of
 * the transaction, or of the one by which the user replaced or cancelled it in the wallet; it throws
 * `transaction_reverted` if that reverted, and `wallet_failed` if no receipt is found. Throws CausewayError:
 * `wrong_account`, `chain_unavailable`, `user_rejected`, or `wallet_failed` (also if the step has no transaction yet).
 */
export async function sendStep(
  wallet: Wallet,
  { step, user }: { step: TransactionStep; user: string },
): Promise<{ hash: Hash; included(): Promise<Hash> }> {
  const request = requestOf(step);
  const account = await accountOf(wallet, user);
  const gas = request.gasLimit === null ? {} : { gas: request.gasLimit };
  const { to, data, value } = request;
  const chain = await chainOf(wallet, step);
  try {
    const hash = await sendTransaction(wallet, { account, chain, to, data, value, ...gas });
    return { hash, included: () => receiptOf(wallet, hash) };
  } catch (error) {
    throw toWalletError(error, "wallet_failed");
  }
}

async function receiptOf(wallet: Wallet, hash: Hash): Promise<Hash> {
  const receipt = await waitForTransactionReceipt(wallet, { hash, timeout: INCLUSION_MS }).catch(
    (error: unknown) => {
      throw toWalletError(error, "wallet_failed");
    },
  );
  if (receipt.status === "success") return receipt.transactionHash;
  throw new CausewayError("transaction_reverted", `the transaction ${receipt.transactionHash} reverted`);
}

/**
 * Sends the transactions of several steps as one atomic batch (EIP-5792), waits for it, and returns the hash of its last
 * transaction. The wallet must already be on the steps' chain. Returns null if the batch could not be submitted for any
 * reason other than the user's rejection, usually because the wallet does not support atomic batches; the caller can
 * then send the steps one by one. Throws CausewayError: `wrong_account`; `chain_unavailable`; `user_rejected`;
 * `transaction_reverted` if the batch failed or has no receipt; `wallet_failed` if a step has no transaction yet, or if
 * the outcome is not known within ten minutes or cannot be read; the batch may then still be executed.
 */
export async function sendBatch(
  wallet: Wallet,
  { steps, user }: { steps: readonly TransactionStep[]; user: string },
): Promise<Hash | null> {
  const account = await accountOf(wallet, user);
  const calls = steps.map(requestOf).map(({ to, data, value }) => ({ to, data, value }));
  const [first] = steps;
  if (first === undefined) throw new CausewayError("wallet_failed", "a batch has at least one step");
  const chain = await chainOf(wallet, first);
  let id: string;
  try {
    ({ id } = await sendCalls(wallet, { account, chain, calls, forceAtomic: true }));
  } catch (error) {
    const failed = toWalletError(error, "wallet_failed");
    if (failed.code === "user_rejected") throw failed;
    return null;
  }
  const { status, receipts = [] } = await waitForCallsStatus(wallet, { id, timeout: INCLUSION_MS }).catch(
    (error: unknown) => {
      throw toWalletError(error, "wallet_failed");
    },
  );
  const hash = receipts.at(-1)?.transactionHash;
  if (status === "success" && hash !== undefined) return hash;
  throw new CausewayError("transaction_reverted", "the batch of transactions failed");
}

/**
 * Returns true if the wallet can execute several calls atomically on a chain, at least after an upgrade that the user
 * must approve. Returns false if it cannot, or does not say. Throws CausewayError `wrong_account`. Source: EIP-5792,
 * `atomic`.
 */
export async function canBatch(
  wallet: Wallet,
  { user, chainId }: { user: string; chainId: number },
): Promise<boolean> {
  const account = await accountOf(wallet, user);
  try {
    const { atomic } = (await getCapabilities(wallet, { account, chainId })) as {
      atomic?: { status?: string };
    };
    return atomic?.status === "supported" || atomic?.status === "ready";
  } catch {
    return false;
  }
}

/**
 * Signs the EIP-712 message of a step and returns the signature. Throws CausewayError: `wrong_account`, `user_rejected`
 * or `wallet_failed`.
 */
export async function signStep(
  wallet: Wallet,
  { step, user }: { step: SignatureStep; user: string },
): Promise<Hex> {
  const account = await accountOf(wallet, user);
  try {
    const message = step.typedData as unknown as Omit<Parameters<typeof signTypedData>[1], "account">;
    return await signTypedData(wallet, { ...message, account } as Parameters<typeof signTypedData>[1]);
  } catch (error) {
    throw toWalletError(error, "wallet_failed");
  }
}

function requestOf(step: TransactionStep): NonNullable<TransactionStep["transactionRequest"]> {
  if (step.transactionRequest !== null) return step.transactionRequest;
  throw new CausewayError("wallet_failed", `the step ${step.stepId} has no transaction yet`);
}

/**
 * Converts an error of the wallet to `user_rejected` or `wrong_account`, according to its EIP-1193 code or that of a
 * cause, or otherwise to the code `otherwise`. A CausewayError is returned unchanged.
 */
export function toWalletError(error: unknown, otherwise: CausewayError["code"]): CausewayError {
  if (error instanceof CausewayError) return error;
  const codes = new Set<unknown>();
  for (let at: unknown = error; typeof at === "object" && at !== null; at = (at as { cause?: unknown }).cause)
    codes.add((at as { code?: unknown }).code);
  if (codes.has(USER_REJECTED))
    return new CausewayError("user_rejected", "the user declined", { cause: error });
  if (codes.has(NOT_AUTHORIZED))
    return new CausewayError("wrong_account", "the wallet does not hold the account", { cause: error });
  const message = error instanceof Error ? error.message : "the wallet failed";
  return new CausewayError(otherwise, message, { cause: error });
}
