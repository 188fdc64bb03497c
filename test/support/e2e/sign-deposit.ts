import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex } from "viem";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import type { SentDeposit } from "./api.ts";
import type { TestChain, TestUser } from "./chain.ts";

/** The part of a build's response that a wallet signs. */
export type Signable = Pick<SentDeposit, "transaction_request" | "approval" | "calls">;

/** What a wallet signs: the list of calls, or the approval and then the transaction request. */
export type Style = "calls" | "approval";

/**
 * Sends a built deposit with a plain wallet that uses nothing but the API's response: either `calls` unchanged, or the
 * approval and the transaction request with numbers in hex. Returns the hash of the last transaction.
 */
export async function signDeposit(
  chain: Pick<TestChain, "client">,
  job: { user: TestUser; built: Signable; style: Style },
): Promise<Hex> {
  const transactions = job.style === "calls" ? asCalls(job.built) : asRequest(job.built);
  let hash: Hex | null = null;
  for (const transaction of transactions) {
    const params = [{ from: job.user.address, ...transaction }];
    hash = (await job.user.wallet.request({ method: "eth_sendTransaction", params })) as Hex;
    await awaitReceipt(chain.client, hash);
  }
  if (hash === null) throw new Error("there was nothing to sign");
  return hash;
}

function asCalls(built: Signable) {
  return built.calls.map(({ to, data, value, chain_id: chainId }) => ({ to, data, value, chainId }));
}

function asRequest({ approval, transaction_request: request }: Signable) {
  return [...(approval === null ? [] : [approve(approval)]), toTransaction(request)];
}

/** Converts a transaction request's numbers to hex, without other changes. */
export function toTransaction(request: SentDeposit["transaction_request"]) {
  return {
    to: request.to,
    data: request.data,
    value: numberToHex(BigInt(request.value)),
    chainId: numberToHex(request.chain_id),
    ...(request.gas_limit === null ? {} : { gas: numberToHex(BigInt(request.gas_limit)) }),
  };
}

function approve({ token_address, spender_address, amount }: NonNullable<SentDeposit["approval"]>) {
  const args = [spender_address as Address, BigInt(amount)] as const;
  return { to: token_address, data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }) };
}

/** Returns the native currency that a list of calls pays, in wei. */
export function nativePaid(built: SentDeposit): bigint {
  return built.calls.reduce((sum, call) => sum + hexToBigInt(call.value as Hex), 0n);
}
