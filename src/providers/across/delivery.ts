import { type Address, encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex } from "viem";
import type { DestinationCall, MoveRequest } from "../provider.ts";
import { handlerAbi, instructionsParameters } from "./abi.ts";
import type { Route } from "./route.ts";

/** One call of the handler; `value` in wei. */
export interface HandlerCall {
  target: Address;
  callData: Hex;
  value: bigint;
}

/** Where the bridge delivers to, and what it says to whoever receives. */
export interface Delivery {
  recipient: Address;
  message: Hex;
}

/** Where an `approve` has its amount. */
export const APPROVE_AMOUNT_OFFSET = 36n;

/**
 * Says how a request is delivered: to the user, or to the handler with calls to make. What the handler
 * still holds of the token afterwards, and all of it when a call fails, goes to the user.
 */
export function encodeDelivery(request: MoveRequest, route: Route): Delivery {
  const { handler } = route;
  if (handler === null) return { recipient: request.user, message: "0x" };
  const calls =
    request.call === null ? [] : destinationCalls(request.call, { handler, token: route.output.address });
  const instructions = { calls, fallbackRecipient: request.user };
  return { recipient: handler, message: encodeAbiParameters(instructionsParameters, [instructions]) };
}

/**
 * The destination call with what is delivered approved, as much as it turns out to be. The allowance is
 * cleared first: anyone can make the handler leave one behind, and USDT refuses to change it then.
 */
function destinationCalls(
  call: DestinationCall,
  { handler, token }: { handler: Address; token: Address },
): HandlerCall[] {
  const approveNothing = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [call.target, 0n],
  });
  const replacement = [{ token, offset: APPROVE_AMOUNT_OFFSET }];
  const approveAll = encodeFunctionData({
    abi: handlerAbi(),
    functionName: "makeCallWithBalance",
    args: [token, approveNothing, 0n, replacement],
  });
  return [
    { target: token, callData: approveNothing, value: 0n },
    { target: handler, callData: approveAll, value: 0n },
    { target: call.target, callData: call.data, value: 0n },
  ];
}
