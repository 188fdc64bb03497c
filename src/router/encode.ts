import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { depositRouterAbi } from "./artifact.ts";

/** One call of the Executor; see DepositRouter.sol. Amounts in wei or smallest units. */
export interface RouterStep {
  target: Address;
  value: bigint;
  approveToken: Address;
  spender: Address;
  patchToken: Address;
  patchOffset: bigint;
  patchMul: bigint;
  data: Hex;
}

/** What a Router deposit takes and must give; see DepositRouter.sol. */
export interface RouterDeposit {
  asset: Address;
  amount: bigint;
  minIn: bigint;
  shareToken: Address;
  receiver: Address;
  minShares: bigint;
  /** Unix seconds. */
  deadline: bigint;
  refundTo: Address;
  ref: Hex;
  partnerId: Hex;
  partnerType: number;
}

export interface RouterCall {
  deposit: RouterDeposit;
  steps: readonly RouterStep[];
  /** Tokens besides the asset that a step may leave over. */
  sweep: readonly Address[];
}

/** A step that only calls: no allowance, no patch. */
export function plainStep(call: { target: Address; value: bigint; data: Hex }): RouterStep {
  return {
    ...call,
    approveToken: zeroAddress,
    spender: zeroAddress,
    patchToken: zeroAddress,
    patchOffset: 0n,
    patchMul: 0n,
  };
}

/** Encodes `DepositRouter.deposit`. */
export function encodeRouterDeposit(call: RouterCall): Hex {
  return encodeFunctionData({
    abi: depositRouterAbi,
    functionName: "deposit",
    args: [call.deposit, call.steps, call.sweep],
  });
}
