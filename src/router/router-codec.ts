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
 * One call that the Router's Executor makes, with the token to approve before it and the balance to write into its
 * calldata; see DepositRouter.sol. `value` is in wei.
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

/** The parameters of a Router deposit: input, minimum shares, receiver and attribution; see DepositRouter.sol. */
export interface RouterDeposit {
  asset: Address;
  amount: bigint;
  minIn: bigint;
  shareToken: Address;
  receiver: Address;
  minShares: bigint;
  /** Time after which the deposit reverts, in seconds since the epoch. */
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
  /** Tokens other than the asset that the steps may leave over; what remains of them is sent to `refundTo`. */
  sweep: readonly Address[];
}

/** Creates a Router step that neither approves a token nor writes a token balance into the calldata. */
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

/** Decodes one of the Router's own errors from revert data, or returns null for any other data. */
export function decodeRouterError(data: Hex): { name: string; args: readonly unknown[] } | null {
  try {
    // viem adds `Error(string)` and `Panic(uint256)` to every ABI.
    const { errorName, args } = decodeErrorResult({ abi: ownErrors, data });
    if (!ownErrors.some((own) => own.name === errorName)) return null;
    return { name: errorName, args: args ?? [] };
  } catch {
    return null;
  }
}

/** Returns the decoded `Deposited` events that the Router itself emitted, among any logs. */
export function routerDeposits(logs: readonly (Log | RpcLog)[]) {
  const own = logs.filter((log) => sameAddress(log.address, depositRouterAddress));
  return parseEventLogs({ abi: depositRouterAbi, eventName: "Deposited", logs: own as Log[] });
}

/**
 * Returns the lowercase topic lists that match the Router's `Deposited` events: those of all deposits, or of the
 * deposits with one of the given references.
 */
export function routerDepositTopics(refs?: readonly Hex[]): string[][] {
  const [signature, ref] = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "Deposited",
    ...(refs === undefined ? {} : { args: { ref: [...refs] } }),
  });
  const lists = [signature, ref].flatMap((topic) => (topic === undefined || topic === null ? [] : [topic]));
  return lists.map((topic) => (typeof topic === "string" ? [topic] : topic).map((one) => one.toLowerCase()));
}
