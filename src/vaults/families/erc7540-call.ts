import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { once } from "../../lib/once.ts";
import type { DepositCall, DepositRequest } from "../adapter.ts";
import type { Vault } from "../vault.ts";

const requestAbi = once(() =>
  parseAbi([
    "function requestDeposit(uint256 assets, address controller, address owner) returns (uint256 requestId)",
  ]),
);
/** The amount is the first word of every call here. */
const AMOUNT_OFFSET = 4;

/** A request that the receiver makes in person, or a deposit by `data` that names them. Source: EIP-7540. */
export function erc7540Call(
  vault: Vault,
  deposit: { request: DepositRequest; data: Hex | null },
): DepositCall {
  const { amount, receiver } = deposit.request;
  const args = [amount, receiver, receiver] as const;
  return {
    target: vault.entryPoint,
    spender: vault.spender,
    data: deposit.data ?? encodeFunctionData({ abi: requestAbi(), functionName: "requestDeposit", args }),
    amountOffset: AMOUNT_OFFSET,
    amountScale: 1n,
    shareToken: vault.shareToken,
    sharesTo: "receiver",
    async: deposit.data === null,
    minShares: "router",
  };
}
