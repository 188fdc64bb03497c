import {
  type Account,
  type Chain,
  type Client,
  type EIP1193RequestFn,
  erc20Abi,
  type Hash,
  type Hex,
  isAddress,
  isHash,
  MethodNotSupportedRpcError,
  type ReplacementReason,
  type TransactionReceipt,
  type Transport,
} from "viem";
import {
  getAddresses,
  getChainId,
  getTransaction,
  readContract,
  sendTransaction,
  signTypedData,
  switchChain,
  waitForTransactionReceipt,
} from "viem/actions";
import { CausewayError } from "./causeway-client-error.ts";
import { toSendError, toWalletError } from "./client-wallet-errors.ts";
import { answerOf, pause } from "./execution/execution-waits.ts";
import type { Step } from "./operations/read-operations.ts";

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
export const INCLUSION_MS = 600_000;
/** Maximum time to wait for a transaction of an earlier execution that the wallet's node does not know, in ms. */
const UNKNOWN_MS = 60_000;

/**
 * Returns the wallet's client for a chain: the result of `source` if it is a function, otherwise `source`, switched to
 * the chain. Throws CausewayError, such as `chain_unavailable` or `user_rejected`; errors of the function propagate.
 */
export async function walletOn(source: WalletSource, chainId: number): Promise<Wallet> {
  if (typeof source === "function") return source(chainId);
  // A program without types may pass none.
  if (typeof source !== "object")
    throw new CausewayError(
      "invalid_input",
      "`wallet` must be a viem client, or a function (chainId) => client",
    );
  try {
    if ((await answerOf(getChainId(source))) === chainId) return source;
    await switchChain(source, { id: chainId });
    if ((await answerOf(getChainId(source))) === chainId) return source;
  } catch (error) {
    throw toWalletError(error, "chain_unavailable");
  }
  throw new CausewayError("chain_unavailable", `the wallet stays on another chain than ${chainId}`);
}

/**
 * Returns the account of a wallet: the client's own, otherwise the first that the wallet lists. Throws CausewayError,
 * `wrong_account` if there is none or it is not `expected` (null: any; in any letter case).
 */
export async function accountOf(wallet: Wallet, expected: string | null): Promise<Account | `0x${string}`> {
  const account = wallet.account ?? (await answerOf(getAddresses(wallet).catch(noAccounts)))[0];
  const address = typeof account === "object" ? account.address : account;
  if (account === undefined || address === undefined)
    throw new CausewayError("wrong_account", "no account is connected");
  if (expected === null || address.toLowerCase() === expected.toLowerCase()) return account;
  throw new CausewayError("wrong_account", `the wallet holds ${address}, the order is of ${expected}`);
}

/** Passes on that the user declined. A wallet that fails otherwise counts as one without an account. */
function noAccounts(error: unknown): never[] {
  const declined = toWalletError(error, "wrong_account");
  if (declined.code === "user_rejected") throw declined;
  return [];
}

/**
 * Returns the address of the wallet's account on a chain. Throws CausewayError, `wrong_account` if it is not `expected`
 * or none is connected; errors of `walletOn` propagate.
 */
export async function addressIn(
  source: WalletSource,
  { chainId, expected }: { chainId: number; expected: `0x${string}` | undefined },
): Promise<`0x${string}`> {
  const account = await accountOf(await walletOn(source, chainId), expected ?? null);
  return typeof account === "string" ? account : account.address;
}

/**
 * Returns the chain of a step, with its id only, for the request that gives the step to the wallet. Throws
 * CausewayError, for example `chain_unavailable` if the wallet is on another chain, as the user may have changed it.
 */
export async function chainOf(wallet: Wallet, { chainId }: TransactionStep): Promise<Chain> {
  const current = await answerOf(getChainId(wallet)).catch((error: unknown) => {
    throw toWalletError(error, "chain_unavailable");
  });
  if (current === chainId) return { id: chainId } as Chain;
  throw new CausewayError("chain_unavailable", `the wallet is on the chain ${current}, not on ${chainId}`);
}

/**
 * Sends the transaction of a step and returns its hash. The wallet must be on the step's chain (see `walletOn`). Throws
 * CausewayError; unless it is `outcome_unknown`, nothing was sent.
 */
export async function sendStep(
  wallet: Wallet,
  { step, user }: { step: TransactionStep; user: string },
): Promise<Hash> {
  const request = requestOf(step);
  const account = await accountOf(wallet, user);
  const gas = request.gasLimit === null ? {} : { gas: request.gasLimit };
  const { to, data, value } = request;
  const chain = await chainOf(wallet, step);
  const hash = await sendTransaction(askedOnce(wallet), { account, chain, to, data, value, ...gas }).catch(
    (error: unknown) => {
      throw toSendError(error);
    },
  );
  if (isHash(hash)) return hash;
  throw new CausewayError("outcome_unknown", "the wallet returned no hash of a transaction");
}

/**
 * Returns the wallet without viem's second attempt by `wallet_sendTransaction`, which follows also on errors that say
 * nothing about what was sent.
 */
function askedOnce(wallet: Wallet): Wallet {
  const ask = wallet.request as EIP1193RequestFn;
  const request: EIP1193RequestFn = (call, options) =>
    call.method === "wallet_sendTransaction"
      ? Promise.reject(new MethodNotSupportedRpcError(new Error("a transaction is asked for once")))
      : ask(call, options);
  // viem remembers by the id whether a client has this method.
  return { ...wallet, uid: `${wallet.uid} once`, request: request as Wallet["request"] };
}

/**
 * Waits for a transaction's receipt and returns its hash, or that of its repriced replacement. Throws CausewayError if
 * it was cancelled, replaced or reverted: `outcome_unknown` if what reverted is not a call by `user` of `to` (null: of
 * any contract) or of the account itself, if the node fails, and after ten minutes (one if `sentBefore` and the node
 * does not know it).
 */
export async function receiptOf(
  wallet: Wallet,
  of: { hash: Hash; sentBefore: boolean; user: string; to: string | null },
): Promise<Hash> {
  const { hash, sentBefore } = of;
  let replaced: ReplacementReason = "repriced";
  const onReplaced = ({ reason }: { reason: ReplacementReason }) => {
    replaced = reason;
  };
  const known = !sentBefore || (await answerOf(getTransaction(wallet, { hash })).catch(() => null)) !== null;
  const timeout = known ? INCLUSION_MS : UNKNOWN_MS;
  const receipt = await waitForTransactionReceipt(wallet, { hash, timeout, onReplaced }).catch(
    (error: unknown) => {
      throw toWalletError(error, "outcome_unknown");
    },
  );
  if (replaced !== "repriced") throw replacedError(replaced, receipt.transactionHash);
  if (receipt.status === "success") return receipt.transactionHash;
  // A bundle of several accounts that reverted can be sent again without the user, and a wallet can name another hash.
  const code = isCallOf(receipt, of) ? "transaction_reverted" : "outcome_unknown";
  throw new CausewayError(code, `the transaction ${receipt.transactionHash} reverted`);
}

/** Returns true if a transaction is a call of `to`, or of the account itself, by the account. */
function isCallOf(receipt: TransactionReceipt, { user, to }: { user: string; to: string | null }): boolean {
  const called = receipt.to?.toLowerCase();
  return (
    receipt.from.toLowerCase() === user.toLowerCase() &&
    (to === null || called === to.toLowerCase() || called === user.toLowerCase())
  );
}

const replacedError = (reason: "replaced" | "cancelled", by: Hash): CausewayError =>
  reason === "cancelled"
    ? new CausewayError("transaction_cancelled", `the transaction was cancelled by ${by}`)
    : new CausewayError("transaction_replaced", `another transaction took its place: ${by}`);

/**
 * Signs the EIP-712 message of a step with the account `user` and returns the signature. Throws CausewayError:
 * `user_rejected`, `wrong_account` if `user` is not the wallet's account (`accountOf`) or not authorized, or
 * `wallet_failed`, also if the step has no message or the message's domain names another chain.
 */
export async function signStep(
  wallet: Wallet,
  { step, user }: { step: SignatureStep; user: string },
): Promise<Hex> {
  const account = await accountOf(wallet, user);
  const { domain } = (step.typedData ?? {}) as { domain?: { chainId?: number | string } };
  if (domain?.chainId !== undefined && Number(domain.chainId) !== step.chainId)
    throw new CausewayError("wallet_failed", `the message of ${step.stepId} is for another chain`);
  try {
    const message = step.typedData as unknown as Omit<Parameters<typeof signTypedData>[1], "account">;
    return await signTypedData(wallet, { ...message, account } as Parameters<typeof signTypedData>[1]);
  } catch (error) {
    throw toWalletError(error, "wallet_failed");
  }
}

/**
 * Returns the transaction of a step. Throws CausewayError `wallet_failed` if the step has none yet, or one for another
 * chain, or one that would create a contract.
 */
export function requestOf(step: TransactionStep): NonNullable<TransactionStep["transactionRequest"]> {
  const { stepId, chainId, transactionRequest: request } = step;
  if (request === null) throw new CausewayError("wallet_failed", `the step ${stepId} has no transaction yet`);
  if (request.chainId === chainId && isAddress(request.to, { strict: false })) return request;
  throw new CausewayError("wallet_failed", `the transaction of ${stepId} does not belong to its step`);
}

/** Time between two reads of an allowance, in milliseconds, and their number: a node may lag behind the receipt. */
const ALLOWANCE_POLL_MS = 2_000;
const ALLOWANCE_READS = 4;

/**
 * Throws CausewayError `insufficient_allowance` if the wallet's node shows, in four reads two seconds apart, a lower
 * allowance than an approval's step says: users can lower it in the wallet. An allowance that cannot be read passes.
 */
export async function requireAllowance(
  wallet: Wallet,
  of: {
    approval: Pick<Step, "token" | "spender" | "amount">;
    owner: string;
    signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { token, spender, amount } = of.approval;
  if (token === null || spender === null || amount === null) return;
  const args = [of.owner as Hex, spender as Hex] as const;
  const call = { address: token.address as Hex, abi: erc20Abi, functionName: "allowance", args } as const;
  for (let reads = 1; ; reads += 1) {
    const allowance = await answerOf(readContract(wallet, call)).catch(() => null);
    if (allowance === null || allowance >= amount) return;
    if (reads === ALLOWANCE_READS)
      throw new CausewayError("insufficient_allowance", `${allowance} of ${amount} are approved`);
    await pause(ALLOWANCE_POLL_MS, of.signal);
  }
}
