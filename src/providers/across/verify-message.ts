import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual } from "viem";
import type { DestinationCall, MoveRequest } from "../provider.ts";
import { decodeBalanceCall, decodeInstructions } from "./decode.ts";
import { APPROVE_AMOUNT_OFFSET, type HandlerCall } from "./delivery.ts";
import type { Route } from "./route.ts";

/** The names of the checks that failed. */
export function wrong(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks).flatMap(([name, right]) => (right ? [] : [name]));
}

/** Names what is wrong with a message to whoever receives; empty: nothing. Throws when it cannot be decoded. */
export function messageFaults(
  message: Hex,
  { request, route }: { request: MoveRequest; route: Route },
): string[] {
  if (route.handler === null) return wrong({ message: message === "0x" });
  const { calls, fallbackRecipient } = decodeInstructions(message);
  const fallback = wrong({ fallbackRecipient: isAddressEqual(fallbackRecipient, request.user) });
  if (request.call === null) return [...fallback, ...wrong({ calls: calls.length === 0 })];
  return [...fallback, ...callFaults(calls, { ...route, handler: route.handler, call: request.call })];
}

type CallPlan = Pick<Route, "output"> & { handler: Address; call: DestinationCall };

function callFaults(calls: readonly HandlerCall[], { output, handler, call }: CallPlan): string[] {
  const [clear, approve, act] = calls;
  if (clear === undefined || approve === undefined || act === undefined || calls.length !== 3)
    return ["calls"];
  const approval = decodeBalanceCall(approve.callData);
  const [replacement] = approval.replacement;
  const token = output.address;
  return wrong({
    clear: isAddressEqual(clear.target, token) && clearsAllowance(clear.callData, call.target),
    approver: isAddressEqual(approve.target, handler),
    approvedToken: isAddressEqual(approval.target, token) && approval.value === 0n,
    approval: clearsAllowance(approval.callData, call.target),
    approvedAmount:
      replacement !== undefined &&
      approval.replacement.length === 1 &&
      isAddressEqual(replacement.token, token) &&
      replacement.offset === APPROVE_AMOUNT_OFFSET,
    callTarget: isAddressEqual(act.target, call.target),
    callData: act.callData === call.data.toLowerCase(),
    callValues: calls.every(({ value }) => value === 0n),
  });
}

/** Whether calldata is exactly `approve(spender, 0)`, which the handler's balance is then written into. */
function clearsAllowance(data: Hex, spender: Address): boolean {
  return data === encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, 0n] });
}
