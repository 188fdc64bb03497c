import { type Address, encodeFunctionData, erc20Abi, type Hex, hexToBigInt, numberToHex } from "viem";
import { awaitReceipt } from "../../scripts/stack/chains/await-receipt.ts";
import type { BuiltDeposit } from "../../src/schemas/quote.ts";
import type { TestChain, TestUser } from "./chain.ts";

/** What of an answer a wallet needs. */
export type Signable = Pick<BuiltDeposit, "transaction_request" | "approval" | "calls">;

/** What a wallet is asked to sign, in the order of signing. */
export type Style = "calls" | "approval";

/**
 * Sends a built deposit through a plain wallet, which only sees what the API answered: `calls` as they are, or
 * the approval and then the transaction request with its numbers written in hex. Returns the last hash.
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

/** Re-encodes a transaction request to hex, and nothing else. */
export function toTransaction(request: BuiltDeposit["transaction_request"]) {
  return {
    to: request.to,
    data: request.data,
    value: numberToHex(BigInt(request.value)),
    chainId: numberToHex(request.chain_id),
    ...(request.gas_limit === null ? {} : { gas: numberToHex(BigInt(request.gas_limit)) }),
  };
}

function approve({ token_address, spender_address, amount }: NonNullable<BuiltDeposit["approval"]>) {
  const args = [spender_address as Address, BigInt(amount)] as const;
  return { to: token_address, data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }) };
}

/** The sum of native money that a list of calls pays. */
export function nativePaid(built: BuiltDeposit): bigint {
  return built.calls.reduce((sum, call) => sum + hexToBigInt(call.value as Hex), 0n);
}
