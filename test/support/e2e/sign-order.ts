import { type Address, type Hex, numberToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { Step } from "../../../src/schemas/step-schema.ts";
import { type Api, SentDeposit, SentWithdrawal } from "./api.ts";
import type { KeyedUser, TestChain } from "./chain.ts";
import { bodyOf, type Problem, problemOf } from "./http.ts";
import { toTransaction } from "./sign-deposit.ts";

/** Returns the step of a list that is a signature. Fails if there is none. */
export function signatureIn(steps: readonly Step[]): Extract<Step, { kind: "signature" }> {
  const found = steps.find((step) => step.kind === "signature");
  if (found?.kind !== "signature") throw new Error("no signature step");
  return found;
}

/** Signs the message of the signature step from its JSON alone, as a wallet does. */
export function signOrder(
  { steps }: { steps: readonly Step[] },
  user: Pick<KeyedUser, "privateKey">,
): Promise<Hex> {
  const { typed_data: message } = signatureIn(steps);
  if (message === null) throw new Error("nothing to sign");
  const account = privateKeyToAccount(user.privateKey);
  return account.signTypedData(message as unknown as Parameters<typeof account.signTypedData>[0]);
}

/**
 * Returns a signature of 65 bytes with the last byte of its `s` changed by one bit. A constant byte would be the right one
 * of every 256th signature.
 */
export function alteredSignature(signature: Hex): Hex {
  const last = Number.parseInt(signature.slice(-4, -2), 16);
  return `${signature.slice(0, -4)}${(last ^ 1).toString(16).padStart(2, "0")}${signature.slice(-2)}` as Hex;
}

const authorizePath = (trackingId: string) => `/v1/deposits/${trackingId}/authorize`;

/** Completes a built deposit with a signature. */
export async function authorize(api: Api, trackingId: string, signature: Hex): Promise<SentDeposit> {
  const answer = await api.send(authorizePath(trackingId), { body: { signature } });
  return bodyOf(answer, { schema: SentDeposit });
}

/** Submits a signature that must be rejected, and returns the problem document. */
export async function refusedSignature(api: Api, trackingId: string, signature: Hex): Promise<Problem> {
  return problemOf(await api.send(authorizePath(trackingId), { body: { signature } }));
}

const withdrawalPath = (trackingId: string) => `/v1/withdrawals/${trackingId}/authorize`;

/** Completes a built withdrawal with a signature. */
export async function authorizeExit(api: Api, trackingId: string, signature: Hex): Promise<SentWithdrawal> {
  const answer = await api.send(withdrawalPath(trackingId), { body: { signature } });
  return bodyOf(answer, { schema: SentWithdrawal });
}

/** Submits a withdrawal's signature that must be rejected, and returns the problem document. */
export async function refusedExit(api: Api, trackingId: string, signature: Hex): Promise<Problem> {
  return problemOf(await api.send(withdrawalPath(trackingId), { body: { signature } }));
}

/** Sends the transaction of a completed deposit or withdrawal from any account. Returns its receipt, reverted or not. */
export async function submit(
  chain: TestChain,
  from: Pick<KeyedUser, "address" | "wallet">,
  built: Pick<SentDeposit, "transaction_request">,
) {
  const params = [{ from: from.address, ...toTransaction(built.transaction_request) }];
  const hash = (await from.wallet.request({ method: "eth_sendTransaction", params })) as Hex;
  return awaitReceipt(chain.client, hash);
}

/** Code of contract accounts: one accepts every signature (ERC-1271), one always reverts. */
export const accountCode = {
  accepting: "0x631626ba7e60e01b60005260206000f3",
  refusing: "0x60006000fd",
} as const;

/** Sets an account's code, which makes it a contract. */
export const putCode = (chain: TestChain, account: Address, code: Hex): Promise<unknown> =>
  rpc(chain.rpcUrl, "anvil_setCode", account, code);

/**
 * Delegates an account to a contract's code, as an EIP-7702 transaction does. The contract has the account's address with
 * one bit changed, so that it is never the account itself.
 */
export async function delegate(chain: TestChain, account: Address, code: Hex): Promise<void> {
  const first = Number.parseInt(account.slice(2, 4), 16) ^ 1;
  const target: Address = `0x${first.toString(16).padStart(2, "0")}${account.slice(4)}`;
  await putCode(chain, target, code);
  await putCode(chain, account, `0xef0100${target.slice(2)}`);
}

/** Sets an account's native balance to zero, so that another account must pay for gas. */
export const clearNativeBalance = (chain: TestChain, account: Address): Promise<unknown> =>
  rpc(chain.rpcUrl, "anvil_setBalance", account, numberToHex(0n));
