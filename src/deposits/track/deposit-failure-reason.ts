import { decodeErrorResult, type Hex, numberToHex, parseAbi } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import type { Receipt, Transaction } from "../../chains/chain-transaction.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { once } from "../../lib/once.ts";
import { decodeRouterError } from "../../router/router-codec.ts";

/** The substatuses of a transfer that failed on its own chain. */
export type FailureReason =
  | "OUT_OF_GAS"
  | "SLIPPAGE_EXCEEDED"
  | "INSUFFICIENT_ALLOWANCE"
  | "INSUFFICIENT_BALANCE"
  | "EXPIRED"
  | "UNKNOWN_ERROR";

const ROUTER_REASONS: Readonly<Record<string, FailureReason>> = {
  SharesBelowMinimum: "SLIPPAGE_EXCEEDED",
  InputBelowMinimum: "SLIPPAGE_EXCEEDED",
  DeadlinePassed: "EXPIRED",
};

const tokenErrors = once(() =>
  parseAbi([
    "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "error Error(string reason)",
  ]),
);

/**
 * Returns why a transaction reverted: replays it with `eth_call` on the state before its block and reads the
 * revert. `OUT_OF_GAS` when the replay succeeds and the gas was nearly used up, `UNKNOWN_ERROR` when the node
 * keeps no such state.
 */
export async function failureReason(
  client: ChainClient,
  failed: { transaction: Transaction; receipt: Receipt },
): Promise<FailureReason> {
  const { transaction, receipt } = failed;
  if (receipt.gasUsed === transaction.gas) return "OUT_OF_GAS";
  const { from, to, input: data } = transaction;
  const call = { from, to, data, value: numberToHex(transaction.value) };
  try {
    await client.request("eth_call", [call, numberToHex(receipt.blockNumber - 1n)]);
    // Enough gas lets the replay succeed. A call deep inside that runs out leaves its callers a 64th each
    // (EIP-150).
    return receipt.gasUsed * 10n >= transaction.gas * 9n ? "OUT_OF_GAS" : "UNKNOWN_ERROR";
  } catch (error) {
    const revert = error instanceof RpcError ? error.data : null;
    return revert === null ? "UNKNOWN_ERROR" : reasonOf(revert);
  }
}

/** Decodes revert data into a reason: the Router's own errors, then common errors of tokens. */
export function reasonOf(revert: Hex): FailureReason {
  const routers = decodeRouterError(revert);
  if (routers !== null) return ROUTER_REASONS[routers.name] ?? "UNKNOWN_ERROR";
  try {
    const { errorName, args } = decodeErrorResult({ abi: tokenErrors(), data: revert });
    if (errorName === "ERC20InsufficientAllowance") return "INSUFFICIENT_ALLOWANCE";
    if (errorName === "ERC20InsufficientBalance") return "INSUFFICIENT_BALANCE";
    const reason = String(args[0]);
    if (/allowance/i.test(reason)) return "INSUFFICIENT_ALLOWANCE";
    return /balance/i.test(reason) ? "INSUFFICIENT_BALANCE" : "UNKNOWN_ERROR";
  } catch {
    return "UNKNOWN_ERROR";
  }
}
