import { isAddressEqual } from "viem";
import { isNative } from "../../lib/address.ts";
import { PARTS } from "../../lib/amount.ts";
import type { MoveRequest } from "../provider.ts";
import { noRoute } from "./errors.ts";
import type { LifiContext } from "./lifi-context.ts";
import { toolsFor } from "./tools.ts";

/**
 * Nine tenths of the loss that is allowed, as a fraction of six decimals rounded down: LI.FI takes it off a
 * swap before the flat fee of a bridge, and the rest leaves room for that fee within the whole.
 */
export function slippageFor(request: MoveRequest): number {
  return Number((request.slippage * 900_000n) / PARTS) / 1_000_000;
}

/**
 * The tools a request may use; null on one chain, where it names none.
 * Throws `no_route` when nothing we can verify serves it.
 */
export function requestedTools(context: LifiContext, request: MoveRequest): string[] | null {
  const { deployments } = context;
  const { fromChainId, toChainId, fromToken, toToken, call } = request;
  if (!deployments.has(fromChainId) || !deployments.has(toChainId)) throw noRoute(["bridge_unavailable"]);
  if (call !== null && isNative(toToken)) throw noRoute(["request_refused"]);
  if (fromChainId === toChainId) {
    if (call === null && isAddressEqual(fromToken, toToken)) throw noRoute(["request_refused"]);
    return null;
  }
  const tools = toolsFor(deployments, request);
  if (tools.length === 0) throw noRoute(["bridge_unavailable"]);
  return tools;
}
