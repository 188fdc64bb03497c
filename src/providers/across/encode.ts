import { concatHex, encodeFunctionData, type Hex, pad } from "viem";
import type { MoveRequest } from "../provider.ts";
import { depositAbi } from "./abi.ts";
import type { Delivery } from "./delivery.ts";
import type { Route } from "./route.ts";
import type { Terms } from "./terms.ts";

/** The marker of an integrator's id behind the calldata. Source: Across integrator documentation. */
const INTEGRATOR_MARKER: Hex = "0x1dc0de";

/** What stands behind the calldata: nothing, or the integrator's id (two bytes) after its marker. */
export function encodeTrailing(integratorId: Hex | null): Hex {
  return integratorId === null ? "0x" : concatHex([INTEGRATOR_MARKER, integratorId]);
}

/** Encodes the SpokePool's `deposit`. Source: SpokePool.sol. */
export function encodeDeposit(move: {
  request: MoveRequest;
  route: Route;
  terms: Terms;
  delivery: Delivery;
  integratorId: Hex | null;
}): Hex {
  const { request, route, terms, delivery } = move;
  const data = encodeFunctionData({
    abi: depositAbi(),
    functionName: "deposit",
    args: [
      pad(request.user),
      pad(delivery.recipient),
      pad(route.input.address),
      pad(route.output.address),
      request.amount,
      terms.outputAmount,
      BigInt(request.toChainId),
      pad(terms.exclusiveRelayer),
      terms.quoteTimestamp,
      terms.fillDeadline,
      terms.exclusivityParameter,
      delivery.message,
    ],
  });
  return concatHex([data, encodeTrailing(move.integratorId)]);
}
