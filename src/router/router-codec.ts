import {
  type Address,
  decodeErrorResult,
  decodeFunctionData,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  type Log,
  parseEventLogs,
  type RpcLog,
  zeroAddress,
} from "viem";
import { sameAddress } from "../lib/address.ts";
import { depositRouterAbi } from "./deposit-router-artifact.ts";
import { depositRouterAddress } from "./router-address.ts";

/**
 * One call of the Executor, with its allowance and amount patch; see DepositRouter.sol. Amounts in wei or smallest
 * units.
 */
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

/** The terms of a Router deposit: input, minimum shares, receiver and attribution; see DepositRouter.sol. */
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

/** The arguments of `DepositRouter.deposit`. */
export interface RouterCall {
  deposit: RouterDeposit;
  steps: readonly RouterStep[];
  /** Tokens besides the asset that may be left over; the Router returns them. */
  sweep: readonly Address[];
}

/** Creates a step without allowance and amount patch. */
export function callOnlyStep(call: { target: Address; value: bigint; data: Hex }): RouterStep {
  return {
    ...call,
    approveToken: zeroAddress,
    spender: zeroAddress,
    patchToken: zeroAddress,
    patchOffset: 0n,
    patchMul: 0n,
  };
}

/** Encodes the calldata of `DepositRouter.deposit`. */
export function encodeRouterDeposit(call: RouterCall): Hex {
  return encodeFunctionData({
    abi: depositRouterAbi,
    functionName: "deposit",
    args: [call.deposit, call.steps, call.sweep],
  });
}

/** Decodes the calldata of a Router deposit. Throws an Error for any other calldata. */
export function decodeRouterDeposit(data: Hex): RouterCall {
  const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data });
  if (functionName !== "deposit") throw new Error(`the calldata is ${functionName}, not deposit`);
  const [deposit, steps, sweep] = args;
  return { deposit, steps, sweep };
}

/** The Router's own errors, without `Error(string)` and `Panic(uint256)`, which any contract may revert with. */
const ownErrors = depositRouterAbi.filter((item) => item.type === "error");

/** Decodes one of the Router's own errors from revert data; null for any other data. */
export function decodeRouterError(data: Hex): { name: string; args: readonly unknown[] } | null {
  try {
    // viem adds Error(string) and Panic(uint256) to every list.
    const { errorName, args } = decodeErrorResult({ abi: ownErrors, data });
    if (!ownErrors.some((own) => own.name === errorName)) return null;
    return { name: errorName, args: args ?? [] };
  } catch {
    return null;
  }
}

/** Returns the `Deposited` events that the Router itself emitted among logs. */
export function routerDeposits(logs: readonly (Log | RpcLog)[]) {
  const own = logs.filter((log) => sameAddress(log.address, depositRouterAddress));
  return parseEventLogs({ abi: depositRouterAbi, eventName: "Deposited", logs: own as Log[] });
}

/** Returns the topic lists of `Deposited` events, of any deposit or of those with one of the references. */
export function routerDepositTopics(refs?: readonly Hex[]): string[][] {
  const [signature, ref] = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "Deposited",
    ...(refs === undefined ? {} : { args: { ref: [...refs] } }),
  });
  const lists = [signature, ref].flatMap((topic) => (topic === undefined || topic === null ? [] : [topic]));
  return lists.map((topic) => (typeof topic === "string" ? [topic] : topic).map((one) => one.toLowerCase()));
}
