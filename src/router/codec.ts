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
import { depositRouterAddress } from "./address.ts";
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

/** Encodes `DepositRouter.deposit`. */
export function encodeRouterDeposit(call: RouterCall): Hex {
  return encodeFunctionData({
    abi: depositRouterAbi,
    functionName: "deposit",
    args: [call.deposit, call.steps, call.sweep],
  });
}

/** Reads the calldata of a Router deposit. Throws when it is none. */
export function decodeRouterDeposit(data: Hex): RouterCall {
  const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data });
  if (functionName !== "deposit") throw new Error(`the calldata is ${functionName}, not deposit`);
  const [deposit, steps, sweep] = args;
  return { deposit, steps, sweep };
}

/** Without `Error(string)` and `Panic(uint256)`, which any contract may revert with. */
const ownErrors = depositRouterAbi.filter((item) => item.type === "error");

/** The Router's own refusal in revert data; null when it comes from elsewhere. */
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

/** The `Deposited` events that the Router itself emitted among a receipt's logs. */
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
