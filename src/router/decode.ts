import { decodeErrorResult, decodeFunctionData, type Hex, type Log, parseEventLogs, type RpcLog } from "viem";
import { sameAddress } from "../lib/address.ts";
import { depositRouterAddress } from "./address.ts";
import { depositRouterAbi } from "./artifact.ts";
import type { RouterCall } from "./encode.ts";

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
