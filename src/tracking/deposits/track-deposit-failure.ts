import { decodeErrorResult, type Hex, numberToHex, parseAbi } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import type { Receipt, Transaction } from "../../chains/chain-transaction.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { once } from "../../lib/once.ts";
import { decodeRouterError, foreignReason } from "../../router/router-codec.ts";

/**
 * Why the transaction of a deposit or withdrawal reverted, as the substatus that the API returns. `EXPIRED`: it was
 * included after the Router order's deadline.
 */
export type FailureReason =
  | "OUT_OF_GAS"
  | "SLIPPAGE_EXCEEDED"
  | "INSUFFICIENT_ALLOWANCE"
  | "INSUFFICIENT_BALANCE"
  | "EXPIRED"
  | "UNKNOWN_ERROR";

const ROUTER_REASONS: Readonly<Record<string, FailureReason>> = {
  OutputBelowMinimum: "SLIPPAGE_EXCEEDED",
  InputBelowMinimum: "SLIPPAGE_EXCEEDED",
  // An earlier step brought less than a later one needs, as when a vault pays less than the swap after it takes.
  StepUnderfunded: "SLIPPAGE_EXCEEDED",
  DeadlinePassed: "EXPIRED",
};

const tokenErrors = once(() =>
  parseAbi([
    "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "error Error(string reason)",
    // Slippage checks of vaults' own calls. Sources: Veda-Labs/boring-vault, fluid-contracts-public.
    "error TellerWithMultiAssetSupport__MinimumMintNotMet()",
    "error TellerWithMultiAssetSupport__MinimumAssetsNotMet()",
    "error FluidLendingError(uint256 errorId)",
  ]),
);

/** Names of the vaults' own errors for an output below the caller's minimum. */
const SLIPPAGE_ERRORS: ReadonlySet<string> = new Set([
  "TellerWithMultiAssetSupport__MinimumMintNotMet",
  "TellerWithMultiAssetSupport__MinimumAssetsNotMet",
]);
/** Fluid's error number for an output below the caller's minimum. Source: fluid-contracts-public, lending errors. */
const FLUID_OUT_TOO_LOW = 20_002n;
/** Midas's error text for an output below the minimum, in deposits and redemptions. Source: midas-apps/contracts. */
const MIDAS_OUT_TOO_LOW = /^(DV|RV)[A-Z]*: minReceiveAmount > actual$/;

/**
 * Returns why a transaction reverted, by the gas it used and by a replay with `eth_call` on the state before its block.
 * `UNKNOWN_ERROR` if this does not show it. Errors of the node are not thrown.
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
    // The replay has enough gas and succeeds. A nested call that runs out of gas leaves each of its callers 1/64 of the
    // gas (EIP-150), so not all gas was used.
    return receipt.gasUsed * 10n >= transaction.gas * 9n ? "OUT_OF_GAS" : "UNKNOWN_ERROR";
  } catch (error) {
    const revert = error instanceof RpcError ? error.data : null;
    return revert === null ? "UNKNOWN_ERROR" : reasonOf(revert);
  }
}

/**
 * Maps revert data to a failure reason: the Router's minimums and deadline, errors of tokens (EIP-6093 and common
 * texts) and of vaults' slippage checks, also if the Router wraps them. `UNKNOWN_ERROR` for anything else.
 */
export function reasonOf(revert: Hex): FailureReason {
  const routers = decodeRouterError(revert);
  const reason = foreignReason(revert);
  if (routers !== null && reason === null) return ROUTER_REASONS[routers.name] ?? "UNKNOWN_ERROR";
  try {
    const { errorName, args } = decodeErrorResult({ abi: tokenErrors(), data: reason ?? revert });
    if (errorName === "ERC20InsufficientAllowance") return "INSUFFICIENT_ALLOWANCE";
    if (errorName === "ERC20InsufficientBalance") return "INSUFFICIENT_BALANCE";
    if (SLIPPAGE_ERRORS.has(errorName)) return "SLIPPAGE_EXCEEDED";
    if (errorName === "FluidLendingError")
      return args[0] === FLUID_OUT_TOO_LOW ? "SLIPPAGE_EXCEEDED" : "UNKNOWN_ERROR";
    const text = String(args?.[0]);
    if (MIDAS_OUT_TOO_LOW.test(text)) return "SLIPPAGE_EXCEEDED";
    if (/allowance/i.test(text)) return "INSUFFICIENT_ALLOWANCE";
    return /balance/i.test(text) ? "INSUFFICIENT_BALANCE" : "UNKNOWN_ERROR";
  } catch {
    return "UNKNOWN_ERROR";
  }
}
